"""A census as JSON. What the fields mean: docs/census.md."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.census import CensusRecord, OptionResult, OptionStatus, SolutionCensus
from app.domain.verdicts import Verdict
from app.ranking.census import BehindBest, behind_best, count_census
from app.ranking.published_census import STUDY_2019, published_triples
from app.wording.language import source_language

FORMAT = 1

Verdicts = Mapping[tuple[str, str], Verdict]
"""By solution and suite."""


def census_to_json(record: CensusRecord, verdicts: Verdicts) -> dict[str, object]:
    """Return what the JSON file holds.

    Args:
        verdicts: Of every suite that was tried.
    """
    with source_language():
        return census_data(record, verdicts)


def census_data(record: CensusRecord, verdicts: Verdicts) -> dict[str, object]:
    """Return what a report of a census holds, its sentences in the current language."""
    return {
        "format": FORMAT,
        "census": record.census_id,
        "pair": record.pair.name,
        "is_lab": record.pair.is_lab,
        "is_complete": record.is_complete,
        "message": record.message,
        "note": record.note,
        "started_at": record.started_at.isoformat(),
        "ended_at": record.ended_at.isoformat() if record.ended_at else None,
        "tunnelmark_version": record.tunnelmark_version,
        "echo_requests": record.plan.pings,
        "hosts": {side: _host(record, side) for side in sorted(record.facts)},
        "published_source": STUDY_2019,
        "solutions": [_solution(record, one, verdicts) for one in count_census(record)],
    }


def _host(record: CensusRecord, side: str) -> dict[str, object]:
    facts = record.facts[side]
    versions = {name: facts.solutions[name].version for name in record.solutions if name in facts.solutions}
    return {"os": facts.os_name, "kernel": facts.kernel, "versions": versions}


def _solution(record: CensusRecord, census: SolutionCensus, verdicts: Verdicts) -> dict[str, object]:
    planned = [item for item in record.plan.items if item.solution == census.solution]
    notes = {item.suite: item.note for item in planned}
    declared = {item.suite: item.is_unprotected for item in planned}
    behind = behind_best(census.options)
    options = [
        {
            **_result(one, behind.get((one.solution, one.suite), BehindBest())),
            "unprotected": one.status is OptionStatus.UNPROTECTED or declared.get(one.suite, False),
            "verdict": verdicts.get((one.solution, one.suite)),
            "note": notes.get(one.suite, ""),
        }
        for one in census.options
    ]
    return {
        "solution": census.solution,
        "working": census.working,
        "failed": census.failed,
        "total": census.total,
        "unprotected": census.unprotected,
        "not_run": len(planned) - census.total - census.unprotected,
        "published": [
            {"platform": one.platform, "working": one.working, "failed": one.failed, "total": one.total}
            for one in published_triples(census.solution)
        ],
        "options": options,
    }


def _result(one: OptionResult, behind: BehindBest) -> dict[str, object]:
    return {
        "name": one.name,
        "kind": one.kind.value,
        "status": one.status.value,
        "reason": one.reason,
        "weighted_latency_ms": one.weighted_latency_ms,
        "throughput_mbit_s": one.throughput_mbit_s,
        "alias_of": one.alias_of,
        "suite": one.suite,
        "negotiated": one.negotiated,
        "sent": one.sent,
        "received": one.received,
        "took_s": round(one.took_s, 2),
        "throughput_below_best_pct": behind.throughput_pct,
        "latency_times_best": behind.latency_factor,
        "slow": behind.slow,
    }
