"""The report for programs. Its fields are described in docs/data-format.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from enum import Enum
from typing import Any

from app.domain.capture import CaptureReport, properties_of
from app.domain.conditions import MeasuredCondition
from app.domain.controllers import ControllerAdvice, RestartOutage
from app.domain.gates import Gate
from app.domain.hosts import DIRECTIONS
from app.domain.link_protocols import joined_verdict
from app.domain.messages import code_of
from app.domain.ranking import CandidateResult, Estimate, Ranking
from app.domain.results import Attempt, CampaignRecord
from app.domain.verdicts import Finding
from app.ranking import speed_findings
from app.ranking.candidates import capture_of
from app.ranking.warnings import warnings_of
from app.ranking.workloads import workload_notes, workload_table
from app.wording.controllers import controller_assumption, controller_source
from app.wording.language import source_language

FORMAT = 1
"""Raised when a field changes its meaning or goes away, not when one is added."""

_DECIMALS = 6


def to_json(record: CampaignRecord, ranking: Ranking) -> dict[str, Any]:
    """Return everything that a comparison found out, ready for `json.dumps`.

    Returns:
        Objects of str, int, float, bool, None, list and dict only; null stands for what is not known.
    """
    plan = record.plan
    slow = speed_findings(ranking)
    return {
        "format": FORMAT,
        "tunnelmark_version": record.tunnelmark_version,
        "campaign_id": record.campaign_id,
        "status": record.status.value,
        "started_at": record.started_at.isoformat(),
        "ended_at": record.ended_at.isoformat() if record.ended_at else None,
        "elapsed_s": (record.ended_at - record.started_at).total_seconds() if record.ended_at else None,
        "pair": _pair(record),
        "profile": _plain(asdict(plan.profile)),
        "conditions": list(dict.fromkeys(key.condition for key in plan.attempts)),
        "condition": _plain(asdict(plan.condition)) if plan.condition is not None else None,
        "measured_conditions": [condition_data(one) for one in record.measured_conditions],
        "deadline_ms": plan.deadline_ms,
        "min_rate_mbit_s": plan.min_rate_mbit_s,
        "workloads": _workloads(record),
        "workload_notes": list(workload_notes(record)),
        "transfer_mb": plan.transfer_mb if "transfer" in plan.workloads else None,
        "rounds": ranking.rounds,
        "results": [{**_result(record, one), "slow": _slow(one, slow)} for one in ranking.results],
        "ranking": [_plain(asdict(one)) for one in ranking.ranking],
        "recommendation": _plain(asdict(ranking.recommendation)),
        "drift": _plain(asdict(ranking.drift)),
        "doubts": list(ranking.doubts),
        "warnings": list(warnings_of(record, ranking)),
        "note": record.note or None,
        "hosts": {side: _plain(asdict(facts)) for side, facts in record.facts.items()},
    }


def _slow(one: CandidateResult, findings: Mapping[tuple[str, str], Finding]) -> str | None:
    finding = findings.get((one.solution, one.suite))
    return finding.reason if finding is not None else None


def _workloads(record: CampaignRecord) -> list[dict[str, Any]]:
    """Return each figure of each workload with what it is, and the values of each candidate."""
    found = workload_table(record)
    return [
        {
            "workload": one.workload,
            "figure": one.kind.name,
            "title": one.kind.title,
            "unit": one.kind.unit,
            "is_lower_better": one.kind.is_lower_better,
            "values": [
                {"solution": key[0], "suite": key[1], **_plain(asdict(cell))} for key, cell in one.cells.items()
            ],
        }
        for one in (found.rows if found is not None else ())
    ]


def condition_data(found: MeasuredCondition) -> dict[str, Any]:
    """Return a condition as it was measured on the bare link, for programs."""
    return {**_plain(asdict(found)), "is_met": found.is_met}


def _pair(record: CampaignRecord) -> dict[str, Any]:
    pair = record.plan.pair
    return {
        "name": pair.name,
        "is_lab": pair.is_lab,
        "a": {"label": pair.a.label, "address": pair.a.address, "underlay": pair.underlay_a},
        "b": {"label": pair.b.label, "address": pair.b.address, "underlay": pair.underlay_b},
        "load_cap_mbit_s": pair.load_cap_mbit_s,
    }


def _result(record: CampaignRecord, one: CandidateResult) -> dict[str, Any]:
    attempts = record.attempts_of((one.solution, one.suite))
    return {
        "solution": one.solution,
        "suite": one.suite,
        "title": one.title,
        "verdict": one.verdict.value,
        "post_quantum": record.plan.candidate((one.solution, one.suite)).post_quantum,
        "is_unprotected": one.is_unprotected,
        "status": one.status.value,
        "reason": one.reason or (one.barrier.reason.value if one.barrier else None),
        "message": one.message or (f"{one.title} {one.barrier.words}." if one.barrier else None),
        "code": code_of(one.message) or None,
        "stage": one.stage or None,
        "eligible": one.barrier is None,
        "loss_pct": _number(one.loss_pct),
        "late_pct": _number(one.late_pct),
        "gates": [_gate(each) for each in one.gates],
        "ratio_to_best": _plain(asdict(one.ratio_to_best)) if one.ratio_to_best else None,
        "weighted_latency_ms": _mean(one.weighted_latency_ms),
        "weighted_latency_ci_ms": _interval(one.weighted_latency_ms),
        "jitter_ms": _number(one.jitter_ms),
        "rounds": one.weighted_latency_ms.rounds if one.weighted_latency_ms else 0,
        "latency": [_plain(asdict(summary)) for summary in one.latency],
        "throughput_mbit_s": _means(one.throughput_mbit_s, DIRECTIONS),
        "throughput_ci_mbit_s": _intervals(one.throughput_mbit_s, DIRECTIONS),
        "cpu_pct": _means(one.cpu_pct, ("a", "b")),
        "cpu_ci_pct": _intervals(one.cpu_pct, ("a", "b")),
        "cpu_pct_per_mbit_s": _mean(one.cpu_pct_per_mbit_s),
        "cpu_pct_per_mbit_s_ci": _interval(one.cpu_pct_per_mbit_s),
        "latency_vs_baseline": _number(one.latency_vs_baseline),
        "throughput_vs_baseline": _number(one.throughput_vs_baseline),
        "cpu_per_mbit_s_vs_baseline": _number(one.cpu_per_mbit_s_vs_baseline),
        "cpu_at_rate_pct": _mean(one.cpu_at_rate_pct),
        "rate_mbit_s": _number(one.rate_mbit_s),
        "is_dominated": one.is_dominated,
        "arrivals": _plain(asdict(one.arrivals)) if one.arrivals else None,
        **_controllers(one),
        "setup_s": _number(one.setup_s),
        "cleanup_s": _number(one.cleanup_s),
        "doubts": list(one.doubts),
        **_on_underlay(attempts),
        "attempts": [_attempt(each) for each in attempts],
    }


def _controllers(one: CandidateResult) -> dict[str, Any]:
    with source_language():
        assumptions = {
            each.setting.value: {
                "assumes": controller_assumption(each.setting),
                "source": controller_source(each.setting),
            }
            for each in one.controllers
        }
    return {
        "controllers": _values(one.controllers),
        "controller_assumptions": assumptions,
        "restart_outage": _restart_outage(one.restart_outage),
    }


def _restart_outage(found: RestartOutage | None) -> dict[str, Any] | None:
    if found is None:
        return None
    values = _values(found.advice) if found.longest_s is not None else None
    return {"longest_s": _number(found.longest_s), "controllers": values, "message": found.message or None}


def _values(advice: Sequence[ControllerAdvice]) -> dict[str, int | None]:
    return {each.setting.value: each.value_ms for each in advice}


def _on_underlay(attempts: Sequence[Attempt]) -> dict[str, Any]:
    path = next((each.path for each in reversed(attempts) if each.path), None)
    fit = path.fit if path else None
    return {
        "largest_unfragmented_frame_bytes": path.largest_unfragmented_frame_bytes if path else None,
        "unfragmented_mss_bytes": {"ipv4": fit.mss_ipv4_bytes, "ipv6": fit.mss_ipv6_bytes} if fit else None,
        "wire": _capture(capture_of(attempts)),
    }


def _gate(gate: Gate) -> dict[str, Any]:
    return {"name": gate.name.value, "value": _number(gate.value), "verdict": gate.verdict.value, "words": gate.words}


def _attempt(one: Attempt) -> dict[str, Any]:
    return {
        "position": one.key.position,
        "round": one.key.round,
        "condition": one.key.condition,
        "status": one.status.value,
        "reason": one.reason or None,
        "message": one.message or None,
        "code": code_of(one.message) or None,
        "started_at": one.started_at.isoformat(),
        "ended_at": one.ended_at.isoformat(),
        "setup_s": _number(one.setup_s),
        "probe_s": _number(one.probe_s),
        "cleanup_s": _number(one.cleanup_s),
        "negotiated": one.negotiated or None,
        "path": _plain(asdict(one.path)) if one.path else None,
        "wire": _capture(one.capture),
        "doubts": list(one.doubts),
    }


def _capture(report: CaptureReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    properties = {kind.value: _plain(asdict(result)) for kind, result in properties_of(report).items()}
    protocols = [{**_plain(asdict(one)), "between_lans": joined_verdict(one).value} for one in report.protocols]
    return {**_plain(asdict(report)), "protocols": protocols, "properties": properties}


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, _DECIMALS)


def _mean(estimate: Estimate | None) -> float | None:
    return _number(estimate.mean) if estimate else None


def _interval(estimate: Estimate | None) -> list[float | None] | None:
    return [_number(value) for value in estimate.ci] if estimate and estimate.ci else None


def _means(estimates: Mapping[str, Estimate], names: tuple[str, ...]) -> dict[str, float | None]:
    return {name: _mean(estimates.get(name)) for name in names}


def _intervals(estimates: Mapping[str, Estimate], names: tuple[str, ...]) -> dict[str, list[float | None] | None]:
    return {name: _interval(estimates.get(name)) for name in names}


def _plain(value: Any) -> Any:
    """Turn what `asdict` returns into what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return _number(value) if isinstance(value, float) else value
