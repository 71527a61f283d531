"""Key exchanges: how many per second a hub of this VPN manages with many clients, and the CPU of both hosts."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.hub_study import can_exceed
from app.domain.messages import mark
from app.domain.workloads import FigureKind
from app.probes.hub_rate import QUICK_AMOUNTS, RateSearch
from app.probes.messages import NO_HUB
from app.probes.workloads.base import Workload, WorkloadPath

CLIENTS = 8
"""Source: the study of a hub, resources/studies/hubs/iiot-hub.toml."""

AMOUNTS = QUICK_AMOUNTS


def _run(path: WorkloadPath) -> Mapping[str, float]:
    if path.hub is None:
        raise ProbeFailed(NO_HUB())
    place = path.hub
    found = RateSearch(path.sessions, place.hub, place.link, CLIENTS, AMOUNTS, path.on_step, path.token).found()
    window = found.window
    if window is None:
        raise ProbeFailed(found.message)
    if can_exceed(found.bound, window.hub):
        path.mark_lower_bound("rate")
    figures = {"rate": window.rate_s}
    if window.duration_s is not None:
        figures["duration"] = 1e3 * window.duration_s
    both = {"hub-cpu": window.hub, "clients-cpu": window.clients}
    return figures | {name: cpu.busy_pct for name, cpu in both.items() if cpu is not None}


WORKLOAD = Workload(
    name="key-exchanges",
    title=mark("Key exchange rate with many clients"),
    heading=mark("Key exchanges"),
    figures=(
        FigureKind(
            "rate",
            mark("Highest rate at which all key exchanges succeed"),
            "1/s",
            is_lower_better=False,
            resolution=AMOUNTS.precision,
            can_be_lower_bound=True,
        ),
        # At the rate of each candidate: one with a higher rate takes longer there, and is not worse for that.
        FigureKind("duration", mark("Time of a key exchange at that rate, mean"), "ms", is_lower_better=None),
        FigureKind("hub-cpu", mark("CPU of the hub, on A"), "%", is_lower_better=None),
        FigureKind("clients-cpu", mark("CPU of the clients, on B"), "%", is_lower_better=None),
    ),
    run=_run,
    seconds=130.0,
    needs={Side.B: ("perl",)},
    hub_clients=CLIENTS,
    source=mark(
        "A hub of this VPN on A and eight clients on B, built after the tunnel was removed; each client connects, is "
        "confirmed and disconnects, over and over. The rate is known to 30 %. ≥: the hub is likely to do "
        "more. It had CPU left, and the clients' CPU was the limit, or neither was, since each client makes its "
        "attempts in turn"
    ),
)
