"""Studies with a run of their own, planned and run in one way, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import PairSpec
from app.domain.hubs import Hub, SessionHub
from app.domain.node_protection import NodeProtection
from app.domain.progress import ProgressSink
from app.domain.topology import NodeKind
from app.measurement.application_studies import ApplicationStudy
from app.measurement.host_shaping import HostShaping
from app.measurement.hub_studies import HubStudy
from app.measurement.interfaces import ConditionedLink
from app.measurement.lab_study import LabPartState, LabRun, LabStudy, StudyResources, changing_hosts
from app.measurement.messages.studies import A_STUDY, NO_NODE_MACHINES, STUDY_WITHOUT_MACHINES
from app.measurement.node_machines import hosts_of
from app.measurement.node_studies import NodeStudy
from app.measurement.own_hosts import OwnHostsConsent, OwnHostsUse
from app.measurement.tunnels import DeployedTunnels
from app.storage.lab_results import LabResults
from app.storage.study_files import KeptStudy, ResultsByKey
from app.storage.study_results import load_own, nodes_dir, own_loader, read_kinds, results_file

Stored = tuple[tuple[LabResults, ...], tuple[InvalidFile, ...]]

LAB_STUDIES: Mapping[str, LabStudy] = {one.name: one for one in (NodeStudy(), HubStudy(), ApplicationStudy())}
"""By name."""


@dataclass(frozen=True, slots=True)
class WantedLabStudy:
    """A part of a study that a user wants to be measured.

    Attributes:
        study: The study.
        part: Name of its part.
        pair: A practice lab's, or one of the user's own with machines behind its hosts.
        is_fresh: Whether what has a result is measured again. Each result remains until there is a new one; a later run
            that is not fresh goes on.
        solutions: Those of the part that are measured; none for all.
        nodes: Kind of the nodes; each has results of its own.
        consent: What the user agreed to on hosts of their own.
    """

    study: LabStudy
    part: str
    pair: PairSpec
    is_fresh: bool = False
    solutions: tuple[str, ...] = ()
    nodes: NodeKind = NodeKind.NAMESPACES
    consent: OwnHostsConsent = field(default_factory=OwnHostsConsent)

    @property
    def use_of_own_hosts(self) -> OwnHostsUse:
        """The use that it makes of hosts of the user's own."""
        return self.study.use_of_own_hosts(self.part, self.solutions)

    @property
    def is_shaped(self) -> bool:
        """Whether the hosts shape the link themselves."""
        return not self.pair.is_lab and bool(self.use_of_own_hosts.conditions)

    def begun(self, found: LabResults) -> LabResults:
        """Return results as a run begins with them: what it measures afresh is marked."""
        if not self.is_fresh:
            return found
        return found.to_measure_afresh(self.study.chosen(self.part, self.solutions))


class LabStudyOperations(StudyResources):
    """Runs these studies.

    Attributes:
        node_protections: Of nodes' frames, by solution.
        hubs: With many clients, by solution.
        session_hubs: Those whose clients remain connected.
    """

    node_protections: Mapping[str, NodeProtection]
    hubs: Mapping[str, Hub]
    session_hubs: Mapping[str, SessionHub]

    def lab_results(self, study: str, pair: str, part: str, nodes: NodeKind = NodeKind.NAMESPACES) -> LabResults:
        """Return what was measured of a part on a pair's machines; without results if nothing was."""
        of_study, file = LAB_STUDIES[study], self.lab_results_file(study, pair, part, nodes)
        load: Callable[[Path], LabResults | None] = of_study.kind.read
        found: LabResults = load_own(file, self.machines_of(pair), load) or of_study.none(pair, part)
        return replace(found, nodes=nodes)

    def todays_lab_results(self, found: LabResults, discovery: Discovery) -> LabResults:
        """Return results with those to be measured again that are of another suite than would be measured now."""
        results: ResultsByKey = found
        keys = [results.key_of(one) for one in results.results if one.suite]
        return found.with_suites(LAB_STUDIES[found.study].todays_suites(keys, self, discovery))

    def lab_results_file(self, study: str, pair: str, part: str, nodes: NodeKind = NodeKind.NAMESPACES) -> Path:
        """Return the file of a part's results: those of one part do not replace those of another."""
        return results_file(nodes_dir(self.paths.studies_dir, nodes), f"{study}-{part}", pair)

    def stored_lab_results(self, study: str) -> Stored:
        """Return what was measured of each part on any pair's machines, and why other files of it cannot be read."""
        return stored_lab_results(self.paths.studies_dir, study, self.machines_of)

    def refuse_lab_study(self, wanted: WantedLabStudy) -> None:
        """Refuse a pair on which a study is not run.

        Raises:
            InvalidOption: The practice lab does not run, or as `OwnHostsUse.refuse`.
        """
        pair = wanted.pair
        if not pair.is_lab:
            wanted.use_of_own_hosts.refuse(pair, wanted.nodes)
        elif self.lab_service.find(pair) is None:
            raise InvalidOption(wanted.study.needs_lab(pair=pair.name))

    def run_lab_study(
        self,
        discovery: Discovery,
        wanted: WantedLabStudy,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[Any], None],
    ) -> LabResults:
        """Measure what is not done yet; each result is stored as soon as there is one.

        Raises:
            InvalidOption: As `refuse_lab_study`, or the study is not possible on the pair's hosts.
            InvalidPlan: The user has not agreed that hosts of their own are changed.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
            PackageMissing, PreflightRefused: As `log_in_to_nodes` and `HostShaping.of`.
        """
        study, pair, part = wanted.study, discovery.pair, wanted.part
        wanted = replace(wanted, pair=pair)
        refuse_machines(wanted)
        self.refuse_lab_study(wanted)
        if not pair.is_lab:
            wanted.use_of_own_hosts.check(pair, wanted.consent)
        with self.in_use.hold(hosts_of(pair, wanted.nodes), A_STUDY()):
            file, found = self._begun(wanted, report)
            begun = self.todays_lab_results(found, discovery)
            kept = KeptStudy(begun, file, on_result)
            sessions = self.sessions(pair, token=token)
            needs = study.node_needs if wanted.nodes is NodeKind.MACHINES else None
            machines = self.node_machines(pair, needs, token=token) if needs is not None else None
            tunnels = DeployedTunnels.of_study(discovery, sessions, self.store.audit)
            guests, conditioned = self.lab_service.guests(pair), self.lab_service.link(pair)
            is_shaped = wanted.is_shaped
            shaping = HostShaping.of(self.adapters, discovery, tunnels, sessions, token=token) if is_shaped else None
            run = LabRun(
                *(part, discovery, sessions, tunnels, guests, conditioned, kept, report, token),
                *(wanted.solutions, machines, shaping),
            )
            choices = study.choices(self, run)
            if begun.afresh:
                kept.store()
            is_as_found = not wanted.use_of_own_hosts.conditions
            with _directly_joined(conditioned) if is_as_found else nullcontext(), changing_hosts():
                study.measure(run, choices)
        return kept.results

    def _begun(self, wanted: WantedLabStudy, report: Callable[[str], None]) -> tuple[Path, LabResults]:
        """Return the file of results on a pair's machines, and what a run begins with; others get a file of theirs."""
        study, pair = wanted.study, wanted.pair
        file = self.lab_results_file(study.name, pair.name, wanted.part, wanted.nodes)
        load: Callable[[Path], LabResults | None] = study.kind.read
        none: LabResults = replace(study.none(pair.name, wanted.part), nodes=wanted.nodes)
        return file, wanted.begun(self.own_results(file, pair, none, load, report))


