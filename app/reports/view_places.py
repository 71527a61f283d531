"""Places that earlier studies published, and the order of a comparison's own figures of the same candidates."""

from __future__ import annotations

from typing import Any

from app.domain.results import CampaignRecord
from app.ranking.comparison_study import ComparisonStudy, places_text
from app.ranking.own_study_figures import ComparedOrder, compared_orders, own_figures
from app.reports.text import NOTHING
from app.wording.language import tr
from app.wording.local_forms import decimal, listed_names

View = dict[str, Any]


def places_view(record: CampaignRecord, study: ComparisonStudy) -> View | None:
    """Return the orders of a study that a comparison's own figures can be compared with; None without any."""
    own = own_figures(study, record)
    compared = [one for one in compared_orders(study, own) if one.order.places and one.agreement.pairs]
    if not compared:
        return None
    measured = [cell[:2] for cell in own]
    return {
        "title": tr(study.title),
        "source": study.citation,
        "rows": [_row(study, one) for one in compared],
        "missing": listed_names([one.label for one in study.left_out(measured)]),
        "notes": [tr(text) for text in study.notes],
    }


def _row(study: ComparisonStudy, compared: ComparedOrder) -> View:
    agreed = compared.agreement
    return {
        "figure": tr(study.kind(compared.order.figure).title),
        "where": compared.order.words,
        "same": tr("{same} of {pairs}").format(same=agreed.same, pairs=agreed.pairs),
        "correlation": NOTHING if agreed.correlation is None else decimal(agreed.correlation, 2),
        "published": places_text(study, compared.order),
        "against": [listed_names([study.label(cell) for cell in pair]) for pair in agreed.against],
    }
