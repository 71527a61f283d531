"""The one window: what belongs to it beside the pages, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent

from ui.common.colours import LIGHT
from ui.common.context import ServicesFactory
from ui.common.icons import make_icon
from ui.common.page import Page
from ui.common.theme import Theme
from ui.shell.collecting import Collector
from ui.shell.desk import Desk
from ui.shell.geometry import PREFERRED, SMALLEST
from ui.shell.help import Help
from ui.shell.navigator import Navigator
from ui.shell.prompting import PromptQueue
from ui.shell.running_elsewhere import Running
from ui.shell.shortcuts import add_shortcuts
from ui.shell.shutdown import Closing
from ui.shell.startup import Starting

if TYPE_CHECKING:
    from app.measurement.wizard import Step


class MainWindow(Navigator):
    """The one window."""

    closed = Signal()
    """Clean-up has finished; the application may exit."""

    def __init__(self, theme: Theme, open_services: ServicesFactory) -> None:
        super().__init__(theme)
        self.setWindowTitle("Tunnelmark")
        self.setWindowIcon(make_icon("app", LIGHT.accent, 0.0, 64))
        self.resize(PREFERRED)
        self.setMinimumSize(SMALLEST)
        self._collector = Collector(self)
        self._is_started = False
        self._closing = Closing(self)
        self.help, self.desk = Help(self), Desk(self)
        self.starting = Starting(self, open_services, self.desk.labs.refresh)
        self._build()
        self._prompts = PromptQueue(self, self._working_pair)
        self.bridge.host_key_asked.connect(self._prompts.ask_host_key)
        self.bridge.password_asked.connect(self._prompts.ask_password)
        self.bridge.reported.connect(self._show_report)
        self._running = Running(self)
        self.runner.changed.connect(self._closing.check)
        self.show_welcome()
        theme.attach(self)

    def _build(self) -> None:
        self.setCentralWidget(self.frame)
        self.frame.step_chosen.connect(self.choose_step)
        self.top.area_asked.connect(self._on_area)
        self.footer.next_asked.connect(self.go_next)
        self.footer.back_asked.connect(self.show_previous)
        add_shortcuts(self)

    # --- pages --------------------------------------------------------------------------------------------------------

    @property
    def is_closing(self) -> bool:
        """Whether the window waits for everything to end."""
        return self._closing.is_closing

    def when_ready(self, action: Callable[[], None]) -> None:
        """Do something now, or as soon as the services are open."""
        self.starting.when_ready(action)

    def make_step_page(self, step: Step) -> Page:
        """Return a new page for a step."""
        from ui.shell import step_pages

        return step_pages.make_page(step, self, self.desk.show_pairs, self.starting.refresh_offer)

    def make_area_page(self, name: str) -> Page:
        """Return a new page that is no step."""
        from ui.shell import area_pages

        return area_pages.make_page(name, self)

    def begin_with_lab(self) -> None:
        """A new comparison on the practice lab."""
        self._begin_new(lambda: self.hosts.use_lab())  # noqa: PLW0108 - made when wanted

    def begin_with_hosts(self) -> None:
        """A new comparison on the user's hosts."""
        self._begin_new(lambda: self.hosts.begin_new())  # noqa: PLW0108 - made when wanted

    def _begin_new(self, then: Callable[[], None]) -> None:
        def begin() -> None:
            from ui.shell.step_pages import begin_new

            begin_new(self, then)

        self.when_ready(begin)

    def resume_pair(self, pair_name: str, campaign_id: int | None = None) -> None:
        """Resume a comparison of a pair; without a number the newest that is unfinished."""
        from ui.shell.resume import resume_pair

        resume_pair(self, pair_name, campaign_id)

    def confirm_change(self, invalid: tuple[Step, ...], take: Callable[[], None]) -> None:
        """Show which steps a change makes invalid, and take it if the user agrees."""
        from ui.shell.step_pages import confirm_change

        confirm_change(self, invalid, take)

    def _show_report(self, sentence: str) -> None:
        if self.current is not None:
            self.current.notice.show_message("info", sentence)
        self.footer.status.setText(sentence)  # the notice has been read out

    def paintEvent(self, event: QPaintEvent) -> None:
        """Open the services once the first page has been drawn."""
        super().paintEvent(event)
        if not self._is_started:
            self._is_started = True
            QTimer.singleShot(0, self.starting.start)

    # --- end ----------------------------------------------------------------------------------------------------------

    def close_now(self) -> None:
        """End everything without asking; the window closes when both hosts are as they were."""
        self._closing.begin()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask where something is running; go only when everything has ended."""
        if self._closing.may_close():
            self.starting.rest()
            event.accept()
            self.closed.emit()
            return
        event.ignore()
        self._closing.ask()
