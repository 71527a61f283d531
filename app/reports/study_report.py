"""Reports of a repetition of the satellite study: JSON for programs, one HTML page for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from app.domain.transfers import TransferCell, TransferResult
from app.ranking.published_transfers import STUDY, published_transfers
from app.ranking.study_parts import SATCOM
from app.ranking.transfer_figures import figure_maps
from app.ranking.transfer_goals import KNOWN_REASONS
from app.reports.files import write_outcome
from app.reports.heat_map_data import heat_map_data
from app.reports.heat_map_view import correlation_text, heat_html
from app.reports.html_page import render_page
from app.reports.json_report import condition_data
from app.reports.study_view import (
    GOAL_WORDS,
    MOST_NAMED,
    cell_name,
    link_lines,
    more_text,
    own_text,
    place_text,
    published_text,
    study_view,
)
from app.storage.study_results import StudyResults
from app.wording.language import source_language


def study_json(results: StudyResults, cells: Sequence[TransferCell]) -> dict[str, object]:
    """Return results beside published ones, for programs."""
    with source_language():
        return _study_data(results, cells)


def _study_data(results: StudyResults, cells: Sequence[TransferCell]) -> dict[str, object]:
    view, published = study_view(results, cells), published_transfers()
    found = {one.cell: one for one in results.results}
    agreed = view.agreement
    return {
        "format": 1,
        "study": results.study,
        "pair": results.pair,
        "version": results.version,
        "topology": "nodes-routed",
        "nodes": results.nodes.value,
        "cells": [
            {
                "condition": cell.condition,
                "congestion": cell.congestion,
                "solution": cell.solution,
                "proxy": cell.proxy,
                "seconds": view.own_s.get(cell),
                "published_s": published.get(cell),
                "retransmits": found[cell].retransmits if cell in found else None,
                "sender_congestion": found[cell].congestion if cell in found else None,
                "proxy_congestion": found[cell].proxy_congestion if cell in found else None,
                "own_load_cores": found[cell].own_load_cores if cell in found else None,
                "measured_condition": _condition_of(found.get(cell)),
                "is_condition_missed": cell in found and found[cell].is_condition_missed,
                "suite": found[cell].suite if cell in found else "",
                "message": found[cell].message if cell in found else "not measured",
            }
            for cell in cells
        ],
        "rtt_ms": results.rtt_ms or {},
        "pairs": agreed.pairs,
        "same_order": agreed.same,
        "rank_correlation": agreed.correlation,
        "against": [[cell_name(one), cell_name(other)] for one, other in agreed.against],
        "goals": [{"text": one.text, "is_met": one.is_met} for one in view.goals],
        "advice": list(view.advice),
        "heat_maps": heat_map_data(view.comparisons),
    }


def published_json() -> dict[str, object]:
    """Return what the satellite study publishes, for programs."""
    published = published_transfers()
    with source_language():
        maps = heat_map_data(figure_maps({}, published))
    cells = [{**asdict(cell), "published_s": seconds} for cell, seconds in published.items()]
    return {"format": 1, "study": SATCOM, "source": STUDY, "cells": cells, "heat_maps": maps}


def _condition_of(result: TransferResult | None) -> dict[str, object] | None:
    found = result.measured_condition if result is not None else None
    return condition_data(found) if found is not None else None


def study_to_html(results: StudyResults, cells: Sequence[TransferCell]) -> str:
    """Return a repetition as one page: style inside, no script, nothing fetched."""
    view = study_view(results, cells)
    return render_page(
        "study.html.j2",
        view=view,
        place=place_text(results.pair, results.nodes),
        source=STUDY,
        correlation=correlation_text(view.agreement),
        goal_words=GOAL_WORDS,
        reasons=KNOWN_REASONS,
        against=view.agreement.against[:MOST_NAMED],
        more=more_text(view.agreement.against),
        cell_name=cell_name,
        own_text=partial(own_text, view),
        published_text=published_text,
        maps=heat_html(view.comparisons),
        links=link_lines(results, cells),
    )


def write_study(results: StudyResults, cells: Sequence[TransferCell], path: Path) -> Path:
    """Write a repetition; its kind follows from the ending: .html or .json.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: It is another kind, or nothing can be written there.
    """
    return write_outcome(path, lambda: study_to_html(results, cells), lambda: study_json(results, cells))
