"""Reports of a comparison and of a census as files, in the format that the file's ending names."""

from __future__ import annotations

import json
from pathlib import Path

from app.domain.census import CensusRecord
from app.domain.errors import InvalidOption
from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.reports.census_json import Verdicts, census_data, census_to_json
from app.reports.csv_report import to_csv
from app.reports.files import write_atomically
from app.reports.html_page import render_page
from app.reports.html_report import to_html
from app.reports.json_report import to_json
from app.reports.messages import UNKNOWN_CENSUS_KIND
from app.reports.pdf_report import to_pdf
from app.wording.local_forms import minute_text

CENSUS_KINDS = (".json", ".html")


def write_report(record: CampaignRecord, ranking: Ranking, path: Path) -> None:
    """Write a comparison's report: .html, .pdf, .csv or .json.

    Args:
        path: Where to; an existing file is replaced.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
        Bug: The template of the PDF does not fit the data.
    """
    write_atomically(path, _report(record, ranking, path.suffix.lower()))


def _report(record: CampaignRecord, ranking: Ranking, ending: str) -> bytes:
    match ending:
        case ".html":
            return to_html(record, ranking).encode()
        case ".pdf":
            return to_pdf(record, ranking)
        case ".csv":
            return to_csv(record, ranking)
        case _:
            text = json.dumps(to_json(record, ranking), indent=2, ensure_ascii=False, allow_nan=False)
            return f"{text}\n".encode(errors="replace")


def write_census(record: CensusRecord, verdicts: Verdicts, path: Path) -> Path:
    """Write a census to a file: .json or .html.

    Returns:
        The absolute path.

    Raises:
        InvalidOption: There is no report of that kind, or nothing can be written there.
        DiskFull: No space is left there.
    """
    if path.suffix.lower() not in CENSUS_KINDS:
        raise InvalidOption(
            UNKNOWN_CENSUS_KIND(kind=path.suffix or path.name, known=CENSUS_KINDS),
        )
    path = path.expanduser().absolute()
    if path.suffix.lower() == ".html":
        write_atomically(path, census_to_html(record, verdicts).encode())
    else:
        write_atomically(path, f"{json.dumps(census_to_json(record, verdicts), indent=2)}\n".encode())
    return path


def census_to_html(record: CensusRecord, verdicts: Verdicts) -> str:
    """Return a census as one page in the current language: style inside, no script, nothing fetched.

    Args:
        verdicts: Of every suite that was tried.
    """
    date = f"{minute_text(record.started_at)} UTC"
    return render_page("census.html.j2", data=census_data(record, verdicts), date=date)
