"""Two TCP connections that share the link: the second one begins later."""

from __future__ import annotations

from collections.abc import Mapping
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
_SETTLED_SHARE = 0.5
"""Share of the common time that counts, its end: the second connection has found its rate by then. Our choice."""


def _run(path: WorkloadPath) -> Mapping[str, float]:
    seconds = path.seconds(_SECONDS, _ROUND_TRIPS)
    later_s = round(_LATER_SHARE * seconds)
    with server(path, seconds) as iperf:
        iperf.wait_until_listening()
        first, second = run_both(
            lambda: run_client(path, iperf.ports[0], seconds, ("-R",)),
            lambda: _later(path, iperf.ports[1], later_s, seconds),
        )
    counted_s = _SETTLED_SHARE * (seconds - later_s)
    rates = [_rate(report, counted_s) for report in (first, second)]
    return shares(rates[0], rates[1])


def _later(path: WorkloadPath, port: int, later_s: int, seconds: int) -> Mapping[str, Any]:
    path.token.sleep(float(later_s))
    return run_client(path, port, seconds - later_s, ("-R",))


def _rate(report: Mapping[str, Any], counted_s: float) -> float:
    """Return the rate of a connection in the last seconds, in Mbit/s."""
    parts = [one["sum"] for one in report.get("intervals", []) if "sum" in one]
    end_s = max((float(one["end"]) for one in parts), default=0.0)
    counted = [one for one in parts if float(one["start"]) >= end_s - counted_s - 0.5]
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
