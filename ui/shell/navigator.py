"""Navigation: the pages of the window, which of them is on show, and the ways between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMainWindow

from app.domain.errors import TunnelmarkError
from app.wording.messages import local_sentence
from ui.common.context import PageContext
from ui.common.operations import OperationRunner
from ui.common.page import Page
from ui.common.theme import Theme
from ui.common.thread_bridge import Bridge
from ui.shell.window_frame import Frame, Place

if TYPE_CHECKING:
    from app.domain.hosts import PairSpec
    from app.measurement.wizard import ComparisonWizard, Step
    from ui.comparison.hosts_page import HostsPage
    from ui.comparison.run_page import RunPage
    from ui.deployments.deploy_page import DeployPage
    from ui.deployments.deployments_page import DeploymentsPage
    from ui.results.history_page import PastResultsPage
    from ui.results.results_page import ResultsPage
    from ui.shell.step_list import StepList
    from ui.shell.welcome import WelcomePage

AREAS: Mapping[str, str] = {
    "welcome": "start",
    "history": "history",
    "past": "history",
    "changes": "history",
    "census": "census",
    "lint": "lint",
    "studies": "studies",
    "deploy": "deployment",
    "deployments": "deployment",
}
"""Pages that are no step, by name, and the area in the top bar that they belong to."""


class Navigator(QMainWindow):
    """Window that moves between its pages; everything beside them is made by the class below it.

    Attributes:
        runner: Does work outside the window's thread.
        bridge: Events and questions from there.
        context: The parts that pages share.
        frame: Bars and steps around the pages.
        current: The page on show.
    """

    ready = Signal()
    """The services are open."""
    page_shown = Signal(object)
    """Carries the page that is on show now."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.runner = OperationRunner(self)
        self.bridge = Bridge(self)
        self.context = PageContext(theme, self.runner, self.bridge, self.confirm_change)
        self._pages: dict[object, Page] = {}
        self._wanted: Step | None = None
        self._deploy_page = "deploy"
        self.current: Page | None = None
        self.frame = Frame()
        self.top, self.stack, self.footer = self.frame.top, self.frame.stack, self.frame.footer

    # --- what the window adds -----------------------------------------------------------------------------------------

    @property
    def is_closing(self) -> bool:
        """Whether the window waits for everything to end."""
        raise NotImplementedError

    def when_ready(self, action: Callable[[], None]) -> None:
        """Do something now, or as soon as the services are open."""
        raise NotImplementedError

    def make_step_page(self, step: Step) -> Page:
        """Return a new page for a step."""
        raise NotImplementedError

    def make_area_page(self, name: str) -> Page:
        """Return a new page that is no step."""
        raise NotImplementedError

    def begin_with_lab(self) -> None:
        """A new comparison on the practice lab."""
        raise NotImplementedError

    def begin_with_hosts(self) -> None:
        """A new comparison on the user's hosts."""
        raise NotImplementedError

    def resume_pair(self, pair_name: str, campaign_id: int | None = None) -> None:
        """Resume a comparison of a pair; without a number the newest that is unfinished."""
        raise NotImplementedError

    def confirm_change(self, invalid: tuple[Step, ...], take: Callable[[], None]) -> None:
        """Show which steps a change makes invalid, and take it if the user agrees."""
        raise NotImplementedError

    # --- pages --------------------------------------------------------------------------------------------------------

    @property
    def wizard(self) -> ComparisonWizard:
        """The comparison's state."""
        return self.context.wizard

    @property
    def steps(self) -> StepList:
        """The steps on the left."""
        return self.frame.steps

    @property
    def welcome(self) -> WelcomePage:
        """The first page."""
        return self.area_page("welcome")  # type: ignore[return-value]

    @property
    def hosts(self) -> HostsPage:
        """Step 1."""
        from app.measurement.wizard import Step

        return self.step_page(Step.HOSTS)  # type: ignore[return-value]

    @property
    def run_page(self) -> RunPage:
        """Step 5."""
        from app.measurement.wizard import Step

        return self.step_page(Step.RUN)  # type: ignore[return-value]

    @property
    def results(self) -> ResultsPage:
        """Step 6."""
        from app.measurement.wizard import Step

        return self.step_page(Step.RESULTS)  # type: ignore[return-value]

    @property
    def past(self) -> PastResultsPage:
        """Results that were opened from the history."""
        return self.area_page("past")  # type: ignore[return-value]

    @property
    def deploy(self) -> DeployPage:
        """The deploy page."""
        return self.area_page("deploy")  # type: ignore[return-value]

    @property
    def deployments(self) -> DeploymentsPage:
        """The running deployment."""
        return self.area_page("deployments")  # type: ignore[return-value]

    @property
    def is_measuring(self) -> bool:
        """Whether a comparison is running."""
        return self._is_running("run")  # a step is equal to its name

    @property
    def is_trying(self) -> bool:
        """Whether a census is running."""
        return self._is_running("census")

    @property
    def is_studying(self) -> bool:
        """Whether a part of a study is being measured."""
        return self._is_running("studies")

    @property
    def is_rolling(self) -> bool:
        """Whether a deployment or a removal is running."""
        return self._is_running("deploy")

    def _is_running(self, name: str) -> bool:
        return bool(getattr(self._pages.get(name), "is_running", False))

    def step_page(self, step: Step) -> Page:
        """Return a step's page, made when it is wanted for the first time."""
        return self._page(step, lambda: self.make_step_page(step))

    def area_page(self, name: str) -> Page:
        """Return a page that is no step, made when it is wanted for the first time."""
        return self._page(name, lambda: self.make_area_page(name))

    def _page(self, name: object, make: Callable[[], Page]) -> Page:
        if name not in self._pages:
            page = make()
            page.changed.connect(self.update_frame)
            page.status_reported.connect(self.show_status)
            page.left.connect(self._on_left)
            page.next_wanted.connect(self._focus_next)
            self._pages[name] = page
            self.stack.addWidget(page)
        return self._pages[name]

    def show_page(self, page: Page) -> None:
        """Show a page and put the focus on it."""
        self.current = page
        self.show_status("")
        page.enter()
        self.stack.setCurrentWidget(page)
        self.update_frame()
        focus = page.first_focus()
        if focus is not None:
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._focus_next()
        self.page_shown.emit(page)

    def _focus_next(self) -> None:
        if self.footer.next.isVisible() and self.footer.next.isEnabled():
            self.footer.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_welcome(self) -> None:
        """Show the first page."""
        self.show_page(self.welcome)

    def show_area(self, name: str) -> None:
        """Show a page that is no step, see `AREAS`."""
        if AREAS[name] == "deployment":
            self._deploy_page = name
        self.when_ready(lambda: self.show_page(self.area_page(name)))

    def _on_area(self, area: str) -> None:
        if area == "start":
            self.show_welcome()
        elif area == "comparison":
            self.when_ready(lambda: self.go(self.wizard.current))
        elif area == "deployment":
            self.show_deploy()
        else:
            self.area_page(area).origin = None  # chosen here, not from another page
            self.show_area(area)

    def show_past(self, campaign_id: int) -> None:
        """Show the results of a past comparison."""
        past = self.past
        self.show_page(past)
        past.show_campaign(campaign_id)

    def show_deploy(self) -> None:
        """Show the page of the deployment area that was shown last."""
        self.show_area(self._deploy_page)

    # --- moving -------------------------------------------------------------------------------------------------------

    def go(self, step: Step) -> None:
        """Show a step."""
        try:
            self.wizard.enter(step)
        except TunnelmarkError as error:
            self.show_status(local_sentence(error))
            return
        self.show_page(self.step_page(step))

    def choose_step(self, step: Step) -> None:
        """Show a step; on the way forward, what the page holds is taken first."""
        page, self._wanted = self.current, step
        if page is not None and step.number > self.wizard.current.number and page.has_untaken():
            page.go_next()
        else:
            self.go(step)

    def go_next(self) -> None:
        """Take what the page holds and go on."""
        self._wanted = None
        if self.footer.next.isEnabled() and self.current is not None:
            self.current.go_next()

    def show_previous(self) -> None:
        """Show the page before; typed text is kept."""
        from app.measurement.wizard import Step

        if not self.footer.back.isEnabled() or self.current is None:
            return
        if self.current.origin is not None:
            self.show_page(self.current.origin)
        elif self.current is self._pages.get("past"):
            self.show_area("history")
        elif self._area_of(self.current) or self.wizard.current is Step.HOSTS:
            self.show_welcome()
        else:
            self.go(list(Step)[self.wizard.current.number - 2])

    def cancel(self) -> None:
        """Stop what the page is doing."""
        if self.current is not None:
            self.current.cancel()

    def _on_left(self) -> None:
        from app.measurement.wizard import Step

        if self.wizard.current is not Step.RESULTS:
            self.go(self._wanted or list(Step)[self.wizard.current.number])

    # --- showing ------------------------------------------------------------------------------------------------------

    def _working_pair(self) -> PairSpec | None:
        pair: PairSpec | None = getattr(self.current, "working_pair", None)
        return pair if pair is not None else self.wizard.state.pair

    def show_status(self, sentence: str) -> None:
        """Show a sentence in the status line."""
        self.footer.show_status(sentence)

    def update_frame(self) -> None:
        """Show in the frame what can be done now."""
        page = self.current
        if page is None:
            return
        area = self._area_of(page)
        place = Place(
            area=area or "comparison",
            wizard=None if area else self.wizard,
            is_first=page is self._pages.get("welcome"),
            is_measuring=self.is_measuring,
            past=next((self.past for one in (page, page.origin) if one and one is self._pages.get("past")), None),
        )
        self.frame.show_place(page, place, can_deploy=self.context.can_deploy)
        if self.is_closing:
            self.frame.lock()

    def _area_of(self, page: Page) -> str:
        """Return the area that a page belongs to or was opened from; empty for the steps of a comparison."""
        area = next((area for name, area in AREAS.items() if self._pages.get(name) is page), "")
        return area if area or page.origin is None else self._area_of(page.origin)
