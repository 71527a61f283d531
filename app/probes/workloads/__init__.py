"""Workloads, one module each: what it measures, in which units, what it needs on hosts, and how it runs.

A new one is a module with a `WORKLOAD`, and a line here. Command line, reports, JSON and window show what it declares.
Must not change a host: what a workload starts ends with it. One that needs a hub gets it built, and one that restarts
the VPN gets that done for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.domain.hosts import Side
from app.domain.results import CampaignPlan
from app.domain.workloads import Listening
from app.probes.workloads import (
    both_directions,
    idle_data,
    key_exchanges,
    loaded_latency,
    restart,
    transactions,
    transfer,
    two_flows,
    voice,
    web_page,
)
from app.probes.workloads.base import HubPlace, Workload, WorkloadPath

WORKLOADS: Mapping[str, Workload] = {
    one.WORKLOAD.name: one.WORKLOAD
    for one in (
        *(loaded_latency, both_directions, transfer, voice, web_page, two_flows, transactions, idle_data),
        *(restart, key_exchanges),
    )
}
"""By name, in the order in which they run and are shown: `restart` disturbs the tunnel, and comes after the others."""

TUNNEL_WORKLOADS: tuple[str, ...] = tuple(name for name, one in WORKLOADS.items() if not one.hub_clients)
"""Those that run over a tunnel, on any pair."""


def planned_workloads(plan: CampaignPlan) -> tuple[Workload, ...]:
    """Return the workloads of a plan, in the order in which they run, with the size that it has for its files."""
    return chosen_workloads(plan.workloads, plan.transfer_mb)


def chosen_workloads(names: Collection[str], transfer_mb: int) -> tuple[Workload, ...]:
    """Return the workloads of these names that there are, in the order in which they run.

    Args:
        transfer_mb: Size of the file that is transferred, in MB.
    """
    found = (one for name, one in WORKLOADS.items() if name in names)
    return tuple(transfer.sized(transfer_mb) if one is transfer.WORKLOAD else one for one in found)


def listening_of(names: Collection[str]) -> dict[Side, Listening]:
    """Return the ports that the workloads of these names listen on besides iperf3's, by side, each once."""
    chosen = [one for name, one in WORKLOADS.items() if name in names]
    return {side: tuple(dict.fromkeys(port for one in chosen for port in one.listens.get(side, ()))) for side in Side}


__all__ = [
    "TUNNEL_WORKLOADS",
    "WORKLOADS",
    "HubPlace",
    "Workload",
    "WorkloadPath",
    "chosen_workloads",
    "listening_of",
    "planned_workloads",
]
