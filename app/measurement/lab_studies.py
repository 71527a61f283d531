"""Studies of their own kind on practice labs: the hub, and nodes behind gateways, planned and run in one way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidFile
from app.domain.hosts import PairSpec
from app.domain.hub_study import HubResult
from app.domain.node_study import NodeResult
from app.domain.progress import ProgressSink
from app.measurement.hub_studies import HUB_PARTS, missing_cells, predicted_hub_s
from app.measurement.node_studies import NODE_PARTS, NodeStudyRequest, predicted_node_s
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY, node_settings
from app.storage.hub_results import HubResults
from app.storage.node_results import NodeResults

LabResult = HubResult | NodeResult
LabResults = HubResults | NodeResults
Stored = tuple[tuple[LabResults, ...], tuple[InvalidFile, ...]]


class LabStudyServices(Protocol):
    """Services that these studies need."""

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair that other work on this computer holds."""
        ...

    def discover(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        """Inspect both hosts."""
        ...

    def refuse_hub_study(self, pair: PairSpec) -> None:
        """Refuse a pair on which the study of a hub is not run."""
        ...

    def hub_results(self, pair: str, part: str) -> HubResults:
        """Return what was measured of a hub."""
        ...

    def stored_hub_results(self) -> tuple[tuple[HubResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured of a hub on any pair."""
        ...

    def run_hub_study(
        self,
        discovery: Discovery,
        part: str,
        *,
        is_fresh: bool,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[HubResult], None],
    ) -> HubResults:
        """Measure the cells of a hub that are not done."""
        ...

    def refuse_node_study(self, pair: PairSpec) -> None:
        """Refuse a pair on which the study with nodes is not run."""
        ...

    def node_results(self, pair: str, part: str) -> NodeResults:
        """Return what was measured with nodes."""
        ...

    def stored_node_results(self) -> tuple[tuple[NodeResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured with nodes on any pair."""
        ...

    def run_node_study(
        self,
        discovery: Discovery,
        request: NodeStudyRequest,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[NodeResult], None],
    ) -> NodeResults:
        """Measure the rounds with nodes that are not done."""
        ...


@dataclass(frozen=True, slots=True)
class LabPartState:
    """A part of a study, and how much of it is measured on a pair.

    Attributes:
        name: Its name.
        total: Number of its measurements.
        measured: Number of those that are done.
        all_s: Predicted time of all, in s.
        left_s: Predicted time of the others, in s.
    """

    name: str
    total: int
    measured: int
    all_s: float
    left_s: float

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left."""
        return self.measured >= self.total


@dataclass(frozen=True, slots=True)
class WantedLabStudy:
    """A part of a study that a user wants to be measured.

    Attributes:
        study: The study.
        part: Name of its part.
        pair: A practice lab's.
        is_fresh: Whether what has a result is measured again.
    """

    study: LabStudy
    part: str
    pair: PairSpec
    is_fresh: bool = False


class LabStudy(Protocol):
    """A study with a run of its own."""

    @property
    def name(self) -> str:
        """Name of the study."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its parts, the shortest first."""
        ...

    def state(self, part: str, results: LabResults | None, ended: Collection[Any] = ()) -> LabPartState:
        """Return how much of a part is measured.

        Args:
            results: What there is; None for nothing.
            ended: Keys of results that count as measured although they are to be measured again: those that failed.
        """
        ...

    def results(self, services: LabStudyServices, pair: str, part: str) -> LabResults:
        """Return what was measured of a part on a pair; without results if nothing was."""
        ...

    def stored(self, services: LabStudyServices) -> Stored:
        """Return what was measured of each part on any pair, and why other files cannot be read."""
        ...

    def refuse(self, services: LabStudyServices, pair: PairSpec) -> None:
        """Refuse a pair on which it is not run."""
        ...

    def run(
        self,
        services: LabStudyServices,
        discovery: Discovery,
        wanted: WantedLabStudy,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[LabResult], None],
    ) -> LabResults:
        """Measure what is not done yet; each result is stored as soon as there is one."""
        ...


class _HubStudy:
    """Implements `LabStudy`: many clients of one hub."""

    name = HUB_STUDY
    parts = tuple(HUB_PARTS)

    def state(self, part: str, results: LabResults | None, ended: Collection[Any] = ()) -> LabPartState:
        """Return how much of a part is measured."""
        cells = missing_cells(part, ())
        done = results.done() if isinstance(results, HubResults) else frozenset()
        missing = missing_cells(part, done.union(ended))
        predicted = [predicted_hub_s(HUB_PARTS[part], one) for one in (cells, missing)]
        return LabPartState(part, len(cells), len(cells) - len(missing), *predicted)

    def results(self, services: LabStudyServices, pair: str, part: str) -> LabResults:
        """Return what was measured of a part on a pair."""
        return services.hub_results(pair, part)

    def stored(self, services: LabStudyServices) -> Stored:
        """Return what was measured on any pair."""
        return services.stored_hub_results()

    def refuse(self, services: LabStudyServices, pair: PairSpec) -> None:
        """Refuse a pair that is no practice lab."""
        services.refuse_hub_study(pair)

    def run(
        self,
        services: LabStudyServices,
        discovery: Discovery,
        wanted: WantedLabStudy,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[LabResult], None],
    ) -> LabResults:
        """Measure the cells that are not done yet."""
        return services.run_hub_study(
            discovery, wanted.part, is_fresh=wanted.is_fresh, token=token, report=report, on_result=on_result
        )


