"""Applications between nodes over a satellite link: a web page, a telephone call, and two connections that share it."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conditions import MeasuredCondition
from app.domain.transfers import DISTURBED_CORES, TransferCell
from app.domain.workloads import WorkloadResult

APPLICATIONS = ("web-page", "voice", "two-flows")
"""Workloads of a cell, in the order of measuring."""


@dataclass(frozen=True, slots=True)
class ApplicationResult:
    """Applications that were measured in a cell.

    Attributes:
        cell: Which.
        workloads: Those of `APPLICATIONS` that have figures.
        proxy_congestion: As in `TransferResult`.
        own_load_cores: Load of the user's computer beyond the practice lab meanwhile, in cores; None where it is
            unknown.
        measured_condition: The cell's condition as it was measured on the bare link before; None where it could not be.
        is_condition_missed: Whether the link was not under the cell's condition, so that nothing counts as measured.
        message: Why there are no figures, or not all of them; empty for nothing.
        suite: As in `TransferResult`.
    """

    cell: TransferCell
    workloads: tuple[WorkloadResult, ...] = ()
    proxy_congestion: str = ""
    own_load_cores: float | None = None
    measured_condition: MeasuredCondition | None = None
    is_condition_missed: bool = False
    message: str = ""
    suite: str = ""

    @property
    def has_figures(self) -> bool:
        """Whether all applications have figures."""
        return {one.workload for one in self.workloads if one.figures}.issuperset(APPLICATIONS)

    @property
    def is_disturbed(self) -> bool:
        """Whether this computer had other work meanwhile."""
        return self.own_load_cores is not None and self.own_load_cores > DISTURBED_CORES

    def figure(self, workload: str, name: str) -> float | None:
        """Return a figure of an application; None where it has none."""
        return next((one.figures.get(name) for one in self.workloads if one.workload == workload), None)
