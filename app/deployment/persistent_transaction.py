"""A tunnel that stays: built like one for a measurement, proven, and then confirmed instead of taken back.

Until it is confirmed, everything of it lies below /run, and both hosts' timers run: whatever happens, both go back to
what they were, which is the deployment before this one where there was one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_dir, boot_bundle_files
from app.deployment.commit import CommitState, Outcome, TwoHostCommit
from app.deployment.events import EXTENSION_S, Confirmation, Decision
from app.deployment.persistent_adapter import ASIDE_S
from app.deployment.slots import current_path
from app.deployment.status import deployment_id_in
from app.domain.adapters import Step, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, properties_of
from app.domain.commands import Command, FileToWrite, SessionPair
from app.domain.errors import PairLocked, TunnelDown, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.domain.results import FRAME_BYTES
from app.domain.solutions import Carrier
from app.host.parallel import on_both
from app.host.script_events import ScriptEvent
from app.probes.capture import CaptureTestsRequest, missing_for_capture
from app.probes.proof import prove
from app.tunnel import active_runs
from app.tunnel.acquire import planned_step, step_line
from app.tunnel.active_tunnel import ActiveTunnel
from app.tunnel.apply import ApplyLines, Building, negotiated_text, run_apply
from app.tunnel.audit import AuditSink
from app.tunnel.lease import Lease, leave_to_timers, set_leases
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.transaction import CLEANUP_S, StageSink, Transaction

STOP_NUMBER, RESTART_NUMBER = "0700", "0701"
RESTART_MARGIN_S = 30.0
EXPIRY_MARGIN_S = 5.0
"""By how much a host's timer runs longer than the countdown that the user sees, in seconds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a deployment goes.

    Attributes:
        deployment_id: Its name; empty where what stands in the place is to end.
        slot: The place.
        replaced: What stands there, by side.
    """

    deployment_id: str
    slot: str
    replaced: Mapping[Side, str] = field(default_factory=dict)


class PersistentTransaction(Transaction):
    """One deployment, from the first look to the confirmation.

    Args:
        sessions: Connections to both hosts.
        request: What is to be built; its adapter is a `PersistentAdapter`.
        place: Where it goes.
        on_stage: As for `Transaction`.
        audit: As for `Transaction`.
        lease_s: As for `Transaction`.
    """

    cleanup_s = CLEANUP_S + ASIDE_S  # what made room is started again

    def __init__(
        self,
        sessions: SessionPair,
        request: DeployRequest,
        place: Place,
        *,
        on_stage: StageSink,
        audit: AuditSink | None,
        lease_s: float,
    ) -> None:
        super().__init__(sessions, request, on_stage=on_stage, audit=audit, lease_s=lease_s)
        self._sessions = sessions
        self._place = place

    @property
    def tunnels(self) -> Mapping[str, str]:
        """The random id of this work on each host, by `a` and `b`."""
        return {side.value: tunnel for side, tunnel in self._tunnels.items()}

    @property
    def host_warnings(self) -> tuple[str, ...]:
        """What steps and rollbacks on the hosts reported though they succeeded, as sentences."""
        return tuple(text for ledger in self._ledgers.values() for text in ledger.warnings)

    @property
    def plan(self) -> TunnelPlan:
        """What was built."""
        return self._plan

    @property
    def confirmer(self) -> TwoHostCommit:
        """What confirms this deployment."""
        place = self._place
        run_dir = self._request.link.run_dir
        return TwoHostCommit(
            self._ends, self._tunnels, self._ledgers, place.slot, place.deployment_id, run_dir, place.replaced
        )

    @property
    def _asked(self) -> str:
        return current_path(self._place.slot)

    def _obstacles(self) -> list[Obstacle]:
        self._check_place()
        # Whatever is wrong with a host, a deployment can be ended.
        return super()._obstacles() if self._place.deployment_id else []

    def _check_place(self) -> None:
        """Refuse to go on where the place has changed since it was looked at: now that it is locked, it stays so."""
        found = {side: deployment_id_in(survey.asked) for side, survey in self._surveys.items()}
        changed = [self._ends[side].label for side in Side if found[side] != self._place.replaced.get(side, "")]
        if changed:
            raise PairLocked(
                f"Another Tunnelmark has meanwhile changed what is rolled out on {' and '.join(changed)}.",
                hint=f"Inspect it with: tunnelmark status {self._request.pair.name}. Then try again.",
            )

    # --- proving ------------------------------------------------------------------------------------------------------

    @property
    def can_be_proven(self) -> bool:
        """Whether both hosts have what captures need: what was not proven all the same may be at the next try."""
        facts = {side.value: self._request.facts(side) for side in Side}
        return not missing_for_capture(self._sessions, facts)

    def prove_on_wire(self, *, token: CancelToken) -> CaptureReport:
        """Look on the underlay whether anything can be read, and whether nothing can once the protection is gone.

        The tunnel has to be started again afterwards.

        Returns:
            What was seen; the verdict on leaks says where a host cannot look.

        Raises:
            TunnelDown: Plaintext was seen, or packets got in that did not come through the cryptography.
        """
        request = self._request
        self._stage(Stage.WIRE)
        with self._timed("wire"):
            report = prove(
                self._sessions,
                CaptureTestsRequest(
                    link=request.link,
                    plan=self._plan,
                    facts={side.value: request.facts(side) for side in Side},
                    frame_bytes=FRAME_BYTES[-1:],
                    is_unprotected=False,
                    is_stream=request.adapter.info.carrier is Carrier.TCP,
                    is_brief=True,
                ),
                token=token,
                on_stage=lambda detail: self._stage(Stage.WIRE, detail),
                audit=self._audit or (lambda _entry: None),
            )
        leak = report.leak
        if leak is not None and leak.verdict is LeakVerdict.LEAKS:
            raise TunnelDown("Frames can be read on the way between the hosts.", hint=leak.note)
        opened = [one.title for one in leak.broken if one.verdict is BreakVerdict.FAILS_OPEN] if leak else []
        if opened:
            raise TunnelDown(f"Frames leave unprotected after this: {'; '.join(opened)}.")
        failed = [one.note for one in properties_of(report).values() if one.verdict is PropertyVerdict.FAILS]
        if failed:
            raise TunnelDown("Packets get into the tunnel without its cryptography.", hint=" ".join(failed))
        return report

    def start_from_kit(self, *, token: CancelToken) -> str:
        """Start the tunnel on both hosts with the very scripts that will start it with the hosts, and wait for it.

        Returns:
            What both ends said they agreed on.

        Raises:
            CommandFailed, DiskFull, TunnelDown: It did not work; the hosts must be put back.
        """
        self._stage(Stage.VERIFY)
        with self._timed("restart"):
            # Neither end may meet what is about to go at the other one.
            on_both(self._stop_end, token=token)
            with self._timed("connect"):
                marks = on_both(self._start_end, token=token)
        texts = {side: negotiated_text(self._ends[side], self._plan, marks[side], token=token) for side in Side}
        return "\n".join(f"{self._ends[side].label}: {text}" for side, text in texts.items() if text)

    def _stop_end(self, side: Side, token: CancelToken) -> None:
        """Put the kit in its place and take the end down with it; what cannot be taken down, starting will tell."""
        end = self._ends[side]
        folder = boot_bundle_dir(end.state_dir)
        kit = BootBundleRequest(
            self._request, self._plan, side, self._place.deployment_id, self._place.slot, self._tunnels[side]
        )
        argv = ("sh", f"{folder}/lasting.sh", "halt")
        self._run_kit(side, STOP_NUMBER, "Take the tunnel down", argv, boot_bundle_files(kit, folder), token)

    def _start_end(self, side: Side, token: CancelToken) -> tuple[ScriptEvent, ...]:
        argv = ("sh", f"{boot_bundle_dir(self._ends[side].state_dir)}/lasting.sh", "restart")
        what = "Start the tunnel again, as it will start with the host"
        return self._run_kit(side, RESTART_NUMBER, what, argv, (), token)

    def _run_kit(
        self,
        side: Side,
        number: str,
        what: str,
        argv: tuple[str, ...],
        files: Sequence[FileToWrite],
        token: CancelToken,
    ) -> tuple[ScriptEvent, ...]:
        end, own = self._ends[side], self._plan.end(side)
        undos_s = sum(step.undo.timeout_s for step in own.steps if step.undo is not None)
        limit_s = undos_s + sum(step.command.timeout_s for step in own.steps) + RESTART_MARGIN_S
        step = Step(what, Command(argv, timeout_s=limit_s, is_root=True), None)
        planned = planned_step(number, step)
        self._ledgers[side].plan(planned)
        # Its files are there already; nobody writes them a second time.
        plan = replace(self._plan, a=replace(self._plan.a, files=()), b=replace(self._plan.b, files=()))
        building = Building(self._request, plan, self._tunnels)
        lines = ApplyLines(files, [step_line(planned, step)], is_awaited=number == RESTART_NUMBER)
        return run_apply(end, building, self._ledgers[side], lines, token=token, on_mark=lambda _words: None)

    # --- confirming ---------------------------------------------------------------------------------------------------

    def hold(
        self,
        seconds: float,
        confirmation: Confirmation,
        *,
        token: CancelToken,
        on_left: Callable[[float], None],
        on_extended: Callable[[float], None],
    ) -> Decision | None:
        """Wait for the user's decision; the hosts' timers run meanwhile and are renewed only if the user extends them.

        Args:
            seconds: How long the user has.
            confirmation: Where the decision comes from.
            token: Cancels it.
            on_left: Gets the seconds that are left, about once a second.
            on_extended: Gets the seconds that are left once both hosts have said that they wait longer.

        Returns:
            The decision; None if there was none in time.

        Raises:
            ConnectionLost, CommandFailed: A timer could not be set; the hosts must be put back.
        """
        self._lease.stop()
        set_leases(self._ends, self._tunnels, seconds + EXPIRY_MARGIN_S, token=token)
        until = time.monotonic() + seconds
        decision: Decision | None = None
        while decision is None and (left_s := until - time.monotonic()) > 0:
            on_left(math.ceil(left_s))
            decision = confirmation.wait(min(1.0, left_s), token=token)
            token.raise_if_cancelled()
            if decision is Decision.EXTEND:
                decision, asked_at = None, time.monotonic()
                wanted_s = until - asked_at + EXTENSION_S
                granted_s = set_leases(self._ends, self._tunnels, wanted_s + EXPIRY_MARGIN_S, token=token)
                until = asked_at + min(wanted_s, granted_s - EXPIRY_MARGIN_S)
                on_extended(math.ceil(until - time.monotonic()))
        if decision is Decision.KEEP:
            set_leases(self._ends, self._tunnels, self._lease_s, token=token)
            self._lease = Lease(self._ends, self._tunnels, self._lease_s)
            self._lease.start()
        return decision

    def let_go(self, seconds: float, *, token: CancelToken) -> None:
        """Leave both hosts to their timers for so long: somebody else confirms, or they go back."""
        self._lease.stop()
        leave_to_timers(self._ends, self._tunnels, seconds + EXPIRY_MARGIN_S, token=token)
        active_runs.leave(self._tunnels.values())
        self._begun.clear()

    def confirm(self, *, token: CancelToken) -> Outcome:
        """Make it stay. Where this raises, or where no host keeps it, the hosts must be put back.

        Raises:
            CommandFailed, DiskFull, ConnectionLost, Cancelled: Nothing has been confirmed.
        """
        confirmer = self.confirmer
        with self._timed("install"):
            confirmer.install(token=token)
        with self._timed("confirm"):
            outcome = confirmer.commit(token=token)
        # Who keeps it, or may keep it, must not be put back; the others are.
        kept = {side for side, one in outcome.hosts.items() if one in (CommitState.YES, CommitState.UNKNOWN)}
        self._begun -= kept
        active_runs.leave(self._tunnels[side] for side in kept)
        if not self._begun:
            self._lease.stop()
        return outcome


@contextmanager
def lasting_tunnel(transaction: PersistentTransaction, *, token: CancelToken) -> Iterator[ActiveTunnel]:
    """Build a tunnel; at the end of the `with` block both hosts are put back, unless it was confirmed or let go.

    Args:
        transaction: What is to be built.
        token: Cancels building.

    Raises:
        As `temporary_tunnel`.
    """
    active: ActiveTunnel | None = None
    try:
        active = transaction.build(token=token)
        yield active
    except BaseException as error:
        if isinstance(error, TunnelmarkError):
            transaction.add_logs(error)
        transaction.undo(cause=error)
        raise
    else:
        transaction.undo(cause=None)