class _NodeStudy:
    """Implements `LabStudy`: a node behind each gateway."""

    name = NODE_STUDY
    parts = tuple(NODE_PARTS)

    def state(self, part: str, results: LabResults | None, ended: Collection[Any] = ()) -> LabPartState:
        """Return how much of a part is measured."""
        amounts, names = NODE_PARTS[part], {one.name for one in node_settings()}
        done = (results.done() if isinstance(results, NodeResults) else frozenset()).union(ended)
        measured = sum(name in names and number <= amounts.rounds for name, number in done)
        predicted = predicted_node_s(amounts), predicted_node_s(amounts, done)
        return LabPartState(part, amounts.rounds * len(names), measured, *predicted)

    def results(self, services: LabStudyServices, pair: str, part: str) -> LabResults:
        """Return what was measured of a part on a pair."""
        return services.node_results(pair, part)

    def stored(self, services: LabStudyServices) -> Stored:
        """Return what was measured on any pair."""
        return services.stored_node_results()

    def refuse(self, services: LabStudyServices, pair: PairSpec) -> None:
        """Refuse a pair that is no practice lab."""
        services.refuse_node_study(pair)

    def run(
        self,
        services: LabStudyServices,
        discovery: Discovery,
        wanted: WantedLabStudy,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[LabResult], None],
    ) -> LabResults:
        """Measure the rounds that are not done yet."""
        request = NodeStudyRequest(wanted.part, is_fresh=wanted.is_fresh)
        return services.run_node_study(discovery, request, token=token, report=report, on_result=on_result)


LAB_STUDIES: Mapping[str, LabStudy] = {one.name: one for one in (_NodeStudy(), _HubStudy())}
"""By name."""


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
    """Inspect both hosts, and say how much a run has to measure. Changes nothing.

    Raises:
        InvalidOption: The pair is no practice lab.
        PairLocked: Other work on this computer holds one of the hosts.
    """
    study, pair = wanted.study, wanted.pair
    study.refuse(services, pair)
    services.refuse_if_in_use(pair)
    found = services.discover(pair, token=token, on_progress=on_progress)
    return PlannedLabStudy(found, state_to_run(services, wanted))


def state_to_run(services: LabStudyServices, wanted: WantedLabStudy) -> LabPartState:
    """Return what a run has to measure: all of a part where it is fresh."""
    study = wanted.study
    stored = None if wanted.is_fresh else study.results(services, wanted.pair.name, wanted.part)
    return study.state(wanted.part, stored)
