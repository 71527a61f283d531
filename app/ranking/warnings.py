"""Warnings about a comparison: one list, the same in the window, at the terminal and in reports."""

from __future__ import annotations

from app.domain.ranking import CandidateResult, Drift, Ranking
from app.domain.results import CampaignRecord
from app.ranking.candidates import wire_of
from app.ranking.drift import is_doubtful
from app.ranking.outcome import outcome_of
from app.wording.gates import gates_warning


def warnings_of(record: CampaignRecord, ranking: Ranking) -> tuple[str, ...]:
    """Return every warning once: of the choice and the whole comparison, gravest first, then of each candidate.

    Returns:
        Sentences; those of a candidate begin with its title. Failures are not among them, which are shown first of all.
    """
    own = (f"{one.title}: {text}" for one in ranking.results for text in candidate_warnings(record, one))
    return tuple(dict.fromkeys((*_general(record, ranking), *own)))


def candidate_warnings(record: CampaignRecord, result: CandidateResult) -> tuple[str, ...]:
    """Return what casts doubt on the figures or the packet tests of one candidate, each sentence once."""
    report = wire_of(record, result)
    conditions = filter(None, [gates_warning(result.gates)])
    return tuple(dict.fromkeys((*result.doubts, *conditions, *(report.doubts if report is not None else ()))))


def harmless_drift(drift: Drift) -> str:
    """Return the sentence on the bare link where it is no warning; empty where it is one."""
    return "" if _is_warning(drift) else drift.sentence


def _general(record: CampaignRecord, ranking: Ranking) -> list[str]:
    """Return the warnings that are not of one candidate; none where there are no figures to warn of."""
    outcome = outcome_of(record)
    if not outcome.measured:
        return []
    found = [*ranking.recommendation.cautions, *ranking.doubts]
    if _is_warning(ranking.drift):
        found.append(ranking.drift.sentence)
    of_candidates = {text for one in ranking.results for text in one.doubts}
    return [
        one for one in found if one not in of_candidates and not (outcome.headline and one.startswith(outcome.headline))
    ]


def _is_warning(drift: Drift) -> bool:
    return is_doubtful(drift) or (drift.latency_pct is None and drift.throughput_pct is None)
