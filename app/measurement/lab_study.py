"""Study with a run of its own: its parts, how much of one is measured, and what a run has at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import InvalidOption, NotFound, TunnelmarkError, left_by
from app.domain.hosts import PairSpec, Side
from app.domain.hubs import Hub, SessionHub
from app.domain.messages import MessageForm
from app.domain.node_protection import NodeProtection
from app.domain.pair_names import LAB_PREFIX
from app.domain.paths import Paths
from app.domain.solutions import Suite
from app.domain.version import tunnelmark_version
from app.lab.practice_labs import Labs
from app.measurement.host_shaping import HostShaping
from app.measurement.interfaces import ConditionedLink
from app.measurement.messages import NO_SAFE_SUITE
from app.measurement.messages.studies import DEFAULT_NOT_OFFERED, RESULTS_OF_FORMER_MACHINES, STUDY_WITHOUT_RESTART
from app.measurement.node_machines import NodeMachines
from app.measurement.node_needs import NodeNeeds
from app.measurement.own_hosts import OwnHostsUse
from app.measurement.tunnels import DeployedTunnels
from app.storage import Store
from app.storage.in_use import InUse
from app.storage.lab_results import LabResults
from app.storage.study_files import KeptStudy, R, ResultsByKey
from app.storage.study_results import separate_results


class StudyResources:
    """Parts of the program that every study on practice labs needs.

    Attributes:
        paths: Where results are kept.
        adapters: Of tunnels between two hosts, by solution.
        store: The database.
        in_use: Hosts that this user's processes work on.
        lab_service: Practice labs.
    """

    paths: Paths
    adapters: Mapping[str, Adapter]
    store: Store
    in_use: InUse
    lab_service: Labs

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        raise NotImplementedError

    def machines_of(self, pair: str) -> tuple[str, ...]:
        """Return the machines of a running lab or a stored pair; none of a lab that is down, and of other pairs."""
        if pair.startswith(LAB_PREFIX):
            return self.lab_service.machines(pair)
        try:
            return self.store.get_pair(pair).machines
        except NotFound:
            return ()

    @staticmethod
    def own_results(
        file: Path, pair: PairSpec, none: R, load: Callable[[Path], R | None], report: Callable[[str], None]
    ) -> R:
        """Return results on a pair's machines, to go on with; those on others get a file of theirs, and are named.

        Args:
            none: Results without any, of the study and the kind of nodes.
        """
        kept = separate_results(file, pair.machines, load)
        if kept is not None:
            report(RESULTS_OF_FORMER_MACHINES(pair=pair.name, study=none.study, file=kept))
        found = load(file) or none
        own: R = replace(found, nodes=none.nodes, machines=pair.machines or found.machines)
        return own

    def node_machines(self, pair: PairSpec, needs: NodeNeeds, *, token: CancelToken) -> NodeMachines:
        """Return the machines behind both gateways of a pair, logged in to, with what a study needs of them."""
        raise NotImplementedError


class LabStudyAdapters(Protocol):
    """Adapters that these studies choose from, by solution.

    Attributes:
        adapters: Of tunnels between two hosts.
        node_protections: Of nodes' frames.
        hubs: With many clients.
        session_hubs: Those whose clients remain connected.
    """

    adapters: Mapping[str, Adapter]
    node_protections: Mapping[str, NodeProtection]
    hubs: Mapping[str, Hub]
    session_hubs: Mapping[str, SessionHub]


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
class LabRun:
    """Run of a part on hosts that it holds.

    Attributes:
        part: Name of the part.
        discovery: What was found on the hosts.
        sessions: Connections to both hosts.
        tunnels: Makes tunnels.
        guests: Process ids of the lab's virtual machines.
        conditioned: Emulates conditions on the lab's link; None where that is not possible.
        kept: Results, stored as they come.
        report: Gets what happens.
        token: Cancels it.
        solutions: Those that are measured; none for all of the part.
        machines: Nodes that are hosts of their own; None for namespaces on the gateways.
        shaping: Makes conditions on hosts of the user's own; None in a lab, or where there are none.
    """

    part: str
    discovery: Discovery
    sessions: SessionPair
    tunnels: DeployedTunnels
    guests: tuple[int, ...]
    conditioned: ConditionedLink | None
    kept: KeptStudy[Any]
    report: Callable[[str], None]
    token: CancelToken
    solutions: tuple[str, ...] = ()
    machines: NodeMachines | None = None
    shaping: HostShaping | None = None


class LabStudy(ABC):
    """A study with a run of its own.

    Attributes:
        name: Name of the study.
        parts: Names of its parts, the shortest first.
        needs_lab: Refuses a pair that is no practice lab, and that it is not measured on.
        kind: Class of its results.
        node_needs: Its needs of nodes that are machines of their own; None where they cannot be.
        own_hosts: Sentence about what it changes on hosts of the user's own, with machines behind them; None for labs
            only.
        takes_others: Whether solutions that it does not have can be measured beside its own.
    """

    name: str
    parts: tuple[str, ...]
    needs_lab: MessageForm
    kind: type[LabResults]
    node_needs: NodeNeeds | None = None
    own_hosts: MessageForm | None = None
    takes_others: bool = False

    @abstractmethod
    def keys(self, part: str) -> Sequence[Hashable]:
        """Return the keys of a part's measurements, in the order of measuring."""

    @abstractmethod
    def predicted_s(self, part: str, keys: Sequence[Hashable], *, is_shaped: bool = False) -> float:
        """Return about how long some measurements of a part take, in s.

        Args:
            is_shaped: Whether the hosts shape the link themselves.
        """

    @abstractmethod
    def todays_suites(
        self, keys: Collection[Any], adapters: LabStudyAdapters, discovery: Discovery
    ) -> Mapping[Any, str]:
        """Return the titles of the suites that measurements would have on a pair's hosts today, by their keys.

        Keys of what these hosts do not have are not among them.
        """

    @abstractmethod
    def choices(self, adapters: LabStudyAdapters, run: LabRun) -> Sequence[Any]:
        """Return what a run uses of adapters and suites. Changes nothing.

        Raises:
            InvalidOption: The study is not possible on these hosts.
        """

    @abstractmethod
    def measure(self, run: LabRun, choices: Sequence[Any]) -> None:
        """Measure what is not done yet."""

    @property
    def within_s(self) -> int | None:
        """Time in which clients of a hub have to be back after its restart, in s; None where no hub is restarted."""
        return None

    def with_time(self, within_s: int) -> LabStudy:
        """Return the study with another time in which clients of a hub have to be back after its restart.

        Args:
            within_s: The time, in s.

        Raises:
            InvalidOption: The study restarts no hub.
        """
        del within_s
        raise InvalidOption(STUDY_WITHOUT_RESTART(study=self.name))

    def restarts(self, part: str, solutions: Collection[str] = ()) -> tuple[Any, ...]:
        """Return the keys of a part, or of some of its solutions, that restart a hub; none by default."""
        del part, solutions
        return ()

    def as_measured(self, results: LabResults) -> tuple[LabStudy, ...]:
        """Return the study once for each time that a hub's clients had; as it is where it restarts no hub."""
        del results
        return (self,)

    def none(self, pair: str, part: str) -> LabResults:
        """Return results of a part on a pair of which nothing is measured."""
        return self.kind(self.name, pair, part, tunnelmark_version())

    def solutions(self, part: str) -> tuple[str, ...]:
        """Return the solutions of a part, among which a run may choose; none where its measurements are of settings."""
        return tuple(dict.fromkeys(key.solution for key in self.chosen(part)))

    def chosen(self, part: str, solutions: Collection[str] = ()) -> tuple[Any, ...]:
        """Return the keys of a part's measurements, in the order of measuring.

        Args:
            solutions: Those whose measurements are wanted; none for all.
        """
        keys: Sequence[Any] = self.keys(part)
        return tuple(key for key in keys if not solutions or key.solution in solutions)

    def conditions(self, part: str, solutions: Collection[str] = ()) -> tuple[str, ...]:
        """Return the names of the conditions of the link that measurements of a part need; none by default."""
        del part, solutions
        return ()

    def use_of_own_hosts(self, part: str, solutions: Collection[str] = ()) -> OwnHostsUse:
        """Return the use that a part, or some of its solutions, make of hosts of the user's own."""
        return OwnHostsUse(self.name, self.own_hosts, self.needs_lab, self.conditions(part, solutions))

    def missing(self, part: str, done: Collection[Hashable], solutions: Collection[str] = ()) -> tuple[Any, ...]:
        """Return the keys of a part, or of some of its solutions, that are not done."""
        return tuple(key for key in self.chosen(part, solutions) if key not in done)

    def left(self, run: LabRun) -> tuple[Any, ...]:
        """Return the keys that a run has to measure."""
        return self.missing(run.part, run.kept.results.done(), run.solutions)

    def state(
        self,
        part: str,
        results: ResultsByKey | None,
        ended: Collection[Hashable] = (),
        solutions: Collection[str] = (),
        *,
        is_shaped: bool = False,
    ) -> LabPartState:
        """Return how much of a part is measured.

        Args:
            results: What there is; None for nothing.
            ended: Keys of results that count as measured although they are to be measured again: those that failed.
            solutions: Those that count; none for all.
            is_shaped: Whether the hosts shape the link themselves.
        """
        done = results.done() if results is not None else frozenset()
        keys, missing = self.chosen(part, solutions), self.missing(part, done.union(ended), solutions)
        predicted = (self.predicted_s(part, some, is_shaped=is_shaped) for some in (keys, missing))
        return LabPartState(part, len(keys), len(keys) - len(missing), *predicted)


