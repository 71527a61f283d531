"""Results of the study with nodes on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cattrs import structure

from app.domain.atomic import replace_file
from app.domain.errors import InvalidFile
from app.domain.messages import from_stored, to_stored
from app.domain.node_study import NodeResult
from app.storage.messages import STUDY_FORMAT, STUDY_UNREAD

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
    try:
        found = _with_texts(structure(json.loads(file.read_text(encoding="utf-8")), NodeResults), from_stored)
    except FileNotFoundError:
        return None
    except Exception as error:  # cattrs raises groups of what it finds
        raise InvalidFile(STUDY_UNREAD(file=file, kind=type(error).__name__)) from error
    if found.format != FORMAT:
        raise InvalidFile(STUDY_FORMAT(file=file, format=found.format, known=FORMAT))
    return found


def save_node_results(file: Path, results: NodeResults) -> None:
    """Write results, all at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, f"{json.dumps(asdict(_with_texts(results, to_stored)), indent=2)}\n".encode())


def _with_texts(results: NodeResults, change: Callable[[str], str]) -> NodeResults:
    """Return results with another form of their messages: as they are stored, or as they are shown."""
    return replace(results, results=tuple(replace(one, message=change(one.message)) for one in results.results))
