"""Study of 2011 in ratios to the bare link: those that it printed, and those of a comparison beside them."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.results import CampaignRecord
from app.domain.solutions import BASELINE
from app.ranking.comparison_study import Cell, Figures, comparison_studies, published_figures
from app.ranking.own_study_figures import own_figures
from app.wording.language import mark

IPSEC_TLS = "ipsec-tls-2011"
"""Name of the study."""

STUDY_2011 = mark(
    "Kotuliak, Rybár, Trúchly: Performance Comparison of IPsec and TLS Based VPN Technologies, 2011, Table I. Other "
    "hosts, old versions, and tunnels of which some carry packets rather than frames: read the order, not the figures."
)

Ratios = Mapping[tuple[str, str], tuple[float, float]]
"""Response time and rate divided by those of the bare link, means of both directions, by the study's VPN and cipher."""


def published_2011() -> Ratios:
    """Return the results of 2011, the fastest response first.

    Source: resources/reference/ipsec_tls_2011.csv, where the study is named.
    """
    found = _ratios(published_figures(comparison_studies()[IPSEC_TLS]))
    return dict(sorted(found.items(), key=lambda one: one[1][0]))


def own_2011(record: CampaignRecord) -> Ratios:
    """Return the same of a comparison, of the study's candidates or of others; those not measured are left out.

    There are none under a condition of the link: the study had none.
    """
    if record.plan.condition is not None:
        return {}
    return _ratios(own_figures(comparison_studies()[IPSEC_TLS], record))


def _ratios(figures: Mapping[Cell, Figures]) -> Ratios:
    study = comparison_studies()[IPSEC_TLS]
    sums = {}
    for one in study.candidate:
        cells = [figures.get((one.solution, one.suite, way.name), {}) for way in study.way]
        if all(cells):
            sums[one] = [sum(cell[name] or 0.0 for cell in cells) for name in ("response_ms", "rate_mbit_s")]
    bare = next((sums.pop(one) for one in study.candidate if one.solution == BASELINE and one in sums), None)
    if bare is None:
        return {}
    return {(one.published, one.cipher): (found[0] / bare[0], found[1] / bare[1]) for one, found in sums.items()}
