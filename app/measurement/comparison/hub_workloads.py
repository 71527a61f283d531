"""Workloads of one attempt that run on a hub of the candidate's, once its tunnel has been removed."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import find_suite
from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, DiskFull, PackageMissing, PairLocked, PreflightRefused
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.hubs import Hub
from app.domain.link import Link
from app.domain.results import AttemptKey
from app.domain.transfers import DISTURBED_CORES
from app.domain.workloads import WorkloadResult
from app.measurement.comparison.workload_run import log_workload
from app.measurement.interfaces import StageSink
from app.measurement.messages import HUB_LACKS_SUITE, WORKLOAD_DISTURBED
from app.measurement.on_hub import OnHub, measure_on_hub
from app.measurement.work import ComparisonContext
from app.probes.messages import NO_HUB
from app.probes.workloads import HubPlace, Workload, WorkloadPath, planned_workloads

_REFUSED = (CommandFailed, DiskFull, PackageMissing, PairLocked, PreflightRefused)
"""Errors of a host on which the hub could not be begun, and which is as it was: what the tunnel gave still counts."""


def run_hub_workloads(
    context: ComparisonContext, key: AttemptKey, *, token: CancelToken, on_stage: StageSink
) -> tuple[WorkloadResult, ...]:
    """Run those of the plan's workloads that need a hub; one that cannot be measured says why.

    Raises:
        CleanupFailed: A host could not be rolled back.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    results: list[WorkloadResult] = []
    for workload in planned_workloads(context.plan):
        if workload.hub_clients:
            on_stage(Stage.WORKLOAD, workload.title)
            result = _result(context, key, workload, token)
            log_workload(context, workload, result)
            results.append(result)
    return tuple(results)


def _result(context: ComparisonContext, key: AttemptKey, workload: Workload, token: CancelToken) -> WorkloadResult:
    outcome = _measured(context, key, workload, token)
    if outcome.found is None:
        return WorkloadResult(workload.name, message=outcome.message)
    cores = outcome.own_load_cores
    is_disturbed = cores is not None and cores > DISTURBED_CORES
    return replace(
        outcome.found, doubt=WORKLOAD_DISTURBED(workload=workload.title, cores=cores) if is_disturbed else ""
    )


def _measured(
    context: ComparisonContext, key: AttemptKey, workload: Workload, token: CancelToken
) -> OnHub[WorkloadResult]:
    hub = context.hubs.get(key.solution)
    if hub is None:
        return OnHub(None, NO_HUB())
    facts = context.facts[Side.A.value], context.facts[Side.B.value]
    adapter = hub.adapter(workload.hub_clients)
    suite = find_suite(adapter, *facts, key.suite)
    if suite is None:
        offered = tuple(one.name for one in adapter.suites(*facts) if one.is_default)
        return OnHub(None, HUB_LACKS_SUITE(suite=key.suite, offered=offered) if offered else NO_HUB())
    try:
        return measure_on_hub(
            *(context.tunnels, hub, suite, workload.hub_clients),
            lambda link: workload.measure(_path(context, hub, link, token)),
            guests=context.guests,
            token=token,
        )
    except _REFUSED as error:
        return OnHub(None, error.sentence())


def _path(context: ComparisonContext, hub: Hub, link: Link, token: CancelToken) -> WorkloadPath:
    condition = context.plan.condition
    return WorkloadPath(
        sessions=context.sessions,
        address_a=link.inner_a,
        address_b=link.inner_b,
        underlay=(link.underlay_a, link.underlay_b),
        outer_filter="",
        port=link.names.iperf_port,
        rtt_ms=condition.rtt_ms if condition is not None else 0.0,
        token=token,
        on_step=context.meter.report,
        hub=HubPlace(hub, link),
    )
