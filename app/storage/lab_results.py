"""Results of studies with a run of their own, kept in a file for each pair and part, so that a run goes on there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from app.domain.application_study import ApplicationResult
from app.domain.hub_study import FORMER_WITHIN_S, HubCell, HubKind, HubResult
from app.domain.node_study import NodeResult
from app.domain.topology import NodeKind
from app.domain.transfers import TransferCell
from app.storage.study_files import ResultsByKey, read_study

Result = TypeVar("Result", bound=Any)
"""Result of a measurement, with a message."""
Key = TypeVar("Key", bound=Hashable)
"""Key of a result: its cell, or its setting and round."""

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class PartResults(ResultsByKey, Generic[Result, Key]):
    """Results so far of a part of a study on a pair.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per key.
        format: Format of the file.
        afresh: Keys that are to be measured again; a result that they have is of an earlier run.
        nodes: Kind of the nodes behind the hosts.
        machines: Hosts and nodes that were measured, as `PairSpec.machines`; none in files of earlier versions.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[Result, ...] = ()
    format: int = FORMAT
    afresh: tuple[Key, ...] = ()
    nodes: NodeKind = NodeKind.NAMESPACES
    machines: tuple[str, ...] = ()

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """Read results; None where there are none.

        Raises:
            InvalidFile: The file cannot be read.
        """
        return read_study(file, cls, known=FORMAT)


class ApplicationResults(PartResults[ApplicationResult, TransferCell]):
    """Results of applications over a satellite link, one per cell."""

    __slots__ = ()

    @staticmethod
    def key_of(result: ApplicationResult) -> TransferCell:
        """Return the cell."""
        return result.cell

    @staticmethod
    def is_whole(result: ApplicationResult) -> bool:
        """Return whether a result has undisturbed figures of all applications under its condition."""
        return result.has_figures and not (result.is_disturbed or result.is_condition_missed)


class HubResults(PartResults[HubResult, HubCell]):
    """Results of a hub, one per cell."""

    __slots__ = ()

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """Read results as `PartResults.read`; restarts that earlier versions stored get the time that these gave."""
        found = super().read(file)
        if found is None:
            return None
        timed: dict[str, Any] = {
            "results": tuple(replace(one, cell=_with_time(one.cell)) for one in found.results),
            "afresh": tuple(map(_with_time, found.afresh)),
        }
        return replace(found, **timed)

    @staticmethod
    def key_of(result: HubResult) -> HubCell:
        """Return the cell."""
        return result.cell

    @staticmethod
    def is_whole(result: HubResult) -> bool:
        """Return whether a result has an undisturbed figure."""
        return result.value is not None and not result.is_disturbed


def _with_time(cell: HubCell) -> HubCell:
    """Return a cell with the time in which clients have to be back, where it has a restart."""
    is_former = cell.kind is HubKind.RECOVERY and cell.within_s is None
    return replace(cell, within_s=FORMER_WITHIN_S) if is_former else cell


class NodeResults(PartResults[NodeResult, tuple[str, int]]):
    """Results with nodes, one per setting and round; the part says the amounts of all rounds."""

    __slots__ = ()

    @staticmethod
    def key_of(result: NodeResult) -> tuple[str, int]:
        """Return setting and round."""
        return result.key

    @staticmethod
    def is_whole(result: NodeResult) -> bool:
        """Return whether a result has undisturbed figures, and in the first round captures."""
        return result.has_figures and not result.is_disturbed and (result.round > 1 or result.hops is not None)


LabResult = HubResult | NodeResult | ApplicationResult
LabResults = HubResults | NodeResults | ApplicationResults
