"""Rolling out: choose, see what would be done, have it done, say that it is to stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.domain.cancel import CancelToken
from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.rollout import Deployment, DryRun, RolloutOptions
from app.domain.rollout_events import Decision, RolloutCountdown, RolloutEvent
from app.wizard import Discovery
from app.wizard.ports import ProgressSink
from app.wizard.rollout_ports import LanPort
from ui.context import Context
from ui.icons import set_icon
from ui.operations import Operation
from ui.pages.base import BusyLine, Page
from ui.rollout_task import RolloutTask, WindowConfirmation
from ui.rollout_texts import what_went_back
from ui.texts import tr
from ui.theme import GRID
from ui.widgets.area_switch import AreaSwitch
from ui.widgets.basics import button, label, row, set_look
from ui.widgets.dialogs import Question
from ui.widgets.dry_run_view import DryRunView
from ui.widgets.firewall_consent import FirewallConsent
from ui.widgets.rollout_form import Key, RolloutForm, Wanted
from ui.widgets.rollout_live import PAST_STOPPING, RolloutLive

if TYPE_CHECKING:
    from app.wizard.ports import ComparisonServices
    from app.wizard.rollout_ports import RolloutServices

    class Services(ComparisonServices, RolloutServices):
        """What the window's services are where this page is reachable."""


Choice = tuple[str, Key | None, RolloutOptions]
"""Pair, solution and suite, and the rest: a dry run is of one of these."""


@dataclass(frozen=True, slots=True)
class _Stored:
    pairs: tuple[PairSpec, ...]
    deployments: tuple[Deployment, ...]


