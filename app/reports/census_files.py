"""Reports of a census; the kind follows from the file's ending."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from app.domain.census import CensusRecord
from app.domain.errors import InvalidOption
from app.domain.verdicts import Verdict
from app.reports.census_html import write_census_html
from app.reports.census_json import write_census_json

WRITERS = {".json": write_census_json, ".html": write_census_html}


def write_census(record: CensusRecord, verdicts: Mapping[tuple[str, str], Verdict], path: Path) -> Path:
    """Write a census to a file: .json or .html.

    Returns:
        The absolute path.

    Raises:
        InvalidOption: There is no report of that kind, or nothing can be written there.
        DiskFull: No space is left there.
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InvalidOption(
            f"There is no report of a census of the kind {path.suffix or path.name}.",
            hint=f"Use one of {', '.join(WRITERS)}.",
        )
    path = path.expanduser().absolute()
    writer(record, verdicts, path)
    return path
