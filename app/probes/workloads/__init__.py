"""Workloads, one module each: what it measures, in which units, what it needs on hosts, and how it runs.

A new one is a module with a `WORKLOAD`, and a line here. Command line, reports, JSON and window show what it declares.
Must not change a host: what a workload starts ends with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.probes.workloads import (
    both_directions,
    idle_data,
    loaded_latency,
    transactions,
    transfer,
    two_flows,
    voice,
    web_page,
)
from app.probes.workloads.base import Workload, WorkloadPath

WORKLOADS: Mapping[str, Workload] = {
    one.WORKLOAD.name: one.WORKLOAD
    for one in (loaded_latency, both_directions, transfer, voice, web_page, two_flows, transactions, idle_data)
}
"""By name, in the order in which they run and are shown."""

__all__ = ["WORKLOADS", "Workload", "WorkloadPath"]
