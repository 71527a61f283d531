"""Text of a report for its templates: the same words in HTML and PDF."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.domain.ranking import CandidateResult, RankedCandidate, Ranking, Recommendation
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus, CandidateId
from app.domain.verdicts import Verdict
from app.ranking import outcome_of, speed_findings
from app.ranking.comparison_study import comparison_studies
from app.ranking.warnings import candidate_warnings, warnings_of
from app.reports.labels import styles
from app.reports.text import NOTHING, capitalised, interval, ms, share, times, times_best, with_half_width
from app.reports.view_candidates import candidate_view
from app.reports.view_captures import CAPTURE_NOTE, OVERHEAD_COLUMNS, OVERVIEW_COLUMNS, capture_overview
from app.reports.view_places import places_view
from app.reports.view_setting import (
    conditions_view,
    facts_view,
    hosts_view,
    method_view,
    published_view,
    repeat_command,
    workloads_view,
)
from app.wording.controllers import controller_heads
from app.wording.gates import GATE_COLUMNS
from app.wording.language import mark, tr
from app.wording.local_forms import minute_text
from app.wording.messages import local_text
from app.wording.numbers import figure
from app.wording.ties import tie_note

View = dict[str, Any]

VERDICT_SIGNS = {
    Verdict.RECOMMENDED: "✓",
    Verdict.ACCEPTABLE: "○",
    Verdict.LEGACY: "△",
    Verdict.UNKNOWN: "?",
    Verdict.INSECURE: "✕",
    Verdict.UNPROTECTED: NOTHING,
}
"""A sign beside each word, so that neither colour nor reading is needed to see it."""

_STATUS_WORDS = {
    CampaignStatus.RUNNING: mark("still running"),
    CampaignStatus.COMPLETED: mark("completed"),
    CampaignStatus.CANCELLED: mark("cancelled"),
    CampaignStatus.INTERRUPTED: mark("interrupted"),
}

_REFERENCES_NOTE = mark("Without cryptography; measured to compare with, never to be deployed.")


def report_view(record: CampaignRecord, ranking: Ranking) -> View:
    """Return what a report says.

    Returns:
        Strings, numbers, booleans, lists and dicts only. Texts are as hosts and files gave them: the template or
        program that shows them cleans and escapes.
    """
    pair = record.plan.pair
    advice = ranking.recommendation
    outcome = outcome_of(record)
    slow = speed_findings(ranking)
    return {
        "title": tr("Layer-2 VPNs between {a} and {b}").format(a=pair.a.label, b=pair.b.label),
        "pair": pair.name,
        "is_lab": pair.is_lab,
        "date": utc(record.started_at),
        "status": tr(_STATUS_WORDS[record.status]),
        "version": record.tunnelmark_version,
        "campaign_id": record.campaign_id,
        "facts": facts_view(record),
        "outcome": {"headline": outcome.headline, "causes": [cause.sentence for cause in outcome.causes]},
        "recommendation": {
            "heading": _advice_heading(advice),
            "sentence": advice.sentence,
            "reasons": list(advice.reasons),
        },
        "warnings": list(warnings_of(record, ranking)),
        "groups": _groups(record, ranking),
        "legend": _legend(record, ranking),
        "rounds": ranking.rounds,
        "packet_tests": capture_overview(record, ranking, [_anchor(n) for n in range(len(ranking.results))]),
        "packet_test_columns": list(map(tr, OVERVIEW_COLUMNS)),
        "packet_test_note": tr(CAPTURE_NOTE),
        "overhead_columns": list(map(tr, OVERHEAD_COLUMNS)),
        "gate_columns": list(map(tr, GATE_COLUMNS)),
        "controller_columns": list(controller_heads()),
        "candidates": [
            candidate_view(record, one, _anchor(n), slow.get((one.solution, one.suite)))
            for n, one in enumerate(ranking.results)
        ],
        "workloads": workloads_view(record),
        "published": published_view(record),
        "placed": [view for study in comparison_studies().values() if (view := places_view(record, study))],
        "hosts": hosts_view(record),
        "conditions": conditions_view(record, ranking),
        "method": method_view(record, ranking),
        "repeat": repeat_command(record),
    }


def _advice_heading(advice: Recommendation) -> str:
    """Return a heading that claims no more than the sentence below it, and does not repeat it."""
    return tr("Recommendation") if advice.solution is not None and advice.is_clear else tr("Result")


def utc(moment: datetime) -> str:
    """Return a time for people, for example `2026-03-04 09:30 UTC`."""
    return f"{minute_text(moment)} UTC"


def _legend(record: CampaignRecord, ranking: Ranking) -> str:
    ties = f"{tie_note(record.plan.profile, ranking.rounds)} "
    notes = ties if any(place.tied_with for place in ranking.ranking) else ""
    return notes + tr("± and 95 % are intervals over rounds.") if ranking.rounds > 1 else notes.strip()


def _groups(record: CampaignRecord, ranking: Ranking) -> list[View]:
    places = {(one.solution, one.suite): one for one in ranking.ranking}
    candidates: list[CandidateId] = [(one.solution, one.suite) for one in record.plan.candidates]
    line_styles = styles(candidates)
    slow = speed_findings(ranking)
    titles = {
        "ranked": ("", ""),
        "partial": (tr("Without a rank"), tr("Not every frame size crossed, so there is no weighted latency.")),
        "references": (tr("References"), tr(_REFERENCES_NOTE)),
        "ended": (tr("Ended early"), tr("What was measured before is shown; these candidates have no rank.")),
        "failed": (tr("Not measured to the end"), ""),
    }
    grouped: dict[str, list[View]] = {kind: [] for kind in titles}
    for position, one in enumerate(ranking.results):
        key = (one.solution, one.suite)
        marks = [tr("slow")] * (key in slow) + [tr("warnings")] * bool(candidate_warnings(record, one))
        row = _row(one, places[key], _anchor(position), marks)
        row |= {"colour": line_styles[key].colour, "dashed": bool(line_styles[key].dash)}
        grouped[_group_of(one, places[key])].append(row)
    return [
        {"kind": kind, "heading": titles[kind][0], "note": titles[kind][1], "rows": rows}
        for kind, rows in grouped.items()
        if rows
    ]


def _group_of(one: CandidateResult, place: RankedCandidate) -> str:
    if one.is_partial:
        return "ended"
    if one.status is not AttemptStatus.COMPLETED:
        return "failed"
    if one.is_unprotected:
        return "references"
    return "partial" if place.rank is None else "ranked"


def _anchor(position: int) -> str:
    return f"candidate-{position + 1}"


def _row(one: CandidateResult, place: RankedCandidate, anchor: str, marks: Sequence[str]) -> View:
    return {
        "anchor": anchor,
        "rank": NOTHING if place.rank is None else f"{place.rank}{'=' if place.tied_with else ''}",
        "title": one.title,
        "verdict": verdict_view(one.verdict),
        "is_failed": one.status is not AttemptStatus.COMPLETED and not one.is_partial,
        "status_text": capitalised(tr(one.status.value.replace("-", " "))),
        "message": local_text(one.message or one.reason),
        "marks": list(marks),
        "cells": _cells(one) if one.status is AttemptStatus.COMPLETED or one.is_partial else [],
    }


def verdict_view(verdict: Verdict) -> View:
    """Return a verdict's word and sign."""
    return {"word": tr(verdict.value.capitalize()), "sign": VERDICT_SIGNS[verdict], "kind": verdict.value}


