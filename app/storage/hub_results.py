"""Results of the study of a hub on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.hub_study import HubCell, HubResult
from app.storage.study_files import read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class HubResults:
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per cell.
        format: Format of the file.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[HubResult, ...] = ()
    format: int = FORMAT

    def done(self) -> frozenset[HubCell]:
        """Return the cells with an undisturbed figure."""
        return frozenset(one.cell for one in self.results if one.value is not None and not one.is_disturbed)

    def with_result(self, result: HubResult) -> HubResults:
        """Return them with one more result; an earlier one of the same cell goes."""
        others = tuple(one for one in self.results if one.cell != result.cell)
        return replace(self, results=(*others, result))


def load_hub_results(file: Path) -> HubResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, HubResults, known=FORMAT)
