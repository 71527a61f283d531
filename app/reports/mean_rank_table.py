"""Mean ranks of a repeated study's systems as a table, with the ranks of which each is made."""

from __future__ import annotations

from app.ranking.overview_ranks import SETUP, TASKS, overview_ranks
from app.ranking.repeated_study import RepeatedStudy
from app.reports.outcome_table import OutcomeTable
from app.wording.language import mark, tr
from app.wording.local_forms import decimal

MEAN_RANK_NOTE = mark(
    "Ranks by own figures, and by the setup and the tasks that the study prints: 1 is the best, equal ones share the "
    "mean of their places. The mean rank is their average."
)
"""English explanation, to be translated."""


def mean_rank_table(repeated: RepeatedStudy) -> OutcomeTable | None:
    """Return own mean ranks, the lowest first; None where the study has none, or no system has all figures."""
    study = repeated.study
    found = overview_ranks(study, repeated.own) if study.has_mean_ranks else {}
    if not found:
        return None
    attributes = {one.name: tr(one.title) for one in study.figure} | {SETUP: tr("Setup"), TASKS: tr("Tasks")}
    rows = tuple(
        (study.label(cell), decimal(one.mean, 2), *(decimal(one.ranks[name], 1) for name in attributes))
        for cell, one in found.items()
    )
    headings = (tr("VPN in the study"), tr("Mean rank"), *attributes.values())
    return OutcomeTable(tr("Mean ranks"), headings, rows, frozenset(range(1, len(headings))))
