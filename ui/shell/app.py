"""Starts Qt and the window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from app.domain.paths import find_paths
from ui.common.context import ServicesFactory
from ui.common.theme import Theme
from ui.shell.geometry import WindowGeometry
from ui.shell.locale import use_locale
from ui.shell.single_instance import OnlyWindow, show_other
from ui.shell.window import MainWindow

if TYPE_CHECKING:
    from app.services.interfaces import ComparisonServices, Prompts

_UNSEEN = {"offscreen", "minimal"}
"""Qt platforms without a display."""

_SIGNAL_CHECK_MS = 250
_TAKEN = 1
"""Exit code where another window has the data folder."""


def real_services(prompts: Prompts) -> ComparisonServices:
    """Open the real services; imports what is heavy, so it is called in a worker thread."""
    from app.services.wiring import Services

    return Services(prompts=prompts)


def make_application() -> QApplication:
    """Return the one application, made where there is none yet."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName("tunnelmark")
    application.setApplicationDisplayName("Tunnelmark")
    application.setDesktopFileName("tunnelmark")
    return application


def run_window(
    services_factory: ServicesFactory = real_services,
    *,
    is_demo: bool = False,
    on_window: Callable[[MainWindow], None] | None = None,
    data_dir: Path | None = None,
) -> int:
    """Show the window until it is closed.

    Args:
        services_factory: Makes the services, in a worker thread.
        is_demo: Start the practice lab, compare, and write a report without being asked.
        on_window: Gets the window before it is shown.
        data_dir: The folder that no other window may use; None means the usual one.

    Returns:
        An exit code; 1 where another window has the data folder.
    """
    application = make_application()
    is_seen = application.platformName() not in _UNSEEN
    only = OnlyWindow(data_dir or find_paths().data_dir)
    if not only.take():
        show_other(only.report_other(), is_seen=is_seen)
        return _TAKEN
    use_locale(application, find_paths().settings)
    theme = Theme(application)
    memory = QSettings(str(find_paths().data_dir / "window.ini"), QSettings.Format.IniFormat, application)
    if is_seen:
        theme.restore(memory)
    window = MainWindow(theme, services_factory)
    application.setQuitOnLastWindowClosed(True)
    restore = _close_on_signals(window)
    demo = None
    if is_demo:
        from ui.shell.demo import Demo

        demo = Demo(window, is_seen=is_seen)
        window.ready.connect(demo.start)
    if is_seen:
        WindowGeometry(window, memory).restore()
    if on_window is not None:
        on_window(window)
    window.show()
    QTimer.singleShot(0, window, lambda: only.serve(window))
    status = application.exec()
    restore()
    only.release()
    return demo.exit_code if demo is not None and status == 0 else status


def _close_on_signals(window: MainWindow) -> Callable[[], None]:
    """Ctrl-C and a termination signal close the window as its button would, without asking."""
    signal_timer = QTimer(window)  # lets Python run its signal handlers
    signal_timer.setInterval(_SIGNAL_CHECK_MS)
    signal_timer.timeout.connect(lambda: None)
    signal_timer.start()
    former = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        former[number] = signal.signal(number, lambda _number, _frame: window.close_now())

    def restore() -> None:
        signal_timer.stop()
        for number, handler in former.items():
            signal.signal(number, handler)

    return restore
