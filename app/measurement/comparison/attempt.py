"""One attempt: build the tunnel, measure, roll the hosts back, return the outcome."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.errors import Bug, Cancelled, CleanupFailed, InvalidPlan, TunnelDown, TunnelmarkError
from app.domain.events import LogLevel, LogLine, Stage, StageStarted
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan
from app.domain.solutions import Suite
from app.measurement.comparison.capture_checks import capture_log, has_capture_tests, raise_if_leaking, run_packet_tests
from app.measurement.comparison.conditions import check_shaped, without_condition
from app.measurement.comparison.hub_workloads import run_hub_workloads
from app.measurement.comparison.probe_run import Measurement, ProbeResults
from app.measurement.comparison.workload_run import run_workloads
from app.measurement.interfaces import StageSink, Tunnel
from app.measurement.messages import (
    CANCELLED_WHILE_RUNNING,
    INSPECTING_BOTH,
    LOGS_UNREAD,
    NO_ADAPTER,
    OF_CANDIDATE,
    OWN_FAULT,
    SUITE_GONE,
)
from app.measurement.work import ComparisonContext
from app.probes import doubts_before, inspect_surroundings
from app.wording.stages import STAGE_WORDS

logger = logging.getLogger(__name__)

MAX_LOG_CHARACTERS = 20_000


def title_of(plan: CampaignPlan, key: AttemptKey) -> str:
    """Return a candidate's name for people."""
    titles = (one.title for one in plan.candidates if (one.solution, one.suite) == (key.solution, key.suite))
    return next(titles, f"{key.solution} {key.suite}".strip())


@dataclass(slots=True, kw_only=True, eq=False)
class AttemptDraft(ProbeResults):
    """Partial result of a running attempt.

    Attributes:
        key: Its attempt.
        started_at: UTC.
        tunnel: Its tunnel, once up.
    """

    key: AttemptKey
    started_at: datetime
    tunnel: Tunnel | None = None
    daemon_log: str = ""
    stage: str = ""
    repeats: int = 0

    def attempt(self, status: AttemptStatus, reason: str = "", message: str = "") -> Attempt:
        """Return the attempt that it becomes."""
        tunnel = self.tunnel
        return Attempt(
            key=self.key,
            status=status,
            reason=reason,
            message=message,
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            latency=self.latency,
            throughput=self.throughput,
            cpu_latency=self.cpu_latency,
            cpu_throughput=self.cpu_throughput,
            path=self.path,
            warm_up_ratio=self.warm_up_ratio,
            readings=self.readings,
            own_load_cores=self.own_load_cores,
            repeats=self.repeats,
            setup_s=tunnel.setup_s if tunnel else 0.0,
            cleanup_s=tunnel.cleanup_s if tunnel else 0.0,
            probe_s=self.probe_s,
            configuration=tunnel.configuration if tunnel else (),
            negotiated=tunnel.negotiated if tunnel else "",
            daemon_log=self.daemon_log[-MAX_LOG_CHARACTERS:],
            doubts=tuple(self.doubts),
            capture=self.capture,
            workloads=self.workloads,
            stage="" if status is AttemptStatus.COMPLETED else str(self.stage),
        )


def run_attempt(
    context: ComparisonContext,
    key: AttemptKey,
    *,
    token: CancelToken,
    doubts: Sequence[str] = (),
    earlier: Attempt | None = None,
) -> tuple[Attempt, TunnelmarkError | None]:
    """Make one attempt. Whatever happens, both hosts have been rolled back when this returns, or the result says so.

    Args:
        context: What it needs.
        doubts: What is to be kept with it from the start, as sentences.
        earlier: The disturbed attempt that this one repeats, whose packet tests are kept; None for a first one.

    Returns:
        The attempt (CANCELLED where the token was cancelled), and the error that ended it, if one did.
    """
    draft = AttemptDraft(key=key, started_at=datetime.now(UTC), doubts=list(doubts))
    if earlier is not None:
        draft.repeats, draft.capture = earlier.repeats + 1, earlier.capture
    try:
        _run(context, draft, token)
    except Cancelled:
        return draft.attempt(AttemptStatus.CANCELLED, Cancelled.reason, CANCELLED_WHILE_RUNNING()), None
    except TunnelmarkError as error:
        return _failed(draft, error), error
    except Exception as error:
        logger.exception("an attempt failed in an unforeseen way")
        bug = Bug(OWN_FAULT(kind=type(error).__name__, error=error))
        return _failed(draft, bug), bug
    return draft.attempt(AttemptStatus.COMPLETED), None


