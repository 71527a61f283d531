"""Repetition of the study of 2011 as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from app.domain.results import CampaignRecord
from app.ranking.file_study import (
    IPSEC_TLS,
    STUDY,
    WAYS,
    Cell,
    FileFigures,
    file_agreement,
    published_files,
    study_candidates,
    times_bare,
)


def study_data(record: CampaignRecord, own: Mapping[Cell, FileFigures]) -> dict[str, object]:
    """Return own figures beside the published ones, a row for each candidate and direction."""
    agreed, published = file_agreement(own), published_files()
    return {
        "format": 1,
        "study": IPSEC_TLS,
        "source": STUDY,
        "pair": record.plan.pair.name,
        "campaign_id": record.campaign_id,
        "version": record.tunnelmark_version,
        "rounds": record.plan.profile.rounds,
        "rows": [
            {
                "solution": one.solution,
                "suite": one.suite,
                "study_name": one.label,
                "direction": way,
                "own": _figures(own, (one.solution, one.suite, way)),
                "published": _figures(published, (one.solution, one.suite, way)),
            }
            for one in study_candidates()
            for way in WAYS
        ],
        "order": {
            "pairs": agreed.pairs,
            "same": agreed.same,
            "rank_correlation": agreed.correlation,
            "against": [[list(one), list(other)] for one, other in agreed.against],
        },
    }


def _figures(figures: Mapping[Cell, FileFigures], cell: Cell) -> dict[str, object] | None:
    found = figures.get(cell)
    return None if found is None else {**asdict(found), "times_bare": times_bare(figures, cell)}
