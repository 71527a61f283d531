"""The window on real gateways, from the first page to the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_sessions import connected, sh, wait_until_clean
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.compose import Services
from app.domain.results import AttemptStatus, CampaignStatus, ProfileName
from app.lab import Lab
from app.wizard import Step
from ui.app import make_application, real_services
from ui.theme import Theme
from ui.window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)

LAB_WAIT_MS = 240_000
STATE = (
    "ip -o link | cut -d: -f2 | cut -d@ -f1 | sort; ip -4 -o route; ls -d /run/tunnelmark 2>&1; pgrep openvpn || true"
)


@pytest.fixture
def driver(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    window = MainWindow(Theme(make_application()), real_services)
    driver = Driver(qtbot, window, [], wait_ms=LAB_WAIT_MS)
    window.show()
    driver.until(lambda: window.context.has_services)
    yield driver
    driver.close()


def _begin(driver: Driver, lab: Lab, solutions: set[str], pings: int) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(lab.pair)
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.go_to(Step.CHOOSE)
    choice = window.step_page(Step.CHOOSE)
    for key in choice.ticked():
        choice.tick(key, is_on=key[0] in solutions)
    driver.next()
    plan = window.step_page(Step.PLAN)
    plan.form.choose(ProfileName.CUSTOM)
    plan.form.pings.setValue(pings)
    plan.form.seconds.setValue(1)
    driver.idle()
    assert "ip link" in plan.code.view.toPlainText()
    driver.next()
    assert window.wizard.current is Step.RUN


def test_from_the_first_page_to_the_report(driver: Driver, lab: Lab, tmp_path: Path) -> None:
    window = driver.window
    with connected(lab, tmp_path) as hosts:
        before = [sh(host, STATE) for host in (hosts.a, hosts.b)]
        _begin(driver, lab, {"baseline", "wireguard"}, pings=30)
        driver.until(lambda: not window.is_measuring)
        assert window.wizard.state.campaign_id is not None, window.run_page.notice.text
        wait_until_clean(hosts.a, hosts.b, timeout_s=20)
        assert [sh(host, STATE) for host in (hosts.a, hosts.b)] == before
    curves = {curve.key[0]: curve for curve in window.bridge.live.curves()}
    driver.next()
    driver.until(lambda: window.results.data is not None)
    data = window.results.data
    assert data.record.status is CampaignStatus.COMPLETED
    assert [a.status for a in data.record.attempts] == [AttemptStatus.COMPLETED] * 3
    for result in data.ranking.results:
        live = dict(zip(curves[result.solution].frame_bytes, curves[result.solution].mean_ms, strict=True))
        stored = {summary.frame_bytes: summary.mean_ms for summary in result.latency}
        assert live == pytest.approx(stored, rel=0.01), "what was plotted live is what was stored"
    assert "WireGuard" in window.results.sentence.sentence.text()
    window.results.write_report(tmp_path / "report.html")
    driver.until((tmp_path / "report.html").exists)
    driver.idle()
    assert "WireGuard" in (tmp_path / "report.html").read_text("utf-8")


def test_closing_the_window_in_the_middle_leaves_the_gateways_as_they_were(
    driver: Driver, lab: Lab, tmp_path: Path
) -> None:
    window = driver.window
    with connected(lab, tmp_path) as hosts:
        before = [sh(host, STATE) for host in (hosts.a, hosts.b)]
        _begin(driver, lab, {"openvpn-udp"}, pings=20_000)
        driver.until(lambda: window.bridge.live.figures().count > 50)
        assert "tmk0" in sh(hosts.a, STATE)
        window.close()
        driver.click(driver.dialog().yes)
        driver.until(lambda: not window.isVisible())
        wait_until_clean(hosts.a, hosts.b, timeout_s=20)
        assert [sh(host, STATE) for host in (hosts.a, hosts.b)] == before
    services = Services(prompts=None)
    try:
        ((campaign_id, text),) = services.history()
        record, _ = services.results(campaign_id)
        assert record.status is CampaignStatus.CANCELLED, text
        assert [a.status for a in record.attempts] == [AttemptStatus.CANCELLED]
    finally:
        services.close()
