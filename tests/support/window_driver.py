"""A window on services that touch nothing, and what tests do with it again and again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from fake_services import FakeServices
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from sample_records import pair

from app.domain.profiles import PROFILES
from app.measurement.control import CampaignControl
from app.measurement.wizard import DEFAULT_OPTIONS, Step
from app.ranking.outcome import outcome_of
from ui.common.dialogs import Question
from ui.common.page import Page
from ui.shell.window import MainWindow

WAIT_MS = 120_000
SomePage = TypeVar("SomePage", bound=Page)


class Driver:
    """A window with its services, and what tests do with it again and again."""

    def __init__(self, qtbot: QtBot, window: MainWindow, made: list[FakeServices], *, wait_ms: int = WAIT_MS) -> None:
        self.qtbot = qtbot
        self._wait_ms = wait_ms
        self.window = window
        self._made = made

    @property
    def services(self) -> FakeServices:
        return self._made[-1]

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=self._wait_ms)

    def idle(self) -> None:
        """Wait until nothing runs, and give widgets the room that they ask for with what was found."""
        self.until(self._is_at_rest)
        self.lay_out()

    def _is_at_rest(self) -> bool:
        """Whether nothing runs, also after what Qt has queued: that may begin something, or show a result."""
        if self.window.runner.running:
            return False
        QCoreApplication.processEvents()
        return not self.window.runner.running

    @staticmethod
    def lay_out() -> None:
        """Let layouts follow what was set: the event for it may not have been handled yet."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)

    def page(self, kind: type[SomePage]) -> SomePage:
        """Wait until a page of this kind is shown and nothing runs."""
        self.until(lambda: isinstance(self.window.current, kind))
        self.idle()
        shown = self.window.current
        assert isinstance(shown, kind)
        return shown

    def inspect_hosts(self) -> None:
        self.window.begin_with_hosts()
        self.window.hosts.show_pair(pair())
        self.window.hosts.discover()
        self.until(lambda: self.window.wizard.state.discovery is not None)
        self.idle()

    def next(self) -> None:
        self.until(self.window.footer.next.isEnabled)
        self.window.go_next()
        self.idle_unless_running()

    def idle_unless_running(self) -> None:
        self.until(lambda: self.window.is_measuring or not self.window.runner.running)

    def compare(self) -> None:
        """Have the default candidates measured as the pages would, without showing these, and show the results."""
        if self.window.wizard.state.discovery is None:
            self.inspect_hosts()
        wizard, services = self.window.wizard, self.services
        found = wizard.state.discovery
        assert found is not None
        wizard.confirm_link(found.link, found.pair)
        wizard.choose(wizard.state.chosen)
        with ThreadPoolExecutor(1) as worker:  # services are never called on the window's thread
            options = wizard.state.options
            if options == DEFAULT_OPTIONS:  # as the page Plan does it
                options = replace(options, profile=PROFILES[services.kept.profile])
            plan = worker.submit(services.plan, found, wizard.state.chosen, options).result()
            control = CampaignControl(is_attended=True)
            record = worker.submit(services.run, found, plan, control=control, emit=lambda _: None).result()
        wizard.set_plan(plan)
        wizard.set_campaign(record.campaign_id, has_failures=bool(outcome_of(record).failed))
        self.window.go(Step.RESULTS)

    def go_to(self, step: Step) -> None:
        if self.window.wizard.state.discovery is None:
            self.inspect_hosts()
        while self.window.wizard.current is not step:
            before = self.window.wizard.current
            self.next()
            if self.window.wizard.current is Step.RUN and step is Step.RESULTS:
                self.until(lambda: not self.window.is_measuring)
            assert self.window.wizard.current is not before, f"stuck at {before}"

    def dialog(self) -> Question:
        found: list[Question] = []

        def is_there() -> bool:
            found[:] = [d for d in self.window.findChildren(Question) if d.isVisible()]
            return bool(found)

        self.until(is_there)
        return found[0]

    def press(
        self, widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        self.qtbot.keyClick(widget, key, modifier)

    def click(self, target: QPushButton) -> None:
        """Click a button; Qt shows one that is new in a visible layout only at the next event."""
        self.until(lambda: target.isEnabled() and target.isVisible())
        self.qtbot.mouseClick(target, Qt.MouseButton.LeftButton)

    def close(self) -> None:
        """End whatever runs, and wait until the window is gone."""
        window = self.window
        for dialog in window.findChildren(QDialog):
            dialog.close()
        if self._made:
            self.services.cleanup.set()
        window.close_now()
        self.until(lambda: not window.isVisible() and not window.runner.running)
        window.deleteLater()
        QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
