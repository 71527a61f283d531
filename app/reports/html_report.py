"""The report for people: one HTML file that needs nothing else."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.reports.figures import draw_figures
from app.reports.files import write_atomically
from app.reports.svg import PAGE
from app.reports.tables import with_roles
from app.reports.text import clean
from app.reports.view import COLUMNS, report_view
from app.reports.view_candidates import LATENCY_COLUMNS


def to_html(record: CampaignRecord, ranking: Ranking) -> str:
    """Return the report as one page: style and figures inside, no script, nothing fetched.

    Returns:
        An HTML document.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def harmless(value: object) -> object:
        return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=harmless, trim_blocks=True, lstrip_blocks=True
    )
    folder = files("resources") / "templates"
    style = (folder / "report.css").read_text(encoding="utf-8")
    template = environment.from_string((folder / "report.html.j2").read_text(encoding="utf-8"))
    page = template.render(
        **report_view(record, ranking),
        columns=COLUMNS,
        latency_columns=LATENCY_COLUMNS,
        figures=draw_figures(record, ranking, PAGE),
        style=Markup(style),  # noqa: S704 - our own file
        trusted=Markup,
    )
    return with_roles(page)


def write_html(record: CampaignRecord, ranking: Ranking, path: Path) -> None:
    """Write the report for people.

    Args:
        path: Where to; an existing file is replaced.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    write_atomically(path, to_html(record, ranking).encode())
