"""The window on real gateways, from the first page to the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_sessions import connected, sh, wait_until_clean
from lab_window import STATE, begin, opened
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.domain.results import AttemptStatus, CampaignStatus
from app.lab import Lab

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)


@pytest.fixture
def driver(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with opened(qtbot, tmp_path, monkeypatch) as driver:
        yield driver


def test_from_the_first_page_to_the_report(driver: Driver, lab: Lab, tmp_path: Path) -> None:
    window = driver.window
    with connected(lab, tmp_path) as hosts:
        before = [sh(host, STATE) for host in (hosts.a, hosts.b)]
        begin(driver, lab.pair, {"baseline", "wireguard"}, pings=30)
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