def not_run(key: AttemptKey, reason: str, message: str) -> Attempt:
    """Return the attempt that stands for one that was not made."""
    now = datetime.now(UTC)
    return Attempt(key, AttemptStatus.NOT_RUN, reason, message, now, now)


def _failed(draft: AttemptDraft, error: TunnelmarkError) -> Attempt:
    draft.daemon_log = draft.daemon_log or error.context.get("log", "")
    return draft.attempt(AttemptStatus.FAILED, error.reason, error.sentence())


def _run(context: ComparisonContext, draft: AttemptDraft, token: CancelToken) -> None:
    key = draft.key

    def on_stage(stage: Stage, text: str) -> None:
        if stage is not Stage.CLEANUP:  # it follows whatever happened
            draft.stage = stage.value
        context.emit(StageStarted(key, stage, text))
        what = text or STAGE_WORDS[stage]
        context.meter.report(OF_CANDIDATE(title=title_of(context.plan, key), what=what))

    adapter, suite = find_choice(context, key)
    on_stage(Stage.PREFLIGHT, INSPECTING_BOTH())
    pair = context.plan.pair
    around = inspect_surroundings(context.sessions, pair.underlay_a, pair.underlay_b, token=token)
    draft.doubts += doubts_before(context.labels, around)
    _build_and_measure(context, draft, (adapter, suite), token, on_stage)
    draft.workloads += run_hub_workloads(context, key, token=token, on_stage=on_stage)


def _build_and_measure(
    context: ComparisonContext,
    draft: AttemptDraft,
    choice: tuple[Adapter, Suite],
    token: CancelToken,
    on_stage: StageSink,
) -> None:
    with context.tunnels.open(*choice, token=token, on_stage=on_stage) as tunnel:
        draft.tunnel = tunnel
        measurement = Measurement(
            context.plan,
            draft.key,
            context.sessions,
            context.link,
            context.facts,
            tunnel.plan,
            tunnel.daemon_pids,
            context.guests,
        )
        try:
            measurement.run(draft, token=token, emit=context.emit, on_stage=on_stage, on_progress=context.meter.probed)
            draft.workloads = run_workloads(
                context, tunnel, token=token, on_stage=on_stage, port=context.link.names.iperf_port
            )
            check_shaped(context, tunnel.plan, token)
            # Last of all: the tunnel does not work any more afterwards.
            if draft.capture is None and has_capture_tests(context.plan, draft.key):
                info = choice[0].info
                with without_condition(context, tunnel.plan, token):
                    draft.capture = report = run_packet_tests(
                        context, draft.key, info, tunnel.plan, context.link, token=token, on_stage=on_stage
                    )
                    for level, sentence in capture_log(report):
                        words = OF_CANDIDATE(title=title_of(context.plan, draft.key), what=sentence)
                        context.emit(LogLine(level, words))
                    raise_if_leaking(report, info.security)
        except TunnelmarkError as error:
            draft.daemon_log = collect_logs(tunnel, error)
            if tunnel.lost:
                why = sentences(tunnel.lost.values())
                raise TunnelDown(why, context={"lost": why}) from error
            raise
    for sentence in tunnel.differences:
        context.emit(LogLine(LogLevel.WARNING, sentence))


def find_choice(context: ComparisonContext, key: AttemptKey) -> tuple[Adapter, Suite]:
    """Return what an attempt measures.

    Raises:
        InvalidPlan: There is no such solution, or the hosts do not offer its suite.
    """
    adapter = context.adapters.get(key.solution)
    if adapter is None:
        raise InvalidPlan(NO_ADAPTER(solution=key.solution))
    suite = find_suite(adapter, context.facts[Side.A.value], context.facts[Side.B.value], key.suite)
    if suite is not None:
        return adapter, suite
    raise InvalidPlan(SUITE_GONE(suite=key.suite, solution=key.solution))


def collect_logs(tunnel: Tunnel, error: TunnelmarkError) -> str:
    """Read the daemons' words before they are removed; an old error is never covered by a new one."""
    token = CancelToken()
    began_s = time.monotonic()
    try:
        return tunnel.collect_logs(token)
    except CleanupFailed:
        raise
    except TunnelmarkError as second:
        took_s = time.monotonic() - began_s
        return error.context.get("log", "") or LOGS_UNREAD(seconds=took_s, reason=second.message)
