"""The window before two hosts made of namespaces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_sessions import sh, wait_until_clean
from lab_window import STATE, begin, opened
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.compose import Services
from app.domain.results import AttemptStatus, CampaignStatus
from support.net_bench import NetBench

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)


@pytest.fixture
def driver(net: NetBench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with opened(qtbot, tmp_path, monkeypatch) as driver:
        yield driver


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
