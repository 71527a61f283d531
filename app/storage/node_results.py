"""Results of the study with nodes on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.domain.node_study import NodeResult
from app.domain.topology import NodeKind
from app.storage.study_files import ResultsByKey, read_study

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class NodeResults(ResultsByKey):
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        part: Part that was measured: the amounts of all its rounds.
        version: Tunnelmark's version that measured last.
        results: In the order of measuring, one per setting and round.
        format: Format of the file.
        afresh: Settings and rounds that are to be measured again; a result that they have is of an earlier run.
        nodes: Kind of the nodes behind the hosts.
    """

    study: str
    pair: str
    part: str
    version: str
    results: tuple[NodeResult, ...] = ()
    format: int = FORMAT
    afresh: tuple[tuple[str, int], ...] = ()
    nodes: NodeKind = NodeKind.NAMESPACES

    @staticmethod
    def key_of(result: NodeResult) -> tuple[str, int]:
        """Return setting and round."""
        return result.key

    @staticmethod
    def is_whole(result: NodeResult) -> bool:
        """Return whether a result has undisturbed figures, and in the first round captures."""
        return result.has_figures and not result.is_disturbed and (result.round > 1 or result.hops is not None)


def load_node_results(file: Path) -> NodeResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    return read_study(file, NodeResults, known=FORMAT)
