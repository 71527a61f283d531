"""The window before two hosts made of namespaces: from the first page to the report, and closed in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_sessions import sh, wait_until_clean
from lab_window import STATE, begin, opened
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.domain.results import AttemptStatus, CampaignStatus
from app.services.wiring import Services
from support.net_bench import NetBench

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)


@pytest.fixture
def driver(net: NetBench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    # Load repeats attempts, and how many is not known.
    monkeypatch.setattr("app.measurement.comparison.repeats.MOST_REPEATS", 0)
    with opened(qtbot, tmp_path, monkeypatch) as driver:
        yield driver


def test_from_the_first_page_to_the_report(driver: Driver, net: NetBench, tmp_path: Path) -> None:
    window = driver.window
    hosts = net.sessions
    before = [sh(host, STATE) for host in (hosts.a, hosts.b)]
    begin(driver, net.pair, {"baseline", "openvpn-udp"}, pings=30)
    driver.until(lambda: not window.is_measuring)
    assert window.wizard.state.campaign_id is not None, window.run_page.notice.text
    wait_until_clean(hosts.a, hosts.b)
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
    assert "OpenVPN" in window.results.sentence.sentence.text()
    window.results.write_report(tmp_path / "report.html")
    driver.until((tmp_path / "report.html").exists)
    driver.idle()
    assert "OpenVPN" in (tmp_path / "report.html").read_text("utf-8")


def test_closing_the_window_in_the_middle_leaves_the_hosts_as_they_were(driver: Driver, net: NetBench) -> None:
    window = driver.window
    hosts = net.sessions
    before = [sh(host, STATE) for host in (hosts.a, hosts.b)]
    begin(driver, net.pair, {"openvpn-udp"}, pings=20_000)
    driver.until(lambda: window.bridge.live.figures().count > 50)
    assert "tmk0" in sh(hosts.a, STATE)
    window.close()
    driver.click(driver.dialog().yes)
    driver.until(lambda: not window.isVisible())
    wait_until_clean(hosts.a, hosts.b)
    assert [sh(host, STATE) for host in (hosts.a, hosts.b)] == before
    services = Services(prompts=None)
    try:
        (entry,) = services.history()
        record, _ = services.results(int(entry.key))
        assert record.status is CampaignStatus.CANCELLED, entry
        assert [a.status for a in record.attempts] == [AttemptStatus.CANCELLED]
    finally:
        services.close()
