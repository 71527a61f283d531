"""Workloads of one attempt, over a running tunnel, after latency and throughput."""

from __future__ import annotations

from contextlib import nullcontext

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, ProbeFailed
from app.domain.events import LogLevel, LogLine, Stage
from app.domain.solutions import BASELINE
from app.domain.workloads import WorkloadResult
from app.measurement.interfaces import StageSink, Tunnel
from app.measurement.load_guard import LoadGuard
from app.measurement.messages import WAS_NOT_MEASURED, WORKLOAD_FIGURE, WORKLOAD_NOT_MEASURED, WORKLOAD_PARTLY
from app.measurement.work import ComparisonContext
from app.probes.workloads import Workload, WorkloadPath, planned_workloads
from app.wording.numbers import figure


def run_workloads(
    context: ComparisonContext,
    tunnel: Tunnel,
    *,
    token: CancelToken,
    on_stage: StageSink,
    port: int,
) -> tuple[WorkloadResult, ...]:
    """Run those of the plan's workloads that go over a tunnel; one that cannot be measured says why.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    found = []
    for workload in planned_workloads(context.plan):
        if workload.hub_clients:
            continue
        on_stage(Stage.WORKLOAD, workload.title)
        result = _run(context, workload, tunnel, token, port)
        log_workload(context, workload, result)
        found.append(result)
    return tuple(found)


def log_workload(context: ComparisonContext, workload: Workload, result: WorkloadResult) -> None:
    """Report a workload's main figure, or why there is none."""
    context.emit(LogLine(LogLevel.WARNING if result.message else LogLevel.INFO, _words(workload, result)))


def _run(
    context: ComparisonContext,
    workload: Workload,
    tunnel: Tunnel,
    token: CancelToken,
    port: int,
) -> WorkloadResult:
    condition, plan = context.plan.condition, tunnel.plan
    guard = nullcontext(None) if context.plan.pair.is_lab else LoadGuard(context.sessions, token=token)
    with guard as watching:
        path = WorkloadPath(
            sessions=context.sessions,
            address_a=plan.probe_address_a,
            address_b=plan.probe_address_b,
            underlay=(context.link.underlay_a, context.link.underlay_b),
            outer_filter=plan.whole_filter,
            port=port,
            rtt_ms=condition.rtt_ms if condition is not None else 0.0,
            token=(load_token := watching.load_token if watching else token),
            report=lambda name, _at_s, value: context.meter.report(
                WORKLOAD_FIGURE(workload=workload.title, name=name, value=figure(value, 3))
            ),
            restart=(lambda side: tunnel.restart(side, token=load_token)) if plan.solution != BASELINE else None,
            # Also after a busy host has ended the workload: what follows needs the tunnel.
            restart_both=lambda: tunnel.restart_both(token=token),
        )
        try:
            return workload.measure(path)
        except ProbeFailed as error:
            return WorkloadResult(workload.name, message=error.sentence())
        except Cancelled:
            token.raise_if_cancelled()
            return WorkloadResult(workload.name, message=watching.reason if watching else WAS_NOT_MEASURED())


def _words(workload: Workload, result: WorkloadResult) -> str:
    if result.message and result.figures:
        return WORKLOAD_PARTLY(workload=workload.title, why=result.message)
    if result.message:
        return WORKLOAD_NOT_MEASURED(workload=workload.title, why=result.message)
    main = workload.figures[0]
    value = f"{figure(result.figures[main.name], 3)} {main.unit}".rstrip()
    return WORKLOAD_FIGURE(workload=workload.title, name=main.title, value=value)
