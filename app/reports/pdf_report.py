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
from app.reports.figures import Drawn, draw_figures
from app.reports.history_figures import draw_histories
from app.reports.messages import PDF_FAILED
from app.reports.svg import PRINT
from app.reports.text import clean
from app.reports.view import COLUMNS, report_view
from app.reports.view_candidates import LATENCY_COLUMNS
from app.wording.language import current_language, template_texts, tr


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
        drawn = [_written(figure, folder) for figure in draw_figures(record, ranking, PRINT)]
        view = report_view(record, ranking)
        histories = draw_histories(record, ranking, PRINT)
        for one in view["candidates"]:
            history = histories.get((one["solution"], one["suite"]))
            one["history"] = _written(history, folder) if history is not None else None
        view |= {"figures": drawn, "columns": list(map(tr, COLUMNS)), "latency_columns": list(map(tr, LATENCY_COLUMNS))}
        source = template.read_text(encoding="utf-8")
        view |= {"language": current_language(), "words": {text: tr(text) for text in template_texts(source)}}
        (folder / "data.json").write_text(json.dumps(_cleaned(view)), encoding="utf-8")
        (folder / "report.typ").write_text(source, encoding="utf-8")
        try:
            return typst.compile(
                folder / "report.typ",
                root=folder,
                font_paths=[Path(mpl.get_data_path()) / "fonts" / "ttf"],
                ignore_system_fonts=True,
                timestamp=int(record.started_at.timestamp()),
            )
        except typst.TypstError as fault:
            raise Bug(PDF_FAILED(), context={"typst": str(fault)}) from fault


def _written(figure: Drawn, folder: Path) -> dict[str, str]:
    name = f"{figure.name}.svg"
    (folder / name).write_text(figure.svg, encoding="utf-8")
    return {"title": figure.title, "caption": figure.caption, "file": name}


def _cleaned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cleaned(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(each) for each in value]
    return clean(value) if isinstance(value, str) else value