@contextmanager
def _directly_joined(link: ConditionedLink | None) -> Iterator[None]:
    """Hold a lab's link without a condition in a `with` block, whatever lasts on it; None for hosts of the user's own.

    Raises:
        LabFault, NotFound: The lab does not answer, or has ended.
    """
    if link is None:
        yield
        return
    try:
        link.hold(None)
        yield
    finally:
        link.release()


def stored_lab_results(
    folder: Path, study: str, machines_of: Callable[[str], tuple[str, ...]] = lambda _pair: ()
) -> Stored:
    """Return what was measured of each part on any pair, and why other files of it cannot be read.

    Args:
        folder: That of all studies.
        study: Name of the study.
        machines_of: Returns the machines of a pair, whose results alone are read; none for all.

    Returns:
        Results of each part of a pair and kind of nodes.
    """
    of_study = LAB_STUDIES[study]
    load: Callable[[Path], LabResults | None] = of_study.kind.read
    own: Callable[[Path], LabResults | None] = own_loader(load, machines_of)
    read: list[Stored] = [read_kinds(folder, f"{study}-{part}", own) for part in of_study.parts]
    return tuple(one for found, _ in read for one in found), tuple(one for _, faults in read for one in faults)


def refuse_machines(wanted: WantedLabStudy) -> None:
    """Refuse machines as nodes of a study or a pair that has none.

    Raises:
        InvalidOption: The study has none, or the pair names none.
    """
    refuse_machines_of(wanted.study, wanted.nodes)
    if wanted.nodes is NodeKind.MACHINES and not wanted.pair.nodes:
        raise InvalidOption(NO_NODE_MACHINES(pair=wanted.pair.name))


def refuse_machines_of(study: LabStudy, nodes: NodeKind) -> None:
    """Refuse machines as nodes of a study that has none, on any pair.

    Raises:
        InvalidOption: It has none.
    """
    if nodes is NodeKind.MACHINES and study.node_needs is None:
        raise InvalidOption(STUDY_WITHOUT_MACHINES(study=study.name))


class LabStudyServices(Protocol):
    """Services that the plan of a study needs."""

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair that other work on this computer holds."""
        ...

    def discover(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        """Inspect both hosts."""
        ...

    def refuse_lab_study(self, wanted: WantedLabStudy) -> None:
        """Refuse a pair on which a study is not run."""
        ...

    def lab_results(self, study: str, pair: str, part: str, nodes: NodeKind) -> LabResults:
        """Return what was measured of a part on a pair."""
        ...

    def todays_lab_results(self, found: LabResults, discovery: Discovery) -> LabResults:
        """Return results with those to be measured again that are of another suite than would be measured now."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedLabStudy:
    """A study as it would begin, on hosts that have been inspected.

    Attributes:
        discovery: What was found on the hosts.
        state: What a run has to measure.
    """

    discovery: Discovery
    state: LabPartState


def plan_lab_study(
    services: LabStudyServices, wanted: WantedLabStudy, *, token: CancelToken, on_progress: ProgressSink
) -> PlannedLabStudy:
    """Inspect both hosts, and say how much a run has to measure: all of a part where it is fresh. Changes nothing.

    Raises:
        InvalidOption: The study is not run on the pair, or the pair has no machines where they are to be the nodes.
        PairLocked: Other work on this computer holds one of the hosts.
    """
    study, pair = wanted.study, wanted.pair
    refuse_machines(wanted)
    services.refuse_lab_study(wanted)
    services.refuse_if_in_use(pair)
    found = services.discover(pair, token=token, on_progress=on_progress)
    stored = None
    if not wanted.is_fresh:
        kept = services.lab_results(study.name, pair.name, wanted.part, wanted.nodes)
        stored = services.todays_lab_results(kept, found)
    state = study.state(wanted.part, stored, solutions=wanted.solutions, is_shaped=wanted.is_shaped)
    return PlannedLabStudy(found, state)
