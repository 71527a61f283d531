"""Restart: for how long no frame crosses when the VPN of one host is ended and started again, on B, then on A."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from app.domain.errors import Cancelled, CommandFailed, DeadlineExceeded, DiskFull, InvalidPlan, ProbeFailed, TunnelDown
from app.domain.hosts import Side
from app.domain.messages import mark
from app.domain.workloads import RESTART, RESTART_OUTAGE, FigureKind
from app.probes.messages import BARE_LINK_RUNS_NO_VPN, NOT_BACK, RESTART_FAILED
from app.probes.restart_pings import longest_silence_s, restart_pings
from app.probes.workloads.base import Workload, WorkloadPath

LIMIT_S = 90.0
"""Longest wait for frames to cross again, in s. Source: our choice; VPNs notice a lost peer within 30 s."""

_RESTART_FAILURES = (CommandFailed, DeadlineExceeded, DiskFull, TunnelDown)


def _run(path: WorkloadPath) -> Mapping[str, float]:
    """Restart it on B, then on A. The main figure is the worse one, where frames crossed again after both."""
    if path.restart is None:
        raise ProbeFailed(BARE_LINK_RUNS_NO_VPN())
    found = {}
    for side in (Side.B, Side.A):
        try:
            seconds = _outage_s(path, path.restart, side)
        except ProbeFailed as error:
            path.mark_missing(error.sentence())
        except InvalidPlan as error:
            raise ProbeFailed(error.message) from error
        else:
            found[f"outage-{side.value}"] = seconds
            path.report(f"outage-{side.value}", seconds, seconds)
    return {RESTART_OUTAGE: max(found.values()), **found} if len(found) == len(Side) else found


def _outage_s(path: WorkloadPath, restart: Callable[[Side], None], side: Side) -> float:
    """Restart the VPN of one host, and return the longest time without an answered request, in s.

    Raises:
        ProbeFailed: It cannot be measured, or frames do not cross again. The tunnel has been brought back.
    """
    label = path.sessions.on(side).spec.label
    with restart_pings(path.sessions, (path.address_a, path.address_b)) as pings:
        pings.wait_until_answered(path.token)
        with _brought_back(path):
            try:
                restart(side)
            except _RESTART_FAILURES as error:
                raise ProbeFailed(RESTART_FAILED(host=label, why=error.sentence())) from error
            if not pings.are_back(LIMIT_S, path.token):
                raise ProbeFailed(NOT_BACK(seconds=LIMIT_S, host=label))
        echoes = pings.end(path.token)
    return longest_silence_s(echoes, path.sessions.on(Side.A).spec.label)


@contextmanager
def _brought_back(path: WorkloadPath) -> Iterator[None]:
    """Restart the VPN on both hosts where it may be down afterwards: other tests follow."""
    try:
        yield
    except (Cancelled, ProbeFailed):
        path.restart_both()
        raise


WORKLOAD = Workload(
    name=RESTART,
    title=mark("Restart of the VPN on one host"),
    heading=mark("Restart"),
    figures=(
        FigureKind(RESTART_OUTAGE, mark("Longest outage, the worse of both hosts"), "s", is_lower_better=True),
        FigureKind("outage-b", mark("Longest outage after a restart on B"), "s", is_lower_better=True),
        FigureKind("outage-a", mark("Longest outage after a restart on A"), "s", is_lower_better=True),
    ),
    run=_run,
    seconds=80.0,
    round_trips=40.0,
    needs={Side.A: ("ping",), Side.B: ("ping",)},
    beyond_busybox=("ping",),
    source=mark(
        "Echo requests every 50 ms from A to B; the VPN of one host is ended and started again while that of the other "
        "host keeps running. From the last answered request before the outage to the first one after it, to 0.1 s. The "
        "time to notice a failure, which a supervisor adds, is not included"
    ),
)
