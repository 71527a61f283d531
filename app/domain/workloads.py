"""Workloads: what users do over a link, measured through each candidate beside latency and throughput."""

from __future__ import annotations

from dataclasses import dataclass, field

TRANSFER_MB, MOST_TRANSFER_MB = 4, 1_000
"""Size of the file of the workload transfer, where the user gave none, and the largest one, in MB (10^6 bytes)."""


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One figure of a workload.

    Attributes:
        name: Stable, lower-case with hyphens.
        title: For people, with what it is and without its unit.
        unit: For example `ms`, `Mbit/s`, `s`, `%`; empty for a number without one.
        is_lower_better: Whether the lower of two values is the better one; None where neither is.
        resolution: Ratio up to which two values count as equal, because of the steps in which it is measured.
    """

    name: str
    title: str
    unit: str
    is_lower_better: bool | None
    resolution: float = 1.0


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """Outcome of one workload in one attempt.

    Attributes:
        workload: Its name.
        figures: By name; empty where it was not measured.
        message: Why it was not measured, as a sentence; empty where it was.
    """

    workload: str
    figures: dict[str, float] = field(default_factory=dict)
    message: str = ""
