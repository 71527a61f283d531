"""Text of a report on one candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.ranking import CandidateResult, LatencySummary
from app.domain.results import Attempt, CampaignRecord, PathNote, PlannedItem
from app.domain.verdicts import Finding, FindingQuestion, PostQuantum, by_weight
from app.ranking.gates import shown_limits
from app.ranking.warnings import candidate_warnings
from app.reports.text import NOTHING, ms
from app.reports.view_wire import wire_view
from app.wording.controllers import controller_note, controller_rows
from app.wording.gates import gate_rows
from app.wording.numbers import figure, grouped

View = dict[str, Any]

_POST_QUANTUM = {
    PostQuantum.HYBRID: "Post-quantum: hybrid key exchange. A later quantum computer does not open what was recorded.",
    PostQuantum.SYMMETRIC: "Post-quantum: by pre-shared keys only. Traffic that was recorded is as safe as they are.",
    PostQuantum.NONE: "Post-quantum: no. A later quantum computer can read traffic that is recorded today.",
}

_KINDS = {"file": "File", "command": "Command", "undo": "Undo"}


def candidate_view(record: CampaignRecord, one: CandidateResult, anchor: str, slow: Finding | None = None) -> View:
    """Return everything about one candidate: configuration, what was agreed on, latency per size, logs, warnings.

    Args:
        anchor: Its id in the document.
        slow: How far it is behind the best of the same pair; None where it is not slow.

    Returns:
        Strings, numbers, booleans, lists and dicts only.
    """
    attempts = [each for each in record.attempts if (each.key.solution, each.key.suite) == (one.solution, one.suite)]
    candidate = next(
        each for each in record.plan.candidates if (each.solution, each.suite) == (one.solution, one.suite)
    )
    configured = [each for each in attempts if each.configuration]
    quantum = candidate.post_quantum
    return {
        "anchor": anchor,
        "title": one.title,
        "solution": one.solution,
        "suite": one.suite,
        "status": one.status.value,
        "status_text": one.status.value.replace("-", " "),
        "message": one.message or one.reason,
        "findings": _findings([*candidate.findings, *([slow] if slow is not None else [])]),
        "post_quantum": "" if candidate.is_unprotected or quantum is None else _POST_QUANTUM[quantum],
        "negotiated": next((each.negotiated for each in reversed(attempts) if each.negotiated), ""),
        "path": _path([each.path for each in attempts if each.path]),
        "wire": wire_view(attempts),
        "durations": _durations(one),
        "sizes": [_size(each) for each in one.latency],
        "controllers": [list(row) for row in controller_rows(one.controllers)],
        "controller_note": controller_note(one.arrivals) if one.arrivals else "",
        "gates": [list(row) for row in gate_rows(one.gates, shown_limits())],
        "has_deadline": any(each.over_deadline_pct is not None for each in one.latency),
        "has_notes": any(each.note for each in one.latency),
        "deadline": f"{figure(record.plan.deadline_ms)} ms" if record.plan.deadline_ms is not None else "",
        "configuration": _configuration(configured[-1].configuration) if configured else [],
        "log": _log(attempts),
        "warnings": list(candidate_warnings(record, one)),
    }


def _findings(findings: Sequence[Finding]) -> list[View]:
    return [
        {
            "subject": one.subject,
            "word": "Slow here" if one.question is FindingQuestion.SLOW else one.verdict.value.capitalize(),
            "kind": one.verdict.value,
            "reason": one.reason,
            "source": one.source,
            "replacement": one.replacement,
        }
        for one in by_weight(findings)
    ]


def _path(notes: Sequence[PathNote]) -> list[str]:
    if not notes:
        return []
    last = notes[-1]
    lines = [f"IP MTU inside {last.inner_mtu_bytes} bytes, MTU of the underlay {last.underlay_mtu_bytes} bytes."]
    if last.overhead_bytes is not None:
        grows = f"grows by {last.overhead_bytes} bytes" if last.overhead_bytes else "does not grow"
        lines.append(f"By calculation, every frame {grows} on the underlay.")
    if last.largest_unfragmented_frame_bytes is not None:
        lines.append(
            f"By calculation, frames of up to {last.largest_unfragmented_frame_bytes} bytes cross the underlay unsplit."
        )
    counts = [note.fragments_created for note in notes if note.fragments_created is not None]
    if counts:
        made = sum(counts)
        lines.append(f"Both hosts made {grouped(made) if made else 'no'} IP fragments while latency was probed.")
    return lines


def _durations(one: CandidateResult) -> str:
    parts = []
    if one.setup_s is not None:
        parts.append(f"{figure(one.setup_s, 2)} s to build")
    if one.cleanup_s is not None:
        parts.append(f"{figure(one.cleanup_s, 2)} s to remove")
    return ", ".join(parts)


def _size(one: LatencySummary) -> View:
    late = NOTHING if one.over_deadline_pct is None else f"{figure(one.over_deadline_pct, 2)} %"
    figures = [one.mean_ms, one.p5_ms, one.p50_ms, one.p95_ms, one.p99_ms, one.p999_ms, one.max_ms, one.stdev_ms]
    return {
        "frame": grouped(one.frame_bytes),
        "sent": grouped(one.sent),
        "lost": grouped(one.sent - one.received),
        "duplicates": grouped(one.duplicates),
        "figures": [ms(value) for value in figures],
        "late": late,
        "note": one.note,
    }


LATENCY_COLUMNS = ("Mean", "5 %", "50 %", "95 %", "99 %", "99.9 %", "Max", "Std dev")
"""Headings of `figures` of a size, all in ms."""


def _configuration(items: Sequence[PlannedItem]) -> list[View]:
    """Group what was configured by host, in its order."""
    found: list[View] = []
    for side in sorted({item.side for item in items}):
        mine = [
            {"kind": _KINDS.get(item.kind, item.kind), "title": item.title, "text": item.text}
            for item in items
            if item.side == side
        ]
        found.append({"side": side.upper(), "things": mine})
    return found


def _log(attempts: Sequence[Attempt]) -> str:
    return next((one.daemon_log for one in reversed(attempts) if one.daemon_log), "")
