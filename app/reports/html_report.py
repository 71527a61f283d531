"""The report for people: one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.reports.figures import draw_figures
from app.reports.files import write_atomically
from app.reports.html_page import render_page
from app.reports.svg import PAGE
from app.reports.view import COLUMNS, report_view
from app.reports.view_candidates import LATENCY_COLUMNS


def to_html(record: CampaignRecord, ranking: Ranking) -> str:
    """Return the report as one page: style and figures inside, no script, nothing fetched.

    Returns:
        An HTML document.
    """
    return render_page(
        "report.html.j2",
        **report_view(record, ranking),
        columns=COLUMNS,
        latency_columns=LATENCY_COLUMNS,
        figures=draw_figures(record, ranking, PAGE),
    )


def write_html(record: CampaignRecord, ranking: Ranking, path: Path) -> None:
    """Write the report for people.

    Args:
        path: Where to; an existing file is replaced.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    write_atomically(path, to_html(record, ranking).encode())
