"""Studies on practice labs: transfers under conditions, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.conditions import MeasuredCondition
from app.domain.errors import InvalidFile, InvalidOption, NotFound
from app.domain.hosts import Side
from app.domain.topology import NodeKind
from app.domain.transfers import TransferCell, TransferResult
from app.lab.practice_labs import LabLink
from app.measurement.cell_run import CellReports
from app.measurement.comparison.probe_run import iperf3_version
from app.measurement.lab_study import StudyResources, changing_hosts
from app.measurement.messages.studies import A_STUDY, STUDY_NEEDS_LAB
from app.measurement.node_machines import hosts_of
from app.measurement.satellite_choices import satellite_choices
from app.measurement.transfers import NODE_NEEDS, TransferPlan, TransferRun
from app.measurement.tunnels import DeployedTunnels
from app.probes.transfer import can_end_early
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import missing_cells
from app.storage.study_files import KeptStudy
from app.storage.study_results import StudyResults, load_results, nodes_dir, results_file, stored_results


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """Request for a part of a study.

    Attributes:
        study: Its name.
        cells: Cells to be measured.
        is_fresh: Whether cells that have a time are measured again. Each keeps its result until it has a new one; a
            later run that is not fresh goes on with those that have none yet.
        nodes: Kind of the nodes; each has results of its own.
    """

    study: str
    cells: tuple[TransferCell, ...]
    is_fresh: bool = False
    nodes: NodeKind = NodeKind.NAMESPACES


class _KeptTransfers(KeptStudy[StudyResults]):
    """Results of transfers, and what the bare link was like."""

    def keep_condition(self, found: MeasuredCondition) -> None:
        self.results = self.results.with_condition(found)


class StudyOperations(StudyResources):
    """Runs studies of transfers."""

    def study_results(self, study: str, pair: str, nodes: NodeKind = NodeKind.NAMESPACES) -> StudyResults | None:
        """Return what was measured of a study on a pair; None if nothing was."""
        return load_results(results_file(nodes_dir(self.paths.studies_dir, nodes), study, pair))

    def stored_studies(self, study: str) -> tuple[tuple[StudyResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured of a study on any pair, and why other files of it cannot be read."""
        return stored_results(self.paths.studies_dir, study)

    def run_study(
        self,
        discovery: Discovery,
        request: StudyRequest,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[TransferResult], None],
    ) -> StudyResults:
        """Measure the cells that are not done yet; each result is stored as soon as there is one.

        Raises:
            InvalidOption: The pair is no practice lab, names no machines where they are to be the nodes, or a VPN of
                the study is not possible on its hosts.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
            PackageMissing, PreflightRefused: As `log_in_to_nodes`.
        """
        pair, folder = discovery.pair, nodes_dir(self.paths.studies_dir, request.nodes)
        file = results_file(folder, request.study, pair.name)
        lab = self.lab_service.find(pair) if pair.is_lab else None
        if lab is None:
            raise InvalidOption(STUDY_NEEDS_LAB(pair=pair.name))
        found = load_results(file) or StudyResults(request.study, pair.name, "", TRANSFER_BYTES, nodes=request.nodes)
        cells = missing_cells(request.cells, found.done(), is_fresh=request.is_fresh)
        if not cells:
            return found
        begun = found.to_measure_afresh(cells) if request.is_fresh else found
        kept = _KeptTransfers(begun, file, on_result)
        reports = CellReports(report, kept.keep, kept.keep_condition)
        set_condition = partial(self.lab_service.manager.hold_condition, lab.spec.name)
        deviation = LabLink(self.lab_service, pair).deviation
        with self.in_use.hold(hosts_of(pair, request.nodes), A_STUDY()):
            sessions = self.sessions(pair, token=token)
            machines = self.node_machines(pair, NODE_NEEDS, token=token) if request.nodes is NodeKind.MACHINES else None
            tunnels = DeployedTunnels.of_study(discovery, sessions, self.store.audit)
            version = iperf3_version(machines.facts if machines is not None else discovery.facts[Side.A.value])
            plan = TransferPlan(
                *(cells, satellite_choices(self.adapters, discovery, cells), self.lab_service.guests(pair)),
                size_bytes=TRANSFER_BYTES,
                can_end_early=can_end_early(version),
            )
            if begun is not found:
                kept.store()
            parts = plan, sessions, discovery.link, tunnels, set_condition, deviation, reports, token
            try:
                with changing_hosts():
                    TransferRun(*parts, machines=machines).run()
            finally:
                with suppress(NotFound):  # it has ended meanwhile
                    self.lab_service.manager.release_condition(lab.spec.name)
        return kept.results
