"""Results of a study on a pair, kept in a file of their own, so that a run goes on where it stopped."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cattrs import structure

from app.domain.atomic import replace_file
from app.domain.errors import InvalidFile
from app.domain.transfers import TransferCell, TransferResult

FORMAT = 1
"""Raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class StudyResults:
    """Results so far.

    Attributes:
        study: Name of the study.
        pair: Name of the pair.
        version: Tunnelmark's version that measured last.
        size_bytes: Bytes of a transfer.
        results: In the order of measuring, one per cell.
        rtt_ms: Round-trip time of the bare link in ms by condition, as it was measured.
        format: Format of the file.
    """

    study: str
    pair: str
    version: str
    size_bytes: int
    results: tuple[TransferResult, ...] = ()
    rtt_ms: dict[str, float] | None = None
    format: int = FORMAT

    def times_s(self) -> dict[TransferCell, float]:
        """Return the transfer times in s of the cells that ended."""
        return {one.cell: one.seconds for one in self.results if one.seconds is not None}

    def with_result(self, result: TransferResult) -> StudyResults:
        """Return them with one more result; an earlier one of the same cell goes."""
        others = tuple(one for one in self.results if one.cell != result.cell)
        return replace(self, results=(*others, result))

    def with_rtt(self, condition: str, rtt_ms: float) -> StudyResults:
        """Return them with the round-trip time that was measured under a condition."""
        return replace(self, rtt_ms={**(self.rtt_ms or {}), condition: rtt_ms})


def results_file(folder: Path, study: str, pair: str) -> Path:
    """Return the file of a study's results on a pair."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", pair).strip("-")
    return folder / f"{study}-{name}.json"


def load_results(file: Path) -> StudyResults | None:
    """Read results; None where there are none.

    Raises:
        InvalidFile: The file cannot be read.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = structure(data, StudyResults)
    except FileNotFoundError:
        return None
    except Exception as error:  # cattrs raises groups of what it finds
        raise InvalidFile(
            f"The results in {file} cannot be read: {type(error).__name__}.",
            hint="Move the file away to begin again, or restore it.",
        ) from error
    if found.format != FORMAT:
        raise InvalidFile(f"The results in {file} have format {found.format}; this version reads {FORMAT}.")
    return found


def save_results(file: Path, results: StudyResults) -> None:
    """Write results, all at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, f"{json.dumps(asdict(results), indent=2)}\n".encode())
