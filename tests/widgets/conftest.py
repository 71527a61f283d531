"""A window for every test that wants one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from english_texts import watch_messages, watch_sinks
from fake_services import FakeServices
from PySide6.QtWidgets import QApplication, QLabel, QTableWidgetItem, QWidget
from pytestqt.qtbot import QtBot
from window_driver import WAIT_MS, Driver

from app.services.interfaces import Prompts
from ui.common.theme import Theme
from ui.shell.app import make_application
from ui.shell.window import MainWindow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says of every dialog and every raised window that it has no window manager."""
    unseen = ("does not support propagateSizeHints", "does not support raise")
    for item in items:
        if item.path.is_relative_to(__file__.rpartition("/")[0]):
            item.add_marker(pytest.mark.qt_log_ignore(*unseen, extend=True))


@pytest.fixture(autouse=True)
def no_english_messages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test in which the window showed a message, or made a text of one, without translating it."""
    found = watch_messages(monkeypatch, "ui")
    watch_sinks(monkeypatch, found, (QLabel, "setText"), (QTableWidgetItem, "setText"), (QWidget, "setToolTip"))
    yield
    assert sorted(found) == [], "use local_text"


@pytest.fixture(scope="session")
def theme(qapp: object) -> Theme:
    return Theme(make_application())


class PatientBot(QtBot):
    """Waits as long as the driver does, where a test names no limit: five seconds are not enough beside other work."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = WAIT_MS) -> None:  # noqa: N802 - Qt's way
        super().waitUntil(callback, timeout=timeout)

    def waitExposed(self, widget: QWidget, *, timeout: int = WAIT_MS) -> AbstractContextManager[None]:  # noqa: N802
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def no_lab_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let windows check for labs only when they open or a test asks: a check between two steps takes their faults."""
    monkeypatch.setattr("ui.shell.startup._LAB_CHECK_MS", 3_600_000)


@pytest.fixture
def open_window(qtbot: QtBot, theme: Theme, no_lab_checks: None) -> Iterator[Callable[..., Driver]]:
    """Return a function that opens a window; keyword arguments go to FakeServices.

    Afterwards windows are closed and deleted. Then texts and colours become the usual ones: no widget has to follow.
    """
    drivers: list[Driver] = []

    def make(
        *, is_waiting: bool = True, factory: Callable[[Prompts], FakeServices] | None = None, **words: object
    ) -> Driver:
        made: list[FakeServices] = []

        def services(prompts: Prompts) -> FakeServices:
            made.append(factory(prompts) if factory is not None else FakeServices(prompts, **words))  # type: ignore[arg-type]
            return made[-1]

        window = MainWindow(theme, services)
        driver = Driver(qtbot, window, made)
        drivers.append(driver)
        window.show()
        if is_waiting:
            driver.until(lambda: window.context.has_services)
            driver.idle()
        return driver

    yield make
    for driver in drivers:
        driver.close()
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    theme.zoom(0)
    theme.force(None)


@pytest.fixture
def driver(open_window: Callable[..., Driver]) -> Driver:
    """A window whose services are open."""
    return open_window()
