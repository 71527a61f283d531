"""Results of the study of a hub on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.domain.hub_study import HubCell, HubResult
from app.storage.study_files import ResultsByKey, read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class HubResults(ResultsByKey):
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per cell.
        format: Format of the file.
        afresh: Cells that are to be measured again; a result that they have is of an earlier run.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[HubResult, ...] = ()
    format: int = FORMAT
    afresh: tuple[HubCell, ...] = ()

    @staticmethod
    def key_of(result: HubResult) -> HubCell:
        """Return the cell."""
        return result.cell

    @staticmethod
    def is_whole(result: HubResult) -> bool:
        """Return whether a result has an undisturbed figure."""
        return result.value is not None and not result.is_disturbed


def load_hub_results(file: Path) -> HubResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, HubResults, known=FORMAT)
