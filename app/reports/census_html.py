"""A census for people: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from app.domain.census import CensusRecord
from app.reports.census_json import Verdicts, census_to_json
from app.reports.files import write_atomically
from app.reports.html_page import render_page


def census_to_html(record: CensusRecord, verdicts: Verdicts) -> str:
    """Return a census as one page: style inside, no script, nothing fetched.

    Args:
        verdicts: Of every suite that was tried.
    """
    return render_page("census.html.j2", data=census_to_json(record, verdicts))


def write_census_html(record: CensusRecord, verdicts: Verdicts, path: Path) -> None:
    """Write a census for people.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    write_atomically(path, census_to_html(record, verdicts).encode())
