"""Applications of the satellite study: each cell is a web page, a telephone call and two connections between nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.domain.application_study import APPLICATIONS, ApplicationResult
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.condition_files import presets
from app.domain.errors import ProbeFailed
from app.domain.messages import sentences
from app.domain.transfers import CONGESTION, TransferCell
from app.domain.workloads import WorkloadResult
from app.measurement.cell_run import CellRun
from app.measurement.interfaces import Tunnel
from app.measurement.load_guard import guarded_load
from app.measurement.messages import WORKLOAD_NOT_MEASURED
from app.measurement.messages.studies import NODE_CONGESTION_REFUSED
from app.probes.own_load import OwnLoad
from app.probes.transfer import forget_paths
from app.probes.workloads import WORKLOADS, WorkloadPath
from app.probes.workloads.two_flows import FlowTimes, measure_flows
from app.ranking.application_study import published_flows

_SET_S = 10.0


def _two_flows(path: WorkloadPath) -> Mapping[str, float]:
    """Measure two connections with the study's times."""
    times = published_flows()
    return measure_flows(path, FlowTimes(times.first_s, times.later_s, times.second_s))


_RUNS: Mapping[str, Callable[[WorkloadPath], Mapping[str, float]]] = {
    **{name: WORKLOADS[name].run for name in APPLICATIONS},
    "two-flows": _two_flows,
}
"""Ways to measure an application; two connections have the study's times."""


@dataclass(frozen=True, slots=True)
class ApplicationRun(CellRun[ApplicationResult]):
    """Measures all applications for each cell of a plan."""

    def measured(self, cell: TransferCell, tunnel: Tunnel) -> ApplicationResult:
        """Return figures of all applications, or why some or all have none."""
        load = OwnLoad(self.plan.guests)
        load.start()
        try:
            found = self._figures(cell, tunnel)
        except ProbeFailed as error:
            found = self.failed(cell, error.sentence())
        return replace(found, own_load_cores=load.cores())

    def failed(self, cell: TransferCell, why: str) -> ApplicationResult:
        """Return a result without figures."""
        return ApplicationResult(cell, message=why)

    def _figures(self, cell: TransferCell, tunnel: Tunnel) -> ApplicationResult:
        ends, addresses = self.ends(tunnel)
        for host in (ends.a, ends.b):
            set_congestion(host, CONGESTION[cell.congestion].sender, token=self.token)
        seen = self.splits(cell, tunnel)
        path = WorkloadPath(
            *(ends, *addresses, (self.link.underlay_a, self.link.underlay_b), tunnel.plan.whole_filter),
            port=tunnel.link.names.iperf_port,
            rtt_ms=presets()[cell.condition].rtt_ms,
            token=self.token,
        )
        found, faults = [], []
        for name, run in _RUNS.items():
            title = WORKLOADS[name].title
            self.reports.report(title)
            for sessions in (self.sessions, ends):
                forget_paths(sessions, token=self.token)
            try:
                with guarded_load(self.sessions, is_lab=self.plan.is_lab, token=self.token) as load_token:
                    found.append(WorkloadResult(name, dict(run(replace(path, token=load_token)))))
            except ProbeFailed as error:
                faults.append(WORKLOAD_NOT_MEASURED(workload=title, why=error.sentence()))
        return ApplicationResult(
            cell, tuple(found), self.split_with(cell, tunnel, seen) if found else "", message=sentences(faults)
        )


def set_congestion(node: HostSession, congestion: str, *, token: CancelToken) -> None:
    """Set the congestion control of a node's new connections; it goes with the node's namespace.

    Source: Linux 6.12, Documentation/networking/ip-sysctl.rst: the setting is that of a network namespace.

    Raises:
        ProbeFailed: The kernel does not take it.
    """
    argv = ("sysctl", "-n", "-w", f"net.ipv4.tcp_congestion_control={congestion}")
    done = node.run(Command(argv, timeout_s=_SET_S, is_root=True), token=token)
    if not done.is_ok or done.stdout.strip() != congestion:
        output = done.stderr.strip() or done.stdout.strip()
        raise ProbeFailed(NODE_CONGESTION_REFUSED(host=node.spec.label, congestion=congestion, output=output))
