"""Runs a campaign: attempt after attempt, each stored when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.domain.adapters import Adapter
from app.domain.commands import SessionPair
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    InvalidPlan,
    PackageMissing,
    PreflightRefused,
    ProbeFailed,
    TunnelDown,
    TunnelmarkError,
    UnderlayDown,
)
from app.domain.events import (
    AttemptDropped,
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    EventSink,
    LogLevel,
    LogLine,
)
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.link import Link, LinkHealer
from app.domain.results import (
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
)
from app.measurement.comparison.attempt import Context, not_run, run_attempt
from app.measurement.comparison.interfaces import CampaignStore, Tunnels
from app.measurement.comparison.progress import ProgressMeter
from app.measurement.control import CampaignControl
from app.measurement.reconnect import HostStaysAway, reach_again
from app.probes import UnderlayGuard, UnderlayWatch

FINAL = (AttemptStatus.COMPLETED, AttemptStatus.FAILED, AttemptStatus.SKIPPED)
"""Attempts that are not repeated when a campaign is resumed."""

CAUSED_BY_LINK = (PreflightRefused, TunnelDown, CommandFailed, ProbeFailed, DeadlineExceeded, ConnectionLost)
"""What a dead link may look like from within an attempt; other errors stand for themselves."""

_REACH_TRIES = 3


def run_campaign(
    plan: CampaignPlan,
    *,
    sessions: SessionPair,
    adapters: Mapping[str, Adapter],
    link: Link,
    facts: Mapping[str, HostFacts],
    store: CampaignStore,
    control: CampaignControl,
    emit: EventSink,
    version: str,
    header: tuple[str, ...],
    resume_id: int | None = None,
    tunnels: Tunnels | None = None,
    healer: LinkHealer | None = None,
) -> CampaignRecord:
    """Run a campaign to its end, whatever that is.

    Args:
        plan: What to do; when resuming, the stored plan counts.
        sessions: Connections to both hosts.
        adapters: By solution.
        link: What tunnels are built on.
        facts: What was found on the hosts, by `a` and `b`.
        store: Where attempts go as they end.
        control: How the user steers it.
        emit: Gets every event.
        version: Tunnelmark's version.
        header: Comment lines for every file on the hosts.
        resume_id: Go on with this campaign.
        tunnels: Builds tunnels; None means `app.tunnel`.
        healer: Gets the link between the hosts back; None where it is not ours.

    Returns:
        The campaign as stored. Cancelling, failing candidates, hosts that stay away and a link that stays dead are
        results, not errors.

    Raises:
        InvalidPlan: There is no consent to load on a live link; nothing was touched.
        PackageMissing: A host lacks what the probes need; nothing was touched.
        StorageFault, DiskFull: What was measured could not be stored; the hosts have been put back.
    """
    if resume_id is not None:
        plan = store.load_campaign(resume_id).plan
    _check(plan, facts)
    if tunnels is None:
        from app.measurement.comparison.tunnels import DeployedTunnels

        tunnels = DeployedTunnels(plan.pair, sessions, link, facts, header, store.audit)
    if resume_id is not None:
        store.claim_campaign(resume_id)
        campaign_id = resume_id
    else:
        campaign_id = store.create_campaign(plan, facts, version)
    done = tuple(attempt for attempt in store.load_campaign(campaign_id).attempts if attempt.status in FINAL)
    meter = ProgressMeter(plan.attempts, plan.predicted_s, frozenset(attempt.key.position for attempt in done), emit)
    context = Context(plan, sessions, adapters, link, facts, tunnels, emit, meter, store.audit)
    emit(CampaignStarted(campaign_id, plan, done))
    # A practice lab's gateways answer pings; elsewhere that is only known once one was answered.
    is_known = plan.pair.is_lab or any(attempt.status is AttemptStatus.COMPLETED for attempt in done)
    underlay = UnderlayGuard(UnderlayWatch(sessions, link, has_answered=is_known), healer=healer, emit=emit)
    return _Campaign(campaign_id, context, store, control, underlay).run(done, is_resumed=resume_id is not None)


def _check(plan: CampaignPlan, facts: Mapping[str, HostFacts]) -> None:
    if not plan.pair.is_lab and not plan.allow_load:
        raise InvalidPlan(
            f"{plan.pair.name} is not a practice lab, and nobody agreed to put load on its link.",
            hint="Measuring fills the link for seconds at a time: agree to that (--allow-load), "
            "and set a limit in Mbit/s (--load-cap).",
        )
    for side in Side:
        for name in ("ping", "iperf3") if side is Side.A else ("iperf3",):
            tool = facts[side.value].tools.get(name)
            if tool is None or tool.flavour is ToolFlavour.MISSING:
                raise PackageMissing(
                    f"{name} is missing on {plan.pair.host(side).label}.",
                    hint="Install it there; Tunnelmark can do that for you.",
                )


@dataclass(frozen=True, slots=True)
class _Campaign:
    """One run of a campaign."""

    campaign_id: int
    context: Context
    store: CampaignStore
    control: CampaignControl
    underlay: UnderlayGuard

    def run(self, done: tuple[Attempt, ...], *, is_resumed: bool) -> CampaignRecord:
        try:
            status, message = self._run_all(done, is_resumed=is_resumed)
        except BaseException as error:
            message = error.sentence() if isinstance(error, TunnelmarkError) else f"It broke off ({error!r:.200})."
            self.context.emit(CampaignEnded(self.campaign_id, CampaignStatus.INTERRUPTED, message))
            raise
        self.store.finish_campaign(self.campaign_id, status, message)
        self.context.emit(CampaignEnded(self.campaign_id, status, message))
        return self.store.load_campaign(self.campaign_id)

    def _run_all(self, done: tuple[Attempt, ...], *, is_resumed: bool) -> tuple[CampaignStatus, str]:
        finished = {attempt.key.position for attempt in done}
        left = [key for key in self.context.plan.attempts if key.position not in finished]
        last_error: TunnelmarkError | None = None
        needs_recovery = is_resumed
        while left:
            try:
                self.control.wait_while_paused(self.context.emit)
                self.control.token.raise_if_cancelled()
                self._get_ready(last_error, needs_recovery=needs_recovery)
            except Cancelled:
                return self._leave(left, CampaignStatus.CANCELLED, Cancelled.reason, "The comparison was cancelled.")
            except UnderlayDown as error:
                if not self.control.is_attended:
                    return self._leave(left, CampaignStatus.INTERRUPTED, error.reason, error.sentence())
                self.control.pause(error.sentence())
                continue
            except HostStaysAway as error:
                return self._leave(left, CampaignStatus.INTERRUPTED, error.reason, error.sentence())
            last_error, is_kept = self._attempt(left[0])
            needs_recovery = isinstance(last_error, CleanupFailed)
            if is_kept:
                left.pop(0)
            if self.control.token.is_cancelled:
                return self._leave(left, CampaignStatus.CANCELLED, Cancelled.reason, "The comparison was cancelled.")
        return CampaignStatus.COMPLETED, ""

    def _attempt(self, key: AttemptKey) -> tuple[TunnelmarkError | None, bool]:
        """Make an attempt; return the error that ended it, and whether it counts."""
        context = self.context
        token, end = self.control.begin_attempt()
        context.emit(AttemptStarted(key, context.title(key)))
        context.meter.begin(key.position, context.title(key))
        try:
            attempt, error = run_attempt(context, key, token=token, doubts=self.underlay.doubts)
        finally:
            end()
        if self._is_spoiled(attempt, error):
            context.meter.drop()
            context.emit(AttemptDropped(key))
            return error, False
        if error is not None:
            context.emit(LogLine(LogLevel.ERROR, f"{context.title(key)}: {error.sentence()}"))
        if attempt.status is AttemptStatus.CANCELLED and self.control.is_skipped:
            attempt = _as_skipped(attempt)
        self._keep(attempt)
        self.underlay.settle()
        context.meter.end(key.position, is_typical=attempt.status is AttemptStatus.COMPLETED)
        return error, True

    def _is_spoiled(self, attempt: Attempt, error: TunnelmarkError | None) -> bool:
        """Return whether the link died during an attempt, so that it says nothing of its candidate."""
        # A tunnel whose link has died looks fail-closed, so what captures showed is doubted as failures are.
        is_watched = attempt.status is AttemptStatus.COMPLETED and attempt.wire is not None
        if not (is_watched or isinstance(error, CAUSED_BY_LINK)):
            return False
        try:
            return self.underlay.has_died(token=self.control.token)
        except Cancelled:
            return error is not None  # why it failed is not known any more

    def _keep(self, attempt: Attempt) -> None:
        self.store.save_attempt(self.campaign_id, attempt)
        self.context.emit(AttemptEnded(attempt))

    def _get_ready(self, last_error: TunnelmarkError | None, *, needs_recovery: bool) -> None:
        """Return when both hosts can be reached, are as they were, and frames cross the link between them."""
        for _ in range(_REACH_TRIES):
            self._reach(last_error, needs_recovery=needs_recovery)
            try:
                self.underlay.ensure(token=self.control.token)
            except (ConnectionLost, DeadlineExceeded, CommandFailed) as error:
                last_error = error
            else:
                return
        raise HostStaysAway(
            f"A host stops answering again and again: {last_error.message if last_error is not None else ''}",
            hint="See to it that both run and are connected, then resume this comparison.",
        )

    def _reach(self, last_error: TunnelmarkError | None, *, needs_recovery: bool) -> None:
        sessions = self.context.sessions
        was_lost = reach_again(sessions, last_error, token=self.control.token, emit=self.context.emit)
        if not was_lost and not needs_recovery:
            return
        try:
            sentences = self.context.tunnels.recover(token=self.control.token)
        except TunnelmarkError as error:
            raise HostStaysAway(
                f"The hosts could not be put back as they were: {error.message}", hint=error.hint
            ) from error
        for sentence in sentences:
            self.context.emit(LogLine(LogLevel.INFO, sentence))

    def _leave(
        self, left: list[AttemptKey], status: CampaignStatus, reason: str, message: str
    ) -> tuple[CampaignStatus, str]:
        for key in left:
            self._keep(not_run(key, reason, message))
        if left:
            message = f"{message} {len(left)} of {len(self.context.plan.attempts)} attempts were not run."
        return status, message


def _as_skipped(attempt: Attempt) -> Attempt:
    message = f"You skipped it in the stage {attempt.stage}." if attempt.stage else "You skipped it while it ran."
    return replace(attempt, status=AttemptStatus.SKIPPED, reason="skipped", message=message)
