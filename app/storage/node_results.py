"""Results of the study with nodes on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.node_study import NodeResult
from app.storage.study_files import read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class NodeResults:
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured: the amounts of all its rounds.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per setting and round.
        format: Format of the file.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[NodeResult, ...] = ()
    format: int = FORMAT

    def done(self) -> frozenset[tuple[str, int]]:
        """Return settings and rounds that have undisturbed figures, and in the first round captures."""
        return frozenset(
            one.key
            for one in self.results
            if one.has_figures and not one.is_disturbed and (one.round > 1 or one.hops is not None)
        )

    def with_result(self, result: NodeResult) -> NodeResults:
        """Return them with one more result; an earlier one of the same setting and round goes."""
        others = tuple(one for one in self.results if one.key != result.key)
        return replace(self, results=(*others, result))


def load_node_results(file: Path) -> NodeResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, NodeResults, known=FORMAT)