@contextmanager
def changing_hosts() -> Iterator[None]:
    """Note, in an error that ends a `with` block in which hosts are changed, why one may not be restored."""
    try:
        yield
    except TunnelmarkError as error:
        error.left = left_by(error)
        raise


def usual_suite(adapter: Adapter, discovery: Discovery, solution: str) -> Suite | None:
    """Return the safe default of a solution on two hosts; the first suite there of one that protects nothing.

    None without a safe default, and where it is not offered: another suite would be measured in place of it.
    """
    facts = discovery.facts[Side.A.value], discovery.facts[Side.B.value]
    default = safe_default(discovery, solution)
    if default is not None:
        return find_suite(adapter, *facts, default)
    return next(iter(adapter.suites(*facts)), None) if adapter.info.is_unprotected else None


def why_no_suite(discovery: Discovery, solution: str) -> str:
    """Return why a solution has no usual suite on two hosts."""
    default = safe_default(discovery, solution)
    without = NO_SAFE_SUITE() if default is None else DEFAULT_NOT_OFFERED(suite=default)
    return discovery.unavailable.get(solution, without)


def safe_default(discovery: Discovery, solution: str) -> str | None:
    """Return the name of a solution's safe default on two hosts; None without one."""
    return next((suite for name, suite in discovery.defaults if name == solution), None)