class DeployPage(Page):
    """Two faces: the choice with its dry run, and the roll-out while it happens."""

    standing_asked = Signal()
    """The other page of this area is wanted."""
    lab_chosen = Signal()
    attention_wanted = Signal()
    """The user has to answer something here."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, tr("Roll out"))
        self._wanted: Wanted | None = None
        self._discovery: Discovery | None = None
        self._deployments: tuple[Deployment, ...] = ()
        self._run_of: Choice | None = None
        self._rolling: Operation | None = None
        self._confirmation = WindowConfirmation()
        self._has_no_pair = False
        self.dry_run: DryRun | None = None
        self.switch = AreaSwitch("deploy")
        self.switch.other_asked.connect(self.standing_asked)
        self.busy = BusyLine()
        self.form = RolloutForm()
        self.ask_hosts = button(tr("Look at bot&h hosts"), "host", on_click=self.look)
        self.preview = button(tr("&Dry run"), "search", look="primary", on_click=self.look_ahead)
        self.deploy = button(tr("R&oll out"), "rollout", on_click=self.roll_out)
        self.hint = label("", "muted")
        self.firewalls = FirewallConsent()
        self.firewalls.measuring.hide()
        self.firewalls.changed.connect(self._on_consent)
        self.view = DryRunView(context.theme)
        self.empty = label("", "muted")
        self.live = RolloutLive(context.theme)
        self._lay_out()
        self.form.changed.connect(self._on_choice)
        self.live.stop_asked.connect(self.cancel)
        self.live.countdown.decided.connect(self._decide)
        context.bridge.rollout_event.connect(self._on_event)
        self._on_choice()

    def _lay_out(self) -> None:
        self.body.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID)
        self.body.setSpacing(GRID)
        self.body.removeWidget(self.title)
        self.title.setWordWrap(False)
        self.body.insertLayout(0, row(self.title, 2 * GRID, self.switch, 0))
        actions = row(self.ask_hosts, self.preview, self.deploy, GRID, self.hint)
        actions.setStretch(4, 1)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._setup = QWidget()
        setup = QVBoxLayout(self._setup)
        setup.setContentsMargins(0, 0, 0, 0)
        setup.setSpacing(GRID)
        setup.addWidget(self.form)
        setup.addWidget(self.firewalls)
        setup.addLayout(actions)
        setup.addWidget(self.view, 1)
        setup.addWidget(self.empty, 1)
        self.faces = QStackedWidget()
        self.faces.addWidget(self._setup)
        self.faces.addWidget(self.live)
        self.body.addWidget(self.busy)
        self.body.addWidget(self.faces, 1)

    # --- the page's life ----------------------------------------------------------------------------------------------

    @property
    def _services(self) -> Services:
        return cast("Services", self.context.services)

    @property
    def is_running(self) -> bool:
        """Whether hosts are being changed."""
        return self._rolling is not None and self._rolling.is_running

    def is_changing(self, pair_name: str) -> bool:
        """Whether it is this pair that is being changed."""
        return self.is_running and self.live.task is not None and self.live.task.pair.name == pair_name

    @property
    def closing_words(self) -> tuple[str, str]:
        """Return what closing the window now would mean: a title and sentences."""
        task = self.live.task
        former = what_went_back(task.former if task is not None else "")
        if self.live.countdown.is_open:
            return tr("Nobody has said yet that the new tunnel is to stay"), tr(
                "Closing means no: both hosts go back %1, and the window closes when that is done. If this computer is "
                "switched off instead, they do the same by themselves when the time is up."
            ).replace("%1", former)
        if self.live.stage in PAST_STOPPING or (task is not None and not task.can_be_stopped):
            return tr("A roll-out is about to end"), tr(
                "What the hosts were told is carried through, which takes some seconds; then the window closes."
            )
        return tr("A roll-out is running"), tr(
            "Closing stops it: both hosts go back %1, and the window closes when that is done. If this computer is "
            "switched off instead, they do the same by themselves as soon as they no longer hear of it."
        ).replace("%1", former)

    def enter(self) -> None:
        """Read which pairs there are and what stands on them."""
        self.switch.show_area()
        is_busy = self.operation is not None and self.operation.is_running
        if self.is_running or (is_busy and self._wanted is None):
            return
        services = self._services
        self.start(tr("Reading stored pairs"), lambda _token, _tell: _stored(services), self._show_stored)

    def first_focus(self) -> QWidget | None:
        """The countdown while there is one, else what comes next."""
        if self.faces.currentWidget() is self.live:
            return self.live.countdown if self.live.countdown.is_open else self.live.stages
        return next((one for one in (self.deploy, self.preview, self.ask_hosts) if one.isEnabled()), self.form.pairs)

    def cancel(self) -> bool:
        """Stop a roll-out after a question; anything else at once."""
        if not self.is_running:
            return super().cancel()
        if not (self.live.countdown.is_open or (self.live.stop.isVisible() and self.live.stop.isEnabled())):
            return True
        task = self.live.task
        former = what_went_back(task.former if task is not None else "")
        Question(
            self.window(),
            tr("Stop the roll-out?"),
            tr("Both hosts then go back %1.").replace("%1", former),
            tr("Stop it"),
            tr("Go on"),
            "stop",
        ).ask(self.end_now)
        return True

    def want(self, wanted: Wanted) -> None:
        """Fill in what is wanted, and look at the hosts."""
        if self.is_running:
            return
        self.faces.setCurrentWidget(self._setup)
        self._wanted = wanted
        self.form.show_wanted(wanted)

    def _show_stored(self, stored: _Stored) -> None:
        self._deployments = stored.deployments
        self.form.show_pairs(stored.pairs)
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.form.show_wanted(wanted)
            self.look()
        elif not stored.pairs:
            self._has_no_pair = True
            self.notice.say(
                "info",
                tr("There is no pair yet."),
                tr("Enter two hosts in a comparison first, or start the practice lab, where nothing can happen."),
                {tr("Start the practice lab"): self.lab_chosen.emit},
            )
        elif self._has_no_pair:
            self._has_no_pair = False
            self.notice.clear()

    # --- looking ------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Find out what both hosts can do, and which ports they have."""
        pair = self.form.pair
        if pair is None:
            return
        services = self._services

        def job(token: CancelToken, tell: ProgressSink) -> tuple[Discovery, tuple[LanPort, ...]]:
            found = services.discover(pair, token=token, on_progress=tell)
            return found, services.lan_ports(found, token=token)

        self.notice.clear()
        self.start(tr("Looking at both hosts"), job, lambda seen: self._show_found(*seen), busy=self.busy)

    def _show_found(self, discovery: Discovery, ports: Sequence[LanPort]) -> None:
        if self.form.pair is None or self.form.pair.name != discovery.pair.name:
            return
        self._discovery = discovery
        deployable = [one for one in discovery.candidates if one.solution != "baseline"]
        self.form.show_found(deployable, ports)
        self._show_firewalls()
        self.status_told.emit(tr("Both hosts have been looked at"))

    def _on_choice(self) -> None:
        pair = self.form.pair
        if self._discovery is not None and (pair is None or pair.name != self._discovery.pair.name):
            self._discovery = None
            self.form.forget_found()
        self._show_firewalls()
        self._show_actions()

    def _show_firewalls(self) -> None:
        key = self.form.key
        if self._discovery is None or key is None:
            self.firewalls.hide()
        else:
            self.firewalls.show_blocked(self._discovery, key[0])

    def _on_consent(self) -> None:
        if self._discovery is not None:
            pair = replace(self._discovery.pair, may_open_firewall=self.firewalls.may_open)
            self._discovery = replace(self._discovery, pair=pair)
            # The last dry run was without the rules, or with them.
            self._run_of = None
        self._show_actions()

    def _choice(self) -> Choice:
        pair = self.form.pair
        return (pair.name if pair is not None else ""), self.form.key, self.form.options

    def _show_actions(self) -> None:
        refusal = self.form.refusal
        is_seen = self.dry_run is not None and self._run_of == self._choice()
        is_ready = is_seen and self.dry_run is not None and self.dry_run.is_possible and not refusal
        self.preview.setEnabled(not refusal)
        self.deploy.setEnabled(is_ready)
        steps = ((self.ask_hosts, "host"), (self.preview, "search"), (self.deploy, "rollout"))
        following = self.ask_hosts if self._discovery is None else self.deploy if is_ready else self.preview
        self.ask_hosts.setEnabled(self.form.pair is not None)
        for one, icon in steps:
            set_look(one, "primary" if one is following else "")
            set_icon(one, icon, "on_accent" if one is following else "text")
            self.context.theme.dress(one)  # its own colours no longer tell whether the window is dark
        self.view.setVisible(is_seen)
        self.empty.setVisible(not is_seen)
        self.hint.setText(refusal or self._next_step(is_seen=is_seen, is_ready=is_ready))
        self.empty.setText(
            tr("The choice has changed since the last dry run.")
            if self.dry_run is not None and not refusal
            else tr("The dry run shows every file as a diff and every command with its undo. It changes nothing.")
        )

    def _next_step(self, *, is_seen: bool, is_ready: bool) -> str:
        if is_ready:
            return tr("Read what would be done; then roll out.")
        if is_seen:
            return tr("Something is in the way, see below. Mend it and do the dry run again.")
        return tr("Next: the dry run.")

    # --- dry run ------------------------------------------------------------------------------------------------------

    def look_ahead(self) -> None:
        """Find out what would be done."""
        discovery, key, choice, services = self._discovery, self.form.key, self._choice(), self._services
        if discovery is None or key is None or self.form.refusal:
            return

        def show(run: DryRun) -> None:
            self.dry_run, self._run_of = run, choice
            self.view.show_run(run, self._title_of(run.replaces))
            self._show_actions()
            self.status_told.emit(tr("Nothing has been changed"))

        self.notice.clear()
        self.start(
            tr("Dry run: reading what is on both hosts"),
            lambda token, tell: services.dry_run(discovery, key, choice[2], token=token, on_progress=tell),
            show,
            busy=self.busy,
        )

    def _title_of(self, deployment_id: str) -> str:
        return next((one.title for one in self._deployments if one.id == deployment_id), "")

    # --- rolling out --------------------------------------------------------------------------------------------------

    def roll_out(self) -> None:
        """Do what the dry run said."""
        discovery, key, run, services = self._discovery, self.form.key, self.dry_run, self._services
        pair, options = self.form.pair, self.form.options
        if discovery is None or key is None or run is None or pair is None or not self.deploy.isEnabled():
            return
        self.begin(
            RolloutTask(
                tr("Rolling out"),
                run.title,
                pair,
                lambda token, emit, confirmation: services.deploy(
                    discovery, key, options, token=token, emit=emit, confirmation=confirmation
                ),
                self._title_of(run.replaces) or run.replaces,
                options.confirm_within_s,
            )
        )

    def begin(self, task: RolloutTask) -> None:
        """Do something on a pair where it can be watched."""
        if self.is_running:
            self.status_told.emit(tr("Another roll-out is running: wait until it has ended."))
            return
        self._confirmation = confirmation = WindowConfirmation()
        emit = self.context.bridge.emit_rollout
        self.notice.clear()
        self.dry_run = self._run_of = None
        self.faces.setCurrentWidget(self.live)
        self.live.begin(task)
        self._rolling = self.start(
            task.name,
            lambda token, _tell: task.job(token, emit, confirmation),
            self._on_ended,
            on_failure=self._on_fault,
        )
        self.live.stages.setFocus()

    def end_now(self) -> None:
        """End a roll-out in the way back, unless the hosts have been told to keep it or are going back already."""
        task = self.live.task
        if self._rolling is None or not self.is_running or (task is not None and not task.can_be_stopped):
            return
        if self.live.countdown.is_open:
            self.live.countdown.undo.click()
        elif self.live.stage not in PAST_STOPPING:
            self.live.stopping()
            self._rolling.cancel()

    def _decide(self, decision: Decision) -> None:
        self._confirmation.decide(decision)
        (self.live.countdown if decision is Decision.EXTEND else self.live.stages).setFocus()

    def _on_event(self, event: RolloutEvent) -> None:
        if not self.is_running:
            return
        was_open = self.live.countdown.is_open
        self.live.feed(event)
        if isinstance(event, RolloutCountdown) and not was_open and self.live.countdown.is_open:
            QApplication.alert(self.window())
            self.attention_wanted.emit()
            self.live.countdown.setFocus()

    def _on_ended(self, deployment: Deployment) -> None:
        self.live.show_ended(
            deployment, {tr("Show it among the standing tunnels"): self.standing_asked.emit, **self._back()}
        )
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
        return {tr("Back to the choice"): self.show_choice}

    def show_choice(self) -> None:
        """Show the form again; what was typed is still there."""
        self.faces.setCurrentWidget(self._setup)
        self.enter()
        self._show_actions()

    def _after(self) -> None:
        self.status_told.emit(tr("The roll-out has ended"))
        self.changed.emit()


def _stored(services: Services) -> _Stored:
    deployments = services.deployments()
    pairs = {choice.pair.name: choice.pair for choice in services.pairs()}
    for one in deployments:
        pairs.setdefault(one.pair.name, one.pair)
    return _Stored(tuple(pairs.values()), deployments)
