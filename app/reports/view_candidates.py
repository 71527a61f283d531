"""Text of a report on one candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.ranking import CandidateResult, LatencySummary
from app.domain.results import Attempt, CampaignRecord, Candidate, PlannedItem
from app.domain.verdicts import Finding, FindingQuestion, PostQuantum, by_weight
from app.ranking.gates import shown_limits
from app.ranking.warnings import candidate_warnings
from app.reports.text import NOTHING, ms
from app.reports.view_captures import capture_view
from app.wording.controllers import controller_note, controller_rows
from app.wording.findings import replacement_words
from app.wording.gates import gate_rows
from app.wording.language import mark, tr
from app.wording.messages import local_name, local_text
from app.wording.numbers import figure, grouped

View = dict[str, Any]

_POST_QUANTUM = {
    PostQuantum.HYBRID: mark(
        "Post-quantum: hybrid key exchange. A later quantum computer does not open what was recorded."
    ),
    PostQuantum.PURE: mark(
        "Post-quantum: key exchange without a classical part. What was recorded is as safe as the post-quantum "
        "exchange alone."
    ),
    PostQuantum.STORED: mark(
        "Post-quantum: hybrid with a stored key. A later quantum computer does not open what was recorded as long as "
        "the pre-shared key, which is on both hosts until keys are rotated, remains secret."
    ),
    PostQuantum.SYMMETRIC: mark(
        "Post-quantum: by pre-shared keys only. Traffic that was recorded is as safe as they are."
    ),
    PostQuantum.NONE: mark("Post-quantum: no. A later quantum computer can read traffic that is recorded today."),
}

_KINDS = {"file": mark("File"), "command": mark("Command"), "undo": mark("Undo")}


def candidate_view(record: CampaignRecord, one: CandidateResult, anchor: str, slow: Finding | None = None) -> View:
    """Return everything about one candidate: configuration, what was agreed on, latency per size, logs, warnings.

    Args:
        anchor: Its id in the document.
        slow: How far it is behind the best of the same pair; None where it is not slow.

    Returns:
        Strings, numbers, booleans, lists and dicts only.
    """
    key = (one.solution, one.suite)
    attempts, candidate = record.attempts_of(key), record.plan.candidate(key)
    configured = [each.configuration for each in attempts if each.configuration]
    return {
        "anchor": anchor,
        "title": one.title,
        "solution": one.solution,
        "suite": one.suite,
        "status": one.status.value,
        "status_text": tr(one.status.value.replace("-", " ")),
        "message": local_text(one.message or one.reason),
        "findings": _findings([*candidate.findings, *([slow] if slow is not None else [])]),
        "post_quantum": _post_quantum(candidate),
        "negotiated": next((each.negotiated for each in reversed(attempts) if each.negotiated), ""),
        "path": _path(attempts),
        "packet_tests": capture_view(attempts),
        "durations": _durations(one),
        "sizes": [_size(each) for each in one.latency],
        "controllers": [list(row) for row in controller_rows(one.controllers)],
        "controller_note": controller_note(one.arrivals, one.restart_outage) if one.arrivals else "",
        "gates": [list(row) for row in gate_rows(one.gates, shown_limits())],
        "has_deadline": any(each.over_deadline_pct is not None for each in one.latency),
        "has_notes": any(each.note for each in one.latency),
        "deadline": f"{figure(record.plan.deadline_ms)} ms" if record.plan.deadline_ms is not None else "",
        "configuration": _configuration(configured[-1] if configured else ()),
        "log": _log(attempts),
        "warnings": list(candidate_warnings(record, one)),
    }


def _findings(findings: Sequence[Finding]) -> list[View]:
    return [
        {
            "subject": local_name(one.subject),
            "word": tr("Slow here") if one.question is FindingQuestion.SLOW else tr(one.verdict.value.capitalize()),
            "kind": one.verdict.value,
            "reason": local_text(one.reason),
            "source": local_text(one.source),
            "replacement": replacement_words(one.replacement),
        }
        for one in by_weight(findings)
    ]


def _post_quantum(candidate: Candidate) -> str:
    if candidate.is_unprotected or candidate.post_quantum is None:
        return ""
    return tr(_POST_QUANTUM[candidate.post_quantum])


def _path(attempts: Sequence[Attempt]) -> list[str]:
    notes = [each.path for each in attempts if each.path]
    if not notes:
        return []
    last = notes[-1]
    text = tr("IP MTU inside {inner} bytes, MTU of the underlay {underlay} bytes.")
    lines = [text.format(inner=last.inner_mtu_bytes, underlay=last.underlay_mtu_bytes)]
    if last.overhead_bytes:
        lines.append(
            tr("By calculation, every frame grows by {overhead} bytes on the underlay.").format(
                overhead=last.overhead_bytes
            )
        )
    elif last.overhead_bytes is not None:
        lines.append(tr("By calculation, no frame grows on the underlay."))
    if last.largest_unfragmented_frame_bytes is not None:
        text = tr("By calculation, frames of up to {size} bytes cross the underlay unsplit.")
        lines.append(text.format(size=last.largest_unfragmented_frame_bytes))
    if last.fit is not None:
        text = tr("TCP is not fragmented with an MSS of {ipv4} bytes over IPv4, {ipv6} over IPv6.")
        lines.append(text.format(ipv4=last.fit.mss_ipv4_bytes, ipv6=last.fit.mss_ipv6_bytes))
    counts = [note.fragments_created for note in notes if note.fragments_created is not None]
    if sum(counts):
        text = tr("Both hosts made {number} IP fragments while latency was probed.")
        lines.append(text.format(number=grouped(sum(counts))))
    elif counts:
        lines.append(tr("Both hosts made no IP fragments while latency was probed."))
    return lines


def _durations(one: CandidateResult) -> str:
    parts = []
    if one.setup_s is not None:
        parts.append(tr("{time} s to build").format(time=figure(one.setup_s, 2)))
    if one.cleanup_s is not None:
        parts.append(tr("{time} s to remove").format(time=figure(one.cleanup_s, 2)))
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
        "note": local_text(one.note),
    }


LATENCY_COLUMNS = (mark("Mean"), "5 %", "50 %", "95 %", "99 %", mark("99.9 %"), mark("Max"), mark("Std dev"))
"""Headings of `figures` of a size, all in ms."""


def _configuration(items: Sequence[PlannedItem]) -> list[View]:
    """Group what was configured by host, in its order."""
    found: list[View] = []
    for side in sorted({item.side for item in items}):
        mine = [
            {
                "kind": tr(_KINDS.get(item.kind, item.kind)),
                "title": local_text(item.title),
                "text": local_text(item.text),
            }
            for item in items
            if item.side == side
        ]
        found.append({"side": side.upper(), "things": mine})
    return found


def _log(attempts: Sequence[Attempt]) -> str:
    return next((one.daemon_log for one in reversed(attempts) if one.daemon_log), "")
