"""A census for people: one HTML file that needs nothing else."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from app.domain.census import CensusRecord
from app.reports.census_json import Verdicts, census_to_json
from app.reports.files import write_atomically
from app.reports.tables import with_roles
from app.reports.text import clean


def census_to_html(record: CensusRecord, verdicts: Verdicts) -> str:
    """Return a census as one page: style inside, no script, nothing fetched.

    Args:
        verdicts: Of every suite that was tried.
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
    template = environment.from_string((folder / "census.html.j2").read_text(encoding="utf-8"))
    page = template.render(
        data=census_to_json(record, verdicts),
        style=Markup(style),  # noqa: S704 - our own file
    )
    return with_roles(page)


def write_census_html(record: CensusRecord, verdicts: Verdicts, path: Path) -> None:
    """Write a census for people.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    write_atomically(path, census_to_html(record, verdicts).encode())
