"""The window before two real hosts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.domain.hosts import PairSpec
from app.domain.profiles import ProfileName
from app.measurement.wizard import Step
from ui.common.theme import Theme
from ui.shell.app import make_application, real_services
from ui.shell.window import MainWindow

LAB_WAIT_MS = 480_000

STATE = (
    "ip -o link | cut -d: -f2 | cut -d@ -f1 | sort; ip -4 -o route; ls -d /run/tunnelmark 2>&1; pgrep openvpn || true"
)
"""A shell line that prints what a comparison changes on a host."""


@contextmanager
def opened(
    qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch, *, wait_ms: int = LAB_WAIT_MS
) -> Iterator[Driver]:
    """Open the window; what it keeps lies in a folder."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(folder))
    window = MainWindow(Theme(make_application()), real_services)
    driver = Driver(qtbot, window, [], wait_ms=wait_ms)
    window.show()
    driver.until(lambda: window.context.has_services)
    yield driver
    driver.close()


def begin(driver: Driver, pair: PairSpec, solutions: set[str], pings: int) -> None:
    """Go from the first page to the measuring."""
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(pair)
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
