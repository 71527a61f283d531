"""Workloads of one attempt that run on a hub of the candidate's, once its tunnel has been removed."""

from __future__ import annotations

from app.domain.adapters import find_suite
from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, DiskFull, PackageMissing, PairLocked, PreflightRefused, ProbeFailed
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.hubs import Hub
from app.domain.results import Attempt, AttemptKey, CampaignPlan
from app.domain.solutions import Suite
from app.domain.transfers import DISTURBED_CORES
from app.domain.workloads import WorkloadResult
from app.measurement.comparison.workload_run import log_workload
from app.measurement.interfaces import StageSink
from app.measurement.messages import HUB_LACKS_SUITE, WORKLOAD_DISTURBED
from app.measurement.work import CampaignContext
from app.probes.messages import NO_HUB
from app.probes.own_load import OwnLoad
from app.probes.workloads import HubPlace, Workload, WorkloadPath, planned_workloads
from app.tunnel.hub_clients import HubClients

Context = CampaignContext[CampaignPlan, Attempt]

_REFUSED = (CommandFailed, DiskFull, PackageMissing, PairLocked, PreflightRefused)
"""Errors of a host on which the hub could not be begun, and which is as it was: what the tunnel gave still counts."""


def run_hub_workloads(
    context: Context, key: AttemptKey, *, token: CancelToken, on_stage: StageSink
) -> tuple[tuple[WorkloadResult, ...], tuple[str, ...]]:
    """Run those of the plan's workloads that need a hub; one that cannot be measured says why.

    Returns:
        The results, and doubts about them as sentences.

    Raises:
        CleanupFailed: A host could not be rolled back.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    results: list[WorkloadResult] = []
    doubts: list[str] = []
    for workload in planned_workloads(context.plan):
        if workload.hub_clients:
            on_stage(Stage.WORKLOAD, workload.title)
            result, cores = _measured(context, key, workload, token)
            log_workload(context, workload, result)
            results.append(result)
            if result.figures and cores is not None and cores > DISTURBED_CORES:
                doubts.append(WORKLOAD_DISTURBED(workload=workload.title, cores=cores))
    return tuple(results), tuple(doubts)


def _measured(
    context: Context, key: AttemptKey, workload: Workload, token: CancelToken
) -> tuple[WorkloadResult, float | None]:
    """Return what a workload measures, and the load of this computer beyond the practice lab meanwhile, in cores."""
    hub = context.hubs.get(key.solution)
    if hub is None:
        return WorkloadResult(workload.name, message=NO_HUB()), None
    facts = context.facts[Side.A.value], context.facts[Side.B.value]
    adapter = hub.adapter(workload.hub_clients)
    suite = find_suite(adapter, *facts, key.suite)
    if suite is None:
        offered = tuple(one.name for one in adapter.suites(*facts) if one.is_default)
        why = HUB_LACKS_SUITE(suite=key.suite, offered=offered) if offered else NO_HUB()
        return WorkloadResult(workload.name, message=why), None
    try:
        return _on_hub(context, hub, suite, workload, token)
    except _REFUSED as error:
        return WorkloadResult(workload.name, message=error.sentence()), None


def _on_hub(
    context: Context, hub: Hub, suite: Suite, workload: Workload, token: CancelToken
) -> tuple[WorkloadResult, float | None]:
    """Return what a workload measures while the hub and its clients are up, or why they are not, as `_measured`."""
    clients = workload.hub_clients
    with context.tunnels.open_group(
        [(hub.adapter(clients), suite)],
        extensions=[HubClients(clients)],
        token=token,
        on_stage=lambda *_: None,
    ) as group:
        if group.failures:
            return WorkloadResult(workload.name, message=group.failures[0].sentence()), None
        link = group.tunnels[0].link
        path = WorkloadPath(
            sessions=context.sessions,
            address_a=link.inner_a,
            address_b=link.inner_b,
            underlay=(link.underlay_a, link.underlay_b),
            outer_filter="",
            port=link.names.iperf_port,
            rtt_ms=context.plan.condition.rtt_ms if context.plan.condition is not None else 0.0,
            token=token,
            on_step=context.meter.report,
            hub=HubPlace(hub, link),
        )
        load = OwnLoad(context.guests)  # not while the hub is built and removed: the load of that is Tunnelmark's
        load.start()
        try:
            return WorkloadResult(workload.name, dict(workload.run(path))), load.cores()
        except ProbeFailed as error:
            return WorkloadResult(workload.name, message=error.sentence()), None
