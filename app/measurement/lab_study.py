"""Study with a run of its own on practice labs: its parts, how much of one is measured, and what a run has at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hubs import Hub, SessionHub
from app.domain.messages import MessageForm
from app.domain.node_protection import NodeProtection
from app.measurement.interfaces import ConditionedLink
from app.measurement.node_machines import NodeMachines
from app.measurement.tunnels import DeployedTunnels
from app.storage.study_files import KeptStudy, ResultsByKey


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
        machines: Nodes that are hosts of their own; None for namespaces on the gateways.
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
    machines: NodeMachines | None = None


class LabStudy(ABC):
    """A study with a run of its own.

    Attributes:
        name: Name of the study.
        parts: Names of its parts, the shortest first.
        needs_lab: Refuses a pair that is no practice lab.
        can_have_machines: Whether its nodes may be machines of their own.
    """

    name: str
    parts: tuple[str, ...]
    needs_lab: MessageForm
    can_have_machines: bool = False

    @abstractmethod
    def keys(self, part: str) -> Sequence[Hashable]:
        """Return the keys of a part's measurements, in the order of measuring."""

    @abstractmethod
    def predicted_s(self, part: str, keys: Sequence[Hashable]) -> float:
        """Return about how long some measurements of a part take, in s."""

    @abstractmethod
    def none(self, pair: str, part: str) -> Any:
        """Return results of a part on a pair of which nothing is measured."""

    @abstractmethod
    def load(self, file: Path) -> Any:
        """Read results; None where there are none.

        Raises:
            InvalidFile: The file cannot be read.
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

    def missing(self, part: str, done: Collection[Hashable]) -> tuple[Any, ...]:
        """Return the keys of a part that are not done."""
        return tuple(key for key in self.keys(part) if key not in done)

    def state(self, part: str, results: ResultsByKey | None, ended: Collection[Hashable] = ()) -> LabPartState:
        """Return how much of a part is measured.

        Args:
            results: What there is; None for nothing.
            ended: Keys of results that count as measured although they are to be measured again: those that failed.
        """
        done = results.done() if results is not None else frozenset()
        keys, missing = self.keys(part), self.missing(part, done.union(ended))
        predicted = self.predicted_s(part, keys), self.predicted_s(part, missing)
        return LabPartState(part, len(keys), len(keys) - len(missing), *predicted)
