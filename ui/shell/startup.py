"""Startup: open the services behind the first page, and find unfinished comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.domain.errors import TunnelmarkError
from ui.common.context import ServicesFactory
from ui.common.texts import tr
from ui.common.thread_bridge import Bridge
from ui.shell.warming import Warming, import_without_qt

if TYPE_CHECKING:
    from app.services.interfaces import ComparisonServices
    from ui.shell.window import MainWindow

_LAB_LOOK_MS = 5_000


class Starting:
    """Belongs to a window."""

    def __init__(self, window: MainWindow, open_services: ServicesFactory) -> None:
        self._window = window
        self._open_services = open_services
        self._pending: Callable[[], None] | None = None
        self._warming = Warming(window)
        self._lab_timer = QTimer(window)
        self._lab_timer.setInterval(_LAB_LOOK_MS)
        self._lab_timer.timeout.connect(self._look_at_labs)
        window.page_shown.connect(self.refresh_offer)

    def start(self) -> None:
        """Open the services."""
        window = self._window
        if window.is_closing:
            return
        if window.current is not None:
            window.current.notice.clear()
        window.say(tr("Opening the database"))
        prompts, make = window.bridge, self._open_services
        window.runner.run(
            tr("Opening the database"),
            lambda _token, _tell: _opened(make, prompts),
            on_success=self._on_services,
            on_failure=self._on_no_services,
        )

    def when_ready(self, action: Callable[[], None]) -> None:
        """Do something now, or as soon as the services are open."""
        if self._window.context.has_services:
            action()
        else:
            self._pending = action
            self._window.say(tr("Opening the database…"))

    def refresh_offer(self) -> None:
        """Offer on Start, if it is on show, what can be resumed by now."""
        window = self._window
        if window.current is not window.welcome or not window.context.has_services or window.is_closing:
            return
        if window.is_measuring:
            window.welcome.offer_resume("")
        else:
            self._look_for_unfinished()

    def rest(self) -> None:
        """Stop the search for unfinished comparisons."""
        self._lab_timer.stop()

    def _on_services(self, services: ComparisonServices) -> None:
        window = self._window
        window.context.take_services(services)
        window.say(tr("Ready"))
        self._look_at_labs()
        self._lab_timer.start()
        self._look_for_unfinished()
        window.update_frame()
        window.ready.emit()
        self._warming.start()
        pending, self._pending = self._pending, None
        if pending is not None:
            pending()

    def _on_no_services(self, error: TunnelmarkError) -> None:
        if self._window.current is not None:
            self._window.current.notice.say_error(error, {tr("Try again"): self.start})
        self._window.update_frame()

    def _look_for_unfinished(self) -> None:
        window, services = self._window, self._window.context.services
        window.runner.run(
            tr("Checking for unfinished comparisons"),
            lambda _token, _tell: _resumable(services),
            on_success=lambda name: window.welcome.offer_resume("" if window.is_measuring else name),
            on_failure=lambda error: window.say(error.sentence()),
            is_quiet=True,
        )

    def _look_at_labs(self) -> None:
        window = self._window
        if window.is_measuring:
            return
        window.desk.labs.refresh()


def _opened(make: ServicesFactory, prompts: Bridge) -> ComparisonServices:
    """Open the services, and import what later pages need, so that the window's thread does not wait for it."""
    services = make(prompts)
    import_without_qt()
    return services


def _resumable(services: ComparisonServices) -> str:
    """Return the name of a pair with a comparison that can be resumed now; empty if there is none."""
    for choice in services.pairs():
        campaign_id = services.unfinished(choice.pair.name)
        if campaign_id is None:
            continue
        if not (choice.pair.is_lab and services.is_lab_gone(services.record(campaign_id))):
            return choice.pair.name
    return ""
