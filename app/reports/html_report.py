"""The report for people: one HTML file that needs nothing else."""

from __future__ import annotations

from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.ranking.repeated_study import repeated_study
from app.ranking.study_maps import comparison_maps
from app.reports.figures import draw_figures
from app.reports.heat_map_view import heat_html
from app.reports.history_figures import draw_histories
from app.reports.html_page import render_page
from app.reports.mean_rank_table import MEAN_RANK_NOTE, mean_rank_table
from app.reports.svg import PAGE
from app.reports.view import COLUMNS, report_view
from app.reports.view_candidates import LATENCY_COLUMNS
from app.wording.language import tr


def to_html(record: CampaignRecord, ranking: Ranking) -> str:
    """Return the report as one page in the current language: style and figures inside, no script, nothing fetched.

    Returns:
        An HTML document.
    """
    repeated = repeated_study(record)
    return render_page(
        "report.html.j2",
        **report_view(record, ranking),
        columns=tuple(map(tr, COLUMNS)),
        latency_columns=tuple(map(tr, LATENCY_COLUMNS)),
        figures=draw_figures(record, ranking, PAGE),
        histories=draw_histories(record, ranking, PAGE),
        maps=heat_html(comparison_maps(repeated), is_folded=True) if repeated is not None else "",
        ranks=mean_rank_table(repeated) if repeated is not None else None,
        ranks_note=MEAN_RANK_NOTE,
    )
