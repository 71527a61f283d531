"""Throughput in both directions at the same time: two TCP connections, one each way."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import FigureKind
from app.probes.workloads.base import Workload, WorkloadPath
from app.probes.workloads.iperf import received_mbit_s, run_client, server

_SECONDS = 5


def _run(path: WorkloadPath) -> Mapping[str, float]:
    """Run two tests, of which the means count: a server takes two."""
    seconds = path.seconds(_SECONDS)
    rates: list[tuple[float, float]] = []
    with server(path, 2 * seconds) as iperf:
        iperf.wait_until_listening()
        for port in iperf.ports:
            report = run_client(path, port, seconds, ("--bidir",))
            there, back = received_mbit_s(report), received_mbit_s(report, "sum_received_bidir_reverse")
            rates.append((there, back))
            path.report("sum", float(seconds * len(rates)), there + back)
    there, back = (sum(each) / len(rates) for each in zip(*rates, strict=True))
    return {"sum": there + back, "a-to-b": there, "b-to-a": back}


WORKLOAD = Workload(
    name="both-directions",
    title=mark("Throughput in both directions at the same time"),
    heading=mark("Both ways"),
    figures=(
        FigureKind("sum", mark("Both directions together"), "Mbit/s", is_lower_better=False),
        FigureKind("a-to-b", mark("From A to B meanwhile"), "Mbit/s", is_lower_better=False),
        FigureKind("b-to-a", mark("From B to A meanwhile"), "Mbit/s", is_lower_better=False),
    ),
    run=_run,
    seconds=13.0,
    round_trips=40.0,
    needs={Side.A: ("iperf3",), Side.B: ("iperf3",)},
    least_versions={"iperf3": "3.7"},
    source=mark("iperf3 --bidir (3.7 or later), twice; rates at the receivers"),
)
