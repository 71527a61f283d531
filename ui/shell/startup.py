"""Startup: open the services behind the first page, and find unfinished comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.domain.errors import TunnelmarkError
from app.wording.messages import local_sentence
from ui.common.context import ServicesFactory
from ui.common.texts import tr
from ui.common.thread_bridge import Bridge
from ui.shell.warming import Warming, import_without_qt

if TYPE_CHECKING:
    from app.services.interfaces import ComparisonServices
    from ui.shell.navigator import Navigator

_LAB_CHECK_MS = 5_000
_NOTHING = ("", 0)
"""No pair, and no number of a comparison."""


class Starting:
    """Belongs to a window.

    Args:
        refresh_labs: Shows which practice labs run now.
    """

    def __init__(self, window: Navigator, open_services: ServicesFactory, refresh_labs: Callable[[], None]) -> None:
        self._window = window
        self._open_services = open_services
        self._refresh_labs = refresh_labs
        self._pending: Callable[[], None] | None = None
        self._warming = Warming(window)
        self._lab_timer = QTimer(window)
        self._lab_timer.setInterval(_LAB_CHECK_MS)
        self._lab_timer.timeout.connect(self._check_labs)
        window.page_shown.connect(self.refresh_offer)

    def start(self) -> None:
        """Open the services."""
        window = self._window
        if window.is_closing:
            return
        if window.current is not None:
            window.current.notice.clear()
        window.show_status(tr("Opening the database"))
        prompts, make = window.bridge, self._open_services
        window.runner.run(
            tr("Opening the database"),
            lambda _token, _report: _opened(make, prompts),
            on_success=self._on_services,
            on_failure=self._on_no_services,
        )

    def when_ready(self, action: Callable[[], None]) -> None:
        """Do something now, or as soon as the services are open."""
        if self._window.context.has_services:
            action()
        else:
            self._pending = action
            self._window.show_status(tr("Opening the database…"))

    def refresh_offer(self) -> None:
        """Offer on Start, if it is on show, what can be resumed by now."""
        window = self._window
        if window.current is not window.welcome or not window.context.has_services or window.is_closing:
            return
        if window.is_measuring:
            window.welcome.offer_resume("")
        else:
            self._find_unfinished()

    def rest(self) -> None:
        """Stop the search for unfinished comparisons."""
        self._lab_timer.stop()

    def _on_services(self, services: ComparisonServices) -> None:
        window = self._window
        window.context.take_services(services)
        window.show_status(tr("Ready"))
        self._check_labs()
        self._lab_timer.start()
        self._find_unfinished()
        window.update_frame()
        window.ready.emit()
        self._warming.start()
        pending, self._pending = self._pending, None
        if pending is not None:
            pending()

    def _on_no_services(self, error: TunnelmarkError) -> None:
        if self._window.current is not None:
            self._window.current.notice.show_error(error, {tr("Try again"): self.start})
        self._window.update_frame()

    def _find_unfinished(self) -> None:
        window, services = self._window, self._window.context.services
        window.runner.run(
            tr("Checking for unfinished comparisons"),
            lambda _token, _report: _resumable(services),
            on_success=lambda found: window.welcome.offer_resume(*(_NOTHING if window.is_measuring else found)),
            on_failure=lambda error: window.show_status(local_sentence(error)),
            is_quiet=True,
        )

    def _check_labs(self) -> None:
        if not self._window.is_measuring:
            self._refresh_labs()


def _opened(make: ServicesFactory, prompts: Bridge) -> ComparisonServices:
    """Open the services, and import what later pages need, so that the window's thread does not wait for it."""
    services = make(prompts)
    import_without_qt()
    return services


def _resumable(services: ComparisonServices) -> tuple[str, int]:
    """Return a pair's name and the number of its newest comparison, if that can be resumed now; else an empty name.

    The history resumes older ones as well.
    """
    from app.domain.history import EntryKind  # in a worker thread: the first window needs none of it

    newest: dict[str, int] = {}
    for entry in services.history():
        if entry.kind is EntryKind.COMPARISON and entry.id is not None:
            newest[entry.pair] = max(entry.id.number, newest.get(entry.pair, 0))
    for choice in services.pairs():
        campaign_id = services.unfinished(choice.pair.name)
        if campaign_id is None or campaign_id < newest.get(choice.pair.name, 0):
            continue
        if not (choice.pair.is_lab and services.is_lab_gone(services.record(campaign_id))):
            return choice.pair.name, campaign_id
    return _NOTHING
