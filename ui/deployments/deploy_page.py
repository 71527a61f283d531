"""Deploy page: settings, dry run, deployment, confirmation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from app.deployment.events import Decision, DeploymentCountdown, DeploymentEvent
from app.deployment.slots import replaced_by_next
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DryRun, LanPort
from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.progress import ProgressSink
from ui.common.basics import ScrollPage, row
from ui.common.context import PageContext
from ui.common.deployment_preset import Wanted
from ui.common.dialogs import Question
from ui.common.operations import Operation
from ui.common.page import BusyLine, Page
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.deployments.progress_view import PAST_STOPPING, DeploymentProgress
from ui.deployments.setup import DeploymentSetup
from ui.deployments.task import DeploymentTask, WindowConfirmation
from ui.deployments.texts import what_returned
from ui.deployments.view_switch import AreaSwitch

if TYPE_CHECKING:
    from app.services.interfaces.comparison import ComparisonServices
    from app.services.interfaces.deployments import DeploymentServices

    class DeployServices(ComparisonServices, DeploymentServices):
        """Services that the page needs from the window."""


@dataclass(frozen=True, slots=True)
class _StoredPairs:
    pairs: tuple[PairSpec, ...]
    deployments: tuple[Deployment, ...]


class DeployPage(Page):
    """Two views: settings with their dry run, and the running deployment."""

    deployments_asked = Signal()
    """The other page of this area is requested."""
    lab_chosen = Signal()
    attention_wanted = Signal()
    """The user has to answer a question here."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Deploy"))
        self._wanted: Wanted | None = None
        self._deployments: tuple[Deployment, ...] = ()
        self._rolling: Operation | None = None
        self._confirmation = WindowConfirmation()
        self._has_no_pair = False
        self._shown_pair = ""
        self.switch = AreaSwitch("deploy")
        self.switch.other_asked.connect(self.deployments_asked)
        self.busy = BusyLine()
        self.setup = DeploymentSetup(context.theme, self.inspect, self.start_dry_run, self.start_deployment)
        self.form, self.firewalls, self.view = self.setup.form, self.setup.firewalls, self.setup.view
        self.ask_hosts, self.preview, self.deploy = self.setup.ask_hosts, self.setup.preview, self.setup.deploy
        self.hint, self.empty = self.setup.hint, self.setup.empty
        self.form.changed.connect(self._show_replaced)
        self.live = DeploymentProgress(context.theme)
        self._lay_out()
        self.live.stop_asked.connect(self.cancel)
        self.live.countdown.decided.connect(self._decide)
        context.bridge.deployment_event.connect(self._on_event)

    def _lay_out(self) -> None:
        self.body.setSpacing(GRID)
        self.body.removeWidget(self.title)
        self.title.setWordWrap(False)
        self.body.insertLayout(0, row(self.title, 2 * GRID, self.switch, 0))
        self.faces = QStackedWidget()
        self._choice = ScrollPage(self.setup, max_width_px=None)
        self.faces.addWidget(self._choice)
        self.faces.addWidget(self.live)
        self.body.addWidget(self.busy)
        self.body.addWidget(self.faces, 1)

    # --- the page's life ----------------------------------------------------------------------------------------------

    @property
    def _services(self) -> DeployServices:
        return cast("DeployServices", self.context.services)

    @property
    def is_running(self) -> bool:
        """Whether hosts are being changed."""
        return self._rolling is not None and self._rolling.is_running

    @property
    def dry_run(self) -> DryRun | None:
        """Result of the last dry run."""
        return self.setup.dry_run

    def is_changing(self, pair_name: str) -> bool:
        """Whether it is this pair that is being changed."""
        return self.is_running and self.live.task is not None and self.live.task.pair.name == pair_name

    @property
    def closing_words(self) -> tuple[str, str, str]:
        """Return what closing the window now would mean: a title, sentences, and the word on the button."""
        task = self.live.task
        former = what_returned(task.former if task is not None else "")
        if self.live.countdown.is_open:
            text = tr(
                "Closing rejects it: both hosts roll back %1, then the window closes. If this computer is "
                "switched off instead, they roll back automatically when the time is up."
            )
            title = tr("The new tunnel has not been confirmed")
            return title, text.replace("%1", former), tr("Roll back and close")
        if self.live.stage in PAST_STOPPING or (task is not None and not task.can_be_stopped):
            text = tr("The current operation is completed first (a few seconds), then the window closes.")
            return tr("A deployment is being finished"), text, tr("Close when finished")
        text = tr(
            "Closing stops it: both hosts roll back %1, then the window closes. If this computer is switched "
            "off instead, they roll back automatically once they lose contact with it."
        )
        return tr("A deployment is running"), text.replace("%1", former), tr("Stop, roll back and close")

    def enter(self) -> None:
        """Read the stored pairs and their deployments."""
        self.switch.show_area()
        is_busy = self.operation is not None and self.operation.is_running
        if self.is_running or (is_busy and self._wanted is None):
            return
        self.form.preset_confirm(self.context.preferences.confirm_within_s)
        services = self._services
        self.start(tr("Reading stored pairs"), lambda _token, _report: _stored(services), self._show_stored)

    def take_settings(self) -> None:
        """Preselect another time to confirm."""
        if not self.is_running:
            self.form.preset_confirm(self.context.preferences.confirm_within_s)

    def take_pairs(self) -> None:
        """Offer other pairs."""
        self.enter()

    def first_focus(self) -> QWidget | None:
        """The countdown while there is one, else what comes next."""
        if self.faces.currentWidget() is self.live:
            return self.live.countdown if self.live.countdown.is_open else self.live.stages
        return self.setup.next_button or self.form.pairs

    def cancel(self) -> bool:
        """Stop a deployment after a question; stop anything else immediately."""
        if not self.is_running:
            return super().cancel()
        if not (self.live.countdown.is_open or (self.live.stop.isVisible() and self.live.stop.isEnabled())):
            return True
        task = self.live.task
        former = what_returned(task.former if task is not None else "")
        Question(
            self.window(),
            tr("Stop the deployment?"),
            tr("Both hosts then roll back %1.", former),
            tr("Stop and roll back"),
            tr("Continue"),
            "warning",
        ).ask(self.end_now)
        return True

    def want(self, wanted: Wanted) -> None:
        """Fill in a preset, and inspect the hosts."""
        if self.is_running:
            return
        self.faces.setCurrentWidget(self._choice)
        self._wanted = wanted
        self.form.show_wanted(wanted)

    def _show_stored(self, stored: _StoredPairs) -> None:
        self._deployments = stored.deployments
        self.form.show_pairs(stored.pairs)
        self._show_replaced()
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.form.show_wanted(wanted)
            self.inspect()
        elif not stored.pairs:
            self._has_no_pair = True
            self.notice.show_message(
                "info",
                tr("There is no pair yet."),
                tr("Add two hosts in a comparison first, or start the practice lab, where nothing can break."),
                {tr("Start the practice lab"): self.lab_chosen.emit},
            )
        elif self._has_no_pair:
            self._has_no_pair = False
            self.notice.clear()

    def _show_replaced(self) -> None:
        """Show what would be replaced on the chosen pair."""
        pair = self.form.pair
        name = pair.name if pair is not None else ""
        if name != self._shown_pair and not self.is_running:
            self.notice.clear()  # it was about another pair
        self._shown_pair = name
        replaced = replaced_by_next(pair, self._deployments) if pair is not None else None
        self.setup.show_replaced(replaced)
        if not self.is_running:
            self._name_page(is_replacing=replaced is not None)

    def _name_page(self, *, is_replacing: bool) -> None:
        title = tr("Replace a tunnel") if is_replacing else tr("Deploy")
        if self.title.text() != title:
            self.title.setText(title)
            self.setAccessibleName(title)

    # --- inspection ---------------------------------------------------------------------------------------------------

    def inspect(self) -> None:
        """Find out what both hosts can do, and which ports they have."""
        pair = self.form.pair
        if pair is None:
            return
        services = self._services

        def job(token: CancelToken, report: ProgressSink) -> tuple[Discovery, tuple[LanPort, ...]]:
            services.refuse_if_in_use(pair)  # inspecting hosts disturbs what is measured on them
            found = services.discover(pair, token=token, on_progress=report)
            return found, services.lan_ports(found, token=token)

        self.notice.clear()
        self.start(tr("Inspecting both hosts"), job, lambda seen: self._show_found(*seen), busy=self.busy)

    def _show_found(self, discovery: Discovery, ports: Sequence[LanPort]) -> None:
        if self.form.pair is None or self.form.pair.name != discovery.pair.name:
            return
        self.setup.show_found(discovery, ports)
        self._lead_focus(self.setup.next_button)
        self.status_reported.emit(tr("Both hosts were inspected"))

    # --- dry run ------------------------------------------------------------------------------------------------------

    def start_dry_run(self) -> None:
        """Find out what would be done."""
        discovery, key, choice, services = self.setup.discovery, self.form.key, self.setup.choice, self._services
        if discovery is None or key is None or self.form.refusal:
            return

        def show(run: DryRun) -> None:
            self.setup.show_run(run, choice, self._title_of(run.replaces))
            # Once the page has its new height: the preview has to be read before the deployment.
            QTimer.singleShot(0, self, self._show_what_would_be_done)
            self.status_reported.emit(tr("Nothing has been changed"))

        self.notice.clear()
        self.start(
            tr("Dry run: reading what is on both hosts"),
            lambda token, report: services.dry_run(discovery, key, choice[2], token=token, on_progress=report),
            show,
            busy=self.busy,
        )

    def _show_what_would_be_done(self) -> None:
        """Scroll until the dry run, and the buttons above it, are in sight, and let the keyboard read it."""
        if self.setup.view.isVisible():
            self._choice.ensureWidgetVisible(self.setup.view, 0, 0)
            self._lead_focus(self.setup.view.tabBar())

    def _lead_focus(self, following: QWidget | None) -> None:
        """Move the focus from the button of an operation that has ended to what follows it."""
        holder = QApplication.focusWidget()
        is_on_button = holder is None or holder in (self.ask_hosts, self.preview, self)
        if following is not None and self.isVisible() and is_on_button:
            following.setFocus(Qt.FocusReason.OtherFocusReason)

    def _title_of(self, deployment_id: str) -> str:
        return next((one.title for one in self._deployments if one.id == deployment_id), "")

    # --- deployment ---------------------------------------------------------------------------------------------------

    def start_deployment(self) -> None:
        """Deploy what the dry run showed."""
        discovery, key, run, services = self.setup.discovery, self.form.key, self.dry_run, self._services
        pair, options = self.form.pair, self.form.options
        if discovery is None or key is None or run is None or pair is None or not self.deploy.isEnabled():
            return
        self.begin(
            DeploymentTask(
                tr("Deploying"),
                run.title,
                pair,
                lambda token, emit, confirmation: services.deploy(
                    discovery, key, options, token=token, emit=emit, confirmation=confirmation
                ),
                self._title_of(run.replaces) or run.replaces,
                options.confirm_within_s,
                is_replacing=bool(run.replaces),
            )
        )

    def begin(self, task: DeploymentTask) -> None:
        """Do something on a pair where it can be watched."""
        if self.is_running:
            self.status_reported.emit(tr("Another deployment is running. Wait until it has finished."))
            return
        self._confirmation = confirmation = WindowConfirmation()
        emit = self.context.bridge.deployment_event.emit
        self.notice.clear()
        self.setup.forget_run()
        self.faces.setCurrentWidget(self.live)
        self._name_page(is_replacing=task.is_replacing)
        self.live.begin(task)
        self._rolling = self.start(
            task.name,
            lambda token, _report: task.job(token, emit, confirmation),
            self._on_ended,
            on_failure=self._on_fault,
        )
        self.live.stages.setFocus()

    def end_now(self) -> None:
        """Stop a deployment that blocks closing, unless the hosts are confirming or rolling back already."""
        task = self.live.task
        if self._rolling is None or not self.is_running or (task is not None and not task.can_be_stopped):
            return
        if self.live.countdown.is_open:
            self.live.countdown.roll_back.click()
        elif self.live.stage not in PAST_STOPPING:
            self.live.stopping()
            self._rolling.cancel()

    def _decide(self, decision: Decision) -> None:
        self._confirmation.decide(decision)
        (self.live.countdown if decision is Decision.EXTEND else self.live.stages).setFocus()

    def _on_event(self, event: DeploymentEvent) -> None:
        if not self.is_running:
            return
        was_open = self.live.countdown.is_open
        self.live.feed(event)
        if isinstance(event, DeploymentCountdown) and not was_open and self.live.countdown.is_open:
            QApplication.alert(self.window())
            self.attention_wanted.emit()
            self.live.countdown.setFocus()

    def _on_ended(self, deployment: Deployment) -> None:
        words = tr("Show deployed tunnels") if deployment.state.is_on_host else tr("Deployed tunnels")
        self.live.show_ended(deployment, {words: self.deployments_asked.emit, **self._back()})
        self._after()

    def _on_fault(self, error: TunnelmarkError) -> None:
        self.live.show_error(error, self._back())
        self._after()

    def _stopped(self, busy: BusyLine | None, name: str) -> None:
        super()._stopped(busy, name)
        if self.operation is self._rolling and self.faces.currentWidget() is self.live:
            self.live.show_cancelled(self._back())
            self._after()

    def _back(self) -> dict[str, Callable[[], object]]:
        return {tr("Back to the settings"): self.show_choice}

    def show_choice(self) -> None:
        """Show the form again; what was typed is still there."""
        self.faces.setCurrentWidget(self._choice)
        self._show_replaced()
        self.enter()
        self.setup.show_actions()

    def _after(self) -> None:
        task = self.live.task
        self.status_reported.emit(self.live.outcome if task is not None else "")
        self.changed.emit()


def _stored(services: DeployServices) -> _StoredPairs:
    deployments = services.deployments()
    pairs = {choice.pair.name: choice.pair for choice in services.pairs()}
    for one in deployments:
        pairs.setdefault(one.pair.name, one.pair)
    return _StoredPairs(tuple(pairs.values()), deployments)
