"""The page of deployments while it monitors: losses, limits, notifications."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

import pytest
from deployments_driver import cell, page_of, show_active
from fake_deployment_values import status_of, with_end
from PySide6.QtWidgets import QSystemTrayIcon
from sample_records import pair
from window_driver import Driver

import ui.deployments.desktop_notification
from app.deployment.messages import (
    CANNOT_BE_ASKED,
    NO_ANSWER_ON,
    RTT_ABOVE,
    RTT_AGAIN,
    TUNNEL_LOST,
    UP_AGAIN,
    WATCHING_BEGINS,
)
from app.domain.deployment_status import PairStatus
from app.domain.errors import HostUnreachable
from app.domain.hosts import Side
from support.message_checks import has_message, shows
from ui.deployments.deployments_page import DeploymentsPage
from ui.deployments.deployments_table import WATCH


def later(status: PairStatus, seconds: float) -> PairStatus:
    return replace(status, at=status.at + timedelta(seconds=seconds))


def reported(page: DeploymentsPage) -> list[str]:
    log = page.detail.now.log
    return [log.item(nth).text().partition("  ")[2] for nth in range(log.count())]


def test_watching_keeps_a_log_of_losses_and_tells_the_desktop(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    one = show_active(driver)
    healthy = status_of(pair(), one)
    lost = with_end(healthy, Side.A, is_up=False, rtt_ms=None, loss_pct=100.0)
    driver.services.statuses += [healthy, later(lost, 5), later(lost, 10), later(healthy, 17)]
    page = page_of(driver)
    notes: list[tuple[str, str]] = []
    monkeypatch.setattr(page.notifier, "notify", lambda title, text: notes.append((title, text)))
    page.watcher.every_ms = 10
    driver.click(page.detail.watch)
    assert cell(page, WATCH) == "on"
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 4)
    loss = TUNNEL_LOST(why=NO_ANSWER_ON(hosts="gateway-a"))
    assert reported(page) == [UP_AGAIN(lasted="12 s"), loss, WATCHING_BEGINS()]
    assert notes == [("Tunnelmark: lab:practice", loss)]
    driver.click(page.detail.watch)
    driver.idle()
    assert cell(page, WATCH) == "off"
    seen = len(page.watcher.log("lab:practice").samples)
    driver.qtbot.wait(60)
    assert len(page.watcher.log("lab:practice").samples) == seen, "nobody looks any more"


def test_limits_are_reported_once_and_when_they_are_kept_again(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    one = show_active(driver)
    good = status_of(pair(), one)
    slow = with_end(good, Side.B, rtt_ms=48.0)
    driver.services.statuses += [later(slow, 1), later(slow, 2), later(good, 3)]
    page = page_of(driver)
    notes: list[str] = []
    monkeypatch.setattr(page.notifier, "notify", lambda _title, text: notes.append(text))
    now = page.detail.now
    now.rtt[0].setChecked(True)
    now.rtt[1].setValue(20.0)
    page.watcher.every_ms = 10
    driver.click(page.detail.watch)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 3)
    assert notes == [RTT_ABOVE(value=48.0, limit=20.0)]
    assert shows(reported(page)[0], RTT_AGAIN.text)


def test_watching_goes_on_when_hosts_do_not_answer_and_on_other_pages(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_active(driver)
    page = page_of(driver)
    notes: list[str] = []
    monkeypatch.setattr(page.notifier, "notify", lambda _title, text: notes.append(text))
    page.watcher.every_ms = 10
    driver.services.faults["status"] = HostUnreachable("gateway-a does not answer.")
    driver.click(page.detail.watch)
    driver.window.show_welcome()
    driver.until(lambda: len(page.watcher.log("lab:practice").lines) >= 2)
    assert notes == [CANNOT_BE_ASKED(why="gateway-a does not answer.")]
    assert has_message(UP_AGAIN)(page.watcher.log("lab:practice").lines[1].text)
    driver.window.close()
    driver.until(lambda: driver.services.is_closed)


def test_what_is_being_read_is_not_pulled_away_by_watching(driver: Driver) -> None:
    show_active(driver, title="WireGuard, first")
    show_active(driver, title="WireGuard, second")
    page = page_of(driver)
    page.detail.tabs.setCurrentWidget(page.detail.earlier)
    page.detail.earlier.table.selectRow(1)
    page.detail.earlier.code.search.setText("tml0")
    page.watcher.every_ms = 10
    driver.click(page.detail.watch)
    driver.until(lambda: len(page.watcher.log("lab:practice").samples) >= 3)
    assert page.detail.earlier.table.currentRow() == 1
    assert page.detail.earlier.selected is not None
    assert page.detail.earlier.selected.title == "WireGuard, first"
    assert page.detail.tabs.currentWidget() is page.detail.earlier


class Tray:
    """Notifications of a desktop with a tray."""

    shown: ClassVar[list[tuple[str, str]]] = []

    def __init__(self, *_words: object) -> None: ...

    @staticmethod
    def isSystemTrayAvailable() -> bool:  # noqa: N802 - Qt's name
        return True

    @staticmethod
    def supportsMessages() -> bool:  # noqa: N802 - the same
        return True

    MessageIcon = QSystemTrayIcon.MessageIcon

    def setToolTip(self, text: str) -> None: ...  # noqa: N802 - the same

    def show(self) -> None: ...

    def hide(self) -> None: ...

    def showMessage(self, title: str, text: str, *_more: object) -> None:  # noqa: N802 - the same
        self.shown.append((title, text))


def test_notifications_go_to_the_tray_where_there_is_one(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    show_active(driver)
    page = page_of(driver)
    assert not page.notifier.has_tray, "the offscreen desktop has none"
    page.notifier.notify("Tunnelmark: north", "Tunnel lost.")
    assert Tray.shown == []
    monkeypatch.setattr(ui.deployments.desktop_notification, "QSystemTrayIcon", Tray)
    page.notifier.notify("Tunnelmark: north", "Tunnel lost.")
    assert Tray.shown == [("Tunnelmark: north", "Tunnel lost.")]
    # A desktop may take the text for markup.
    page.notifier.notify("Tunnelmark: north", 'B says <a href="http://192.0.2.66">lost</a> & gone')
    assert Tray.shown[-1][1] == 'B says &lt;a href="http://192.0.2.66"&gt;lost&lt;/a&gt; &amp; gone'
