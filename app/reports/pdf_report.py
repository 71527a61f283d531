"""The report on paper."""

from __future__ import annotations

import json
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from app.domain.errors import Bug
from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.reports.figures import draw_figures
from app.reports.files import write_atomically
from app.reports.svg import PRINT
from app.reports.text import clean
from app.reports.view import COLUMNS, report_view
from app.reports.view_candidates import LATENCY_COLUMNS


def to_pdf(record: CampaignRecord, ranking: Ranking) -> bytes:
    """Return the report as PDF. Nothing is taken from the system, its fonts included.

    Texts go to typst as values in a JSON file, never as markup, so that whatever a host prints remains text.

    Returns:
        A PDF file.

    Raises:
        Bug: The template does not fit the data.
    """
    import matplotlib as mpl
    import typst

    with (
        tempfile.TemporaryDirectory(prefix="tunnelmark-") as name,
        as_file(files("resources") / "templates" / "report.typ") as template,
    ):
        folder = Path(name)
        drawn = []
        for figure in draw_figures(record, ranking, PRINT):
            (folder / f"{figure.name}.svg").write_text(figure.svg, encoding="utf-8")
            drawn.append({"title": figure.title, "caption": figure.caption, "file": f"{figure.name}.svg"})
        view = report_view(record, ranking)
        view |= {"figures": drawn, "columns": list(COLUMNS), "latency_columns": list(LATENCY_COLUMNS)}
        (folder / "data.json").write_text(json.dumps(_cleaned(view)), encoding="utf-8")
        (folder / "report.typ").write_bytes(template.read_bytes())
        try:
            return typst.compile(
                folder / "report.typ",
                root=folder,
                font_paths=[Path(mpl.get_data_path()) / "fonts" / "ttf"],
                ignore_system_fonts=True,
                timestamp=int(record.started_at.timestamp()),
            )
        except typst.TypstError as fault:
            raise Bug("The PDF report could not be made.", context={"typst": str(fault)}) from fault


def write_pdf(record: CampaignRecord, ranking: Ranking, path: Path) -> None:
    """Write the report on paper.

    Args:
        path: Where to; an existing file is replaced.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
        Bug: The template does not fit the data.
    """
    write_atomically(path, to_pdf(record, ranking))


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cleaned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return clean(value) if isinstance(value, str) else value
