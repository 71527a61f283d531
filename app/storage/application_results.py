"""Results of applications over a satellite link on a pair, kept in a file of their own, so that a run is resumed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.domain.application_study import ApplicationResult
from app.domain.topology import NodeKind
from app.domain.transfers import TransferCell
from app.storage.study_files import ResultsByKey, read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class ApplicationResults(ResultsByKey):
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per cell.
        format: Format of the file.
        afresh: Cells that are to be measured again; a result that they have is of an earlier run.
        nodes: Kind of the nodes behind the hosts.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[ApplicationResult, ...] = ()
    format: int = FORMAT
    afresh: tuple[TransferCell, ...] = ()
    nodes: NodeKind = NodeKind.NAMESPACES

    @staticmethod
    def key_of(result: ApplicationResult) -> TransferCell:
        """Return the cell."""
        return result.cell

    @staticmethod
    def is_whole(result: ApplicationResult) -> bool:
        """Return whether a result has undisturbed figures of all applications under its condition."""
        return result.has_figures and not (result.is_disturbed or result.is_condition_missed)


def load_application_results(file: Path) -> ApplicationResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, ApplicationResults, known=FORMAT)