COLUMNS = (
    mark("Weighted latency, ms"),
    mark("Throughput, Mbit/s"),
    mark("CPU, %"),
    mark("CPU, % per Mbit/s"),
)
"""Headings of the cells of a row."""


def _cells(one: CandidateResult) -> list[View]:
    latency, cost = one.weighted_latency_ms, one.cpu_pct_per_mbit_s
    rates = [
        f"{arrow} {with_half_width(one.throughput_mbit_s.get(direction))}"
        for direction, arrow in (("a_to_b", "A→B"), ("b_to_a", "B→A"))
    ]
    busy = [f"{side.upper()} {with_half_width(one.cpu_pct.get(side))}" for side in ("a", "b")]
    spread = interval(latency)
    return [
        {
            "label": tr(COLUMNS[0]),
            "lines": [ms(latency.mean) if latency else NOTHING],
            "notes": [f"95 %: {spread}"] * bool(spread)
            + _given(times(one.latency_vs_baseline))
            + _given(times_best(one.ratio_to_best)),
        },
        {"label": tr(COLUMNS[1]), "lines": rates, "notes": _given(share(one.throughput_vs_baseline))},
        {"label": tr(COLUMNS[2]), "lines": busy, "notes": []},
        {
            "label": tr(COLUMNS[3]),
            "lines": [figure(cost.mean, 2) if cost else NOTHING],
            "notes": _given(times(one.cpu_per_mbit_s_vs_baseline)),
        },
    ]


def _given(*texts: str) -> list[str]:
    return [text for text in texts if text]
