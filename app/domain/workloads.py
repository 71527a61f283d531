"""Workloads: what users do over a link, measured through each candidate beside latency and throughput."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

TRANSFER_MB, MOST_TRANSFER_MB = 4, 1_000
"""Size of the file of the workload transfer, where the user gave none, and the largest one, in MB (10^6 bytes)."""

RESTART, RESTART_OUTAGE = "restart", "outage"
"""Name of the workload that restarts the VPN of one host, and of its main figure."""

Listening: TypeAlias = tuple[tuple[str, int], ...]
"""Ports that a workload listens on besides iperf3's: protocol, and distance from the first port of measurements."""


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One figure of a workload.

    Attributes:
        name: Stable, lower-case with hyphens.
        title: For people, with what it is and without its unit.
        unit: For example `ms`, `Mbit/s`, `s`, `%`; empty for a number without one.
        is_lower_better: Whether the lower of two values is the better one; None where neither is.
        resolution: Ratio up to which two values count as equal, because of the steps in which it is measured.
        can_be_lower_bound: Whether a value may be one that the candidate can exceed.
    """

    name: str
    title: str
    unit: str
    is_lower_better: bool | None
    resolution: float = 1.0
    can_be_lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """Outcome of one workload in one attempt.

    Attributes:
        workload: Its name.
        figures: By name; empty where it was not measured.
        message: Why it, or one of its figures, was not measured, as a sentence; empty where all were.
        lower_bounds: Names of the figures that the candidate can exceed: something else was the limit.
        doubt: Why the figures may be wrong, as a sentence; empty for no reason.
    """

    workload: str
    figures: dict[str, float] = field(default_factory=dict)
    message: str = ""
    lower_bounds: tuple[str, ...] = ()
    doubt: str = ""
