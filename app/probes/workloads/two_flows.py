"""Two TCP connections that share the link: the second one begins later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.concurrency import run_both
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import FigureKind
from app.probes.messages import NEITHER_CARRIED, NO_INTERVAL
from app.probes.workloads.base import Workload, WorkloadPath
from app.probes.workloads.iperf import run_client, server

_SECONDS, _LATER_SHARE, _ROUND_TRIPS = 12, 0.25, 60.0
_EDGE_S = 0.5
"""Half an interval of iperf3's report, which has one per second."""
_SETTLED_SHARE = 0.5
"""Share of the common time that counts, its end: the second connection has found its rate by then. Our choice."""


@dataclass(frozen=True, slots=True)
class FlowTimes:
    """Times of two connections.

    Attributes:
        first_s: Length of the first one, in s.
        later_s: Begin of the second one after that of the first one, in s.
        second_s: Length of the second one, in s.
    """

    first_s: int
    later_s: int
    second_s: int

    @property
    def common_s(self) -> int:
        """Time in which both are there, in s."""
        return min(self.first_s - self.later_s, self.second_s)


def _run(path: WorkloadPath) -> Mapping[str, float]:
    seconds = path.seconds(_SECONDS, _ROUND_TRIPS)
    later_s = round(_LATER_SHARE * seconds)
    return measure_flows(path, FlowTimes(seconds, later_s, seconds - later_s))


def measure_flows(path: WorkloadPath, times: FlowTimes) -> Mapping[str, float]:
    """Measure two connections from B to A; the end of their common time counts.

    Raises:
        ProbeFailed: iperf3 cannot be used, or nothing crosses.
    """
    with server(path, max(times.first_s, times.later_s + times.second_s)) as iperf:
        iperf.wait_until_listening()
        first, second = run_both(
            lambda: run_client(path, iperf.ports[0], times.first_s, ("-R",)),
            lambda: _later(path, iperf.ports[1], times),
        )
    settled_s = (1.0 - _SETTLED_SHARE) * times.common_s
    begin_s, end_s = times.later_s + settled_s, float(times.later_s + times.common_s)
    return shares(
        rate_between(first, begin_s, end_s),
        rate_between(second, begin_s - times.later_s, end_s - times.later_s),
    )


def _later(path: WorkloadPath, port: int, times: FlowTimes) -> Mapping[str, Any]:
    path.token.sleep(float(times.later_s))
    return run_client(path, port, times.second_s, ("-R",))


def rate_between(report: Mapping[str, Any], begin_s: float, end_s: float) -> float:
    """Return the rate of a connection between two times since it began, in Mbit/s.

    Raises:
        ProbeFailed: Its report has no interval there.
    """
    parts = [one["sum"] for one in report.get("intervals", []) if "sum" in one]
    counted = [
        one for one in parts if float(one["start"]) >= begin_s - _EDGE_S and float(one["end"]) <= end_s + _EDGE_S
    ]
    length_s = sum(float(one["end"]) - float(one["start"]) for one in counted)
    if length_s <= 0:
        raise ProbeFailed(NO_INTERVAL())
    return sum(float(one["bytes"]) for one in counted) * 8 / 1e6 / length_s


def shares(first: float, second: float) -> dict[str, float]:
    """Return the shares of two connections.

    Source: Jain, Chiu, Hawe, DEC-TR-301 (1984), for the fairness index, 0.5 to 1 for two.
    """
    whole = first + second
    if whole <= 0:
        raise ProbeFailed(NEITHER_CARRIED())
    fairness = whole**2 / (2 * (first**2 + second**2))
    return {"fairness": fairness, "second-share": 100 * second / whole, "first": first, "second": second}


WORKLOAD = Workload(
    name="two-flows",
    title=mark("Two connections that share the link"),
    heading=mark("Fairness"),
    figures=(
        FigureKind("fairness", mark("Fairness index (1: equal, 0.5: one has all)"), "", is_lower_better=False),
        FigureKind("second-share", mark("Share of the later connection"), "%", is_lower_better=None),
        FigureKind("first", mark("Earlier connection"), "Mbit/s", is_lower_better=None),
        FigureKind("second", mark("Later connection"), "Mbit/s", is_lower_better=None),
    ),
    run=_run,
    seconds=14.0,
    round_trips=60.0,
    needs={Side.A: ("iperf3",), Side.B: ("iperf3",)},
    source=mark("Both from B to A; the later one begins after a quarter of the time; its last half counts"),
)
