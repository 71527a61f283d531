"""Warnings about a comparison: one list, the same in the window, at the terminal and in reports."""

from __future__ import annotations

from app.domain.ranking import CandidateResult, Drift, Ranking
from app.domain.results import CampaignRecord
from app.ranking.candidates import capture_of
from app.ranking.cautions import with_titles
from app.ranking.drift import is_doubtful
from app.ranking.eligibility import MEASURED_BARRIERS
from app.ranking.outcome import outcome_of
from app.wording.gates import gates_warning
from app.wording.language import tr
from app.wording.messages import local_text


def warnings_of(record: CampaignRecord, ranking: Ranking) -> tuple[str, ...]:
    """Return every warning once: of the choice and the whole comparison, gravest first, then of each candidate.

    Returns:
        Sentences; those of candidates name them. Failures are not among them, which are shown first of all.
    """
    titles: dict[str, list[str]] = {}
    for one in ranking.results:
        for text in _of_figures(record, one):
            titles.setdefault(text, []).append(one.title)
    own = (with_titles(named, text) for text, named in titles.items())
    return tuple(dict.fromkeys((*_general(record, ranking), *own)))


def candidate_warnings(record: CampaignRecord, result: CandidateResult) -> tuple[str, ...]:
    """Return what bars one candidate, or casts doubt on its figures or packet tests, each sentence once."""
    barrier = result.barrier
    bars = (
        [tr("It {words}; so it is not recommended.").format(words=barrier.words)]
        if barrier is not None and barrier.reason in MEASURED_BARRIERS
        else []
    )
    return tuple(dict.fromkeys((*bars, *_of_figures(record, result))))


def _of_figures(record: CampaignRecord, result: CandidateResult) -> tuple[str, ...]:
    report = capture_of(record.attempts_of((result.solution, result.suite)))
    conditions = filter(None, [gates_warning(result.gates)])
    of_packet_tests = map(local_text, report.doubts) if report is not None else ()
    return tuple(dict.fromkeys((*result.doubts, *conditions, *of_packet_tests)))


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
    of_candidates = {with_titles((one.title,), text) for one in ranking.results for text in one.doubts}
    return [
        one for one in found if one not in of_candidates and not (outcome.headline and one.startswith(outcome.headline))
    ]


def _is_warning(drift: Drift) -> bool:
    return is_doubtful(drift) or (drift.latency_pct is None and drift.throughput_pct is None)
