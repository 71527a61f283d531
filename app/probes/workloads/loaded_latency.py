"""Latency while loaded: round-trip times while TCP fills the link in one direction, then in the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from app.domain.concurrency import run_both
from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import FigureKind
from app.probes.bare_link import Echo, echoes
from app.probes.workloads.base import Workload, WorkloadPath
from app.probes.workloads.iperf import run_client, server

_IDLE_S, _LOAD_S = 2.0, 8
_INTERVAL_S = 0.05
_RAMP_SHARE = 0.3
"""Share of the time in which TCP fills the queue, and which does not count. Source: our choice."""


def _run(path: WorkloadPath) -> Mapping[str, float]:
    seconds = path.seconds(_LOAD_S)
    idle = _percentiles(_ping(path, _IDLE_S))
    found = {"idle": idle[0]}
    with server(path, 2 * seconds) as iperf:
        iperf.wait_until_listening()
        for name, port, options in (("a-to-b", iperf.ports[0], ()), ("b-to-a", iperf.ports[1], ("-R",))):
            _, loaded = run_both(
                lambda port=port, options=options: run_client(path, port, seconds, options),  # type: ignore[misc]
                lambda: _ping(path, float(seconds)),
            )
            median, high = _percentiles(loaded[int(_RAMP_SHARE * len(loaded)) :] or loaded)
            found[name], found[f"{name}-p95"] = median, high
            path.report(name, float(seconds), median)
    found["added"] = max(found["a-to-b"], found["b-to-a"]) - idle[0]
    return found


def _ping(path: WorkloadPath, seconds: float) -> tuple[Echo, ...]:
    count = max(10, round(seconds / _INTERVAL_S))
    return echoes(path.sessions.on(Side.A), path.address_b, count=count, interval_s=_INTERVAL_S, token=path.token)


def _percentiles(found: tuple[Echo, ...]) -> tuple[float, float]:
    median, high = np.percentile([one.rtt_ms for one in found], [50, 95])
    return float(median), float(high)


WORKLOAD = Workload(
    name="loaded-latency",
    title=mark("Latency while loaded"),
    heading=mark("Added by load"),
    figures=(
        FigureKind("added", mark("Round trip added by load (worse direction, median)"), "ms", is_lower_better=True),
        FigureKind("idle", mark("Round trip without load (median)"), "ms", is_lower_better=True),
        FigureKind("a-to-b", mark("Round trip under load from A to B (median)"), "ms", is_lower_better=True),
        FigureKind(
            "a-to-b-p95", mark("Round trip under load from A to B (95th percentile)"), "ms", is_lower_better=True
        ),
        FigureKind("b-to-a", mark("Round trip under load from B to A (median)"), "ms", is_lower_better=True),
        FigureKind(
            "b-to-a-p95", mark("Round trip under load from B to A (95th percentile)"), "ms", is_lower_better=True
        ),
    ),
    run=_run,
    seconds=25.0,
    round_trips=40.0,
    needs={Side.A: ("ping", "iperf3"), Side.B: ("iperf3",)},
    beyond_busybox=("ping",),
    source=mark("Echo requests every 50 ms during one TCP connection; the first 30 % of the time do not count"),
)
