"""Studies of transfers under conditions, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import InvalidFile, InvalidOption, NotFound
from app.domain.hosts import PairSpec, Side
from app.domain.topology import NodeKind
from app.domain.transfers import TransferCell, TransferResult
from app.lab.practice_labs import LabLink
from app.measurement.cell_run import CellReports
from app.measurement.comparison.probe_run import iperf3_version
from app.measurement.host_shaping import HostShaping
from app.measurement.lab_study import StudyResources, changing_hosts
from app.measurement.messages.studies import A_STUDY, NO_NODE_MACHINES, OWN_HOSTS_ROUTED, STUDY_NEEDS_LAB
from app.measurement.node_machines import hosts_of
from app.measurement.own_hosts import OwnHostsConsent, OwnHostsUse
from app.measurement.satellite_choices import satellite_choices, todays_suites
from app.measurement.transfers import NODE_NEEDS, TransferPlan, TransferRun
from app.measurement.tunnels import DeployedTunnels
from app.probes.transfer import can_end_early
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import missing_cells
from app.storage.study_files import KeptStudy
from app.storage.study_results import (
    StudyResults,
    load_own,
    load_results,
    nodes_dir,
    own_loader,
    read_kinds,
    results_file,
)

_Emulation = tuple[Callable[[Condition | None], None], Callable[[Condition], str]]


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """Request for a part of a study.

    Attributes:
        study: Its name.
        cells: Cells to be measured.
        is_fresh: Whether cells that have a time are measured again. Each keeps its result until it has a new one; a
            later run that is not fresh goes on with those that have none yet.
        nodes: Kind of the nodes; each has results of its own.
        consent: What the user agreed to on hosts of their own.
    """

    study: str
    cells: tuple[TransferCell, ...]
    is_fresh: bool = False
    nodes: NodeKind = NodeKind.NAMESPACES
    consent: OwnHostsConsent = field(default_factory=OwnHostsConsent)

    @property
    def use_of_own_hosts(self) -> OwnHostsUse:
        """The use that it makes of hosts of the user's own."""
        conditions = tuple(dict.fromkeys(one.condition for one in self.cells))
        return OwnHostsUse(self.study, OWN_HOSTS_ROUTED, STUDY_NEEDS_LAB, conditions)

    def refuse(self, pair: PairSpec) -> None:
        """Refuse a pair on which the cells cannot be measured. Asks no host.

        Raises:
            InvalidOption: As `OwnHostsUse.refuse`, or a lab has no machines where they are to be the nodes.
        """
        if not pair.is_lab:
            self.use_of_own_hosts.refuse(pair, self.nodes)
        elif self.nodes is NodeKind.MACHINES and not pair.nodes:
            raise InvalidOption(NO_NODE_MACHINES(pair=pair.name))


class _KeptTransfers(KeptStudy[StudyResults]):
    """Results of transfers, and what the bare link was like."""

    def keep_condition(self, found: MeasuredCondition) -> None:
        self.results = self.results.with_condition(found)


class StudyOperations(StudyResources):
    """Runs studies of transfers."""

    def study_results(self, study: str, pair: str, nodes: NodeKind = NodeKind.NAMESPACES) -> StudyResults | None:
        """Return what was measured of a study on a pair's machines; None if nothing was."""
        file = results_file(nodes_dir(self.paths.studies_dir, nodes), study, pair)
        return load_own(file, self.machines_of(pair), load_results)

    def todays_results(self, found: StudyResults, discovery: Discovery) -> StudyResults:
        """Return results with those to be measured again that are of another suite than would be measured now."""
        suites = todays_suites([one.cell for one in found.results if one.suite], self.adapters, discovery)
        return found.with_suites(suites)

    def stored_studies(self, study: str) -> tuple[tuple[StudyResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured of a study on any pair's machines, and why other files of it cannot be read."""
        return read_kinds(self.paths.studies_dir, study, own_loader(load_results, self.machines_of))

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
            InvalidOption: The practice lab does not run, the pair names no machines where they are to be the nodes, or
                a VPN of the study is not possible on its hosts; or as `OwnHostsUse.refuse`.
            InvalidPlan: The user has not agreed that hosts of their own are changed.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
            PackageMissing, PreflightRefused: As `log_in_to_nodes` and `HostShaping.of`.
        """
        pair = discovery.pair
        self._refuse(pair, request)
        with self.in_use.hold(hosts_of(pair, request.nodes), A_STUDY()):
            file, found = self._found(pair, request, report)
            stored, found = found, self.todays_results(found, discovery)
            cells = missing_cells(request.cells, found.done(), is_fresh=request.is_fresh)
            if not cells:
                return found
            begun = found.to_measure_afresh(cells) if request.is_fresh else found
            kept = _KeptTransfers(begun, file, on_result)
            reports = CellReports(report, kept.keep, kept.keep_condition)
            sessions = self.sessions(pair, token=token)
            machines = self.node_machines(pair, NODE_NEEDS, token=token) if request.nodes is NodeKind.MACHINES else None
            tunnels = DeployedTunnels.of_study(discovery, sessions, self.store.audit)
            version = iperf3_version(machines.facts if machines is not None else discovery.facts[Side.A.value])
            plan = TransferPlan(
                *(cells, satellite_choices(self.adapters, discovery, cells), self.lab_service.guests(pair)),
                is_lab=pair.is_lab,
                size_bytes=TRANSFER_BYTES,
                can_end_early=can_end_early(version),
            )
            shaping = None if pair.is_lab else HostShaping.of(self.adapters, discovery, tunnels, sessions, token=token)
            if begun is not stored:
                kept.store()
            with self._emulation(pair) as emulation, changing_hosts():
                TransferRun(
                    *(plan, sessions, discovery.link, tunnels, *emulation, reports, token),
                    machines=machines,
                    shaping=shaping,
                ).run()
        return kept.results

    def _found(self, pair: PairSpec, request: StudyRequest, report: Callable[[str], None]) -> tuple[Path, StudyResults]:
        """Return the file of results on a pair's machines, and what there is; others get a file of theirs."""
        study, folder = request.study, nodes_dir(self.paths.studies_dir, request.nodes)
        file = results_file(folder, study, pair.name)
        none = StudyResults(study, pair.name, "", TRANSFER_BYTES, nodes=request.nodes)
        return file, self.own_results(file, pair, none, load_results, report)

    def _refuse(self, pair: PairSpec, request: StudyRequest) -> None:
        """Refuse a lab that does not run, and hosts of the user's own that the study is not for, or without consent."""
        if not pair.is_lab:
            request.use_of_own_hosts.refuse(pair, request.nodes)
            request.use_of_own_hosts.check(pair, request.consent)
        elif self.lab_service.find(pair) is None:
            raise InvalidOption(STUDY_NEEDS_LAB(pair=pair.name))

    @contextmanager
    def _emulation(self, pair: PairSpec) -> Iterator[_Emulation]:
        """Yield what conditions a lab's link, and why it deviates; its link is released at the end.

        On other hosts both do nothing: they make conditions themselves.
        """
        lab = self.lab_service.find(pair) if pair.is_lab else None
        if lab is None:
            yield (lambda _condition: None), (lambda _condition: "")
            return
        manager = self.lab_service.manager
        try:
            yield partial(manager.hold_condition, lab.spec.name), LabLink(self.lab_service, pair).deviation
        finally:
            with suppress(NotFound):  # it has ended meanwhile
                manager.release_condition(lab.spec.name)
