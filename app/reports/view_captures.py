"""Packet tests in a report: leaks, breakages, overhead, special frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.capture import (
    BreakVerdict,
    CaptureReport,
    FrameOverhead,
    LeakProof,
    LeakVerdict,
    Property,
    properties_of,
)
from app.domain.injection import PropertyResult, PropertyVerdict
from app.domain.link_protocols import ProtocolCrossing, ProtocolVerdict, joined_verdict
from app.domain.profiles import FRAME_BYTES
from app.domain.ranking import CandidateResult, Ranking
from app.domain.results import Attempt, CampaignRecord
from app.ranking.candidates import capture_of
from app.reports.text import NOTHING
from app.wording.capture_sentences import (
    BREAK_SIGNS,
    BREAK_WORDS,
    CROSSING_WORDS,
    LEAK_SIGNS,
    LEAK_WORDS,
    PROPERTY_SIGNS,
    PROPERTY_WORDS,
    advice_sentence,
    break_sentence,
    crossing_sentence,
    leak_sentence,
    packets_text,
    property_note,
    worst_breakage,
)
from app.wording.language import mark, tr
from app.wording.link_protocols import (
    BETWEEN_LANS_NOTE,
    PROTOCOL_COLUMNS,
    PROTOCOL_NAMES,
    VERDICT_SIGNS,
    joined_words,
    protocol_note,
    protocols_line,
    tunnel_words,
)
from app.wording.local_forms import decimal
from app.wording.numbers import figure, grouped

View = dict[str, Any]

_LEAK_KINDS = {
    LeakVerdict.PROTECTED: "recommended",
    LeakVerdict.LEAKS: "insecure",
    LeakVerdict.NOT_PROVEN: "legacy",
    LeakVerdict.EXEMPT: "unprotected",
}
_BREAK_KINDS = {
    BreakVerdict.FAILS_CLOSED: "recommended",
    BreakVerdict.FAILS_OPEN: "insecure",
    BreakVerdict.NOT_PROVEN: "legacy",
}
_PROPERTY_KINDS = {
    PropertyVerdict.HOLDS: "recommended",
    PropertyVerdict.FAILS: "insecure",
    PropertyVerdict.NOT_TRIED: "legacy",
}
_PROTOCOL_KINDS = {
    ProtocolVerdict.CROSSES: "recommended",
    ProtocolVerdict.CHANGED: "legacy",
    ProtocolVerdict.LOST: "insecure",
    ProtocolVerdict.NOT_TRIED: "unprotected",
}
"""Colours are those of the verdicts."""

OVERVIEW_COLUMNS = (
    mark("Candidate"),
    mark("Protection"),
    mark("Protection gone"),
    mark("Frame of 1514 bytes"),
    mark("MTU without fragments"),
    mark("Crosses"),
)
"""Headings of the overview."""

OVERHEAD_COLUMNS = (
    mark("Frame, bytes"),
    mark("Packets"),
    mark("Bytes captured"),
    mark("By calculation"),
    mark("Overhead, %"),
    mark("ACKs, bytes"),
)
"""Headings of the table of costs."""

CAPTURE_NOTE = mark(
    "Canary frames crossed while both hosts captured on the underlay. “Confidential” says that the tunnel's packets "
    "were captured, that the same echo without the tunnel was recognised, and that no other canary frame was. "
    "“Authentic” says that no forged and no altered packet got in, though one that was captured and sent later as it "
    "was did. “Replay-proof” says that none got in twice. “Fail-closed” says that nothing was sent unprotected once "
    "the protection was removed."
)


def capture_overview(record: CampaignRecord, ranking: Ranking, anchors: Sequence[str]) -> list[View]:
    """Return one row per candidate that was captured."""
    rows = []
    for one, anchor in zip(ranking.results, anchors, strict=True):
        report = capture_of(record.attempts_of((one.solution, one.suite)))
        if report is not None:
            rows.append(_overview_row(one, report, anchor))
    return rows


def _overview_row(one: CandidateResult, report: CaptureReport, anchor: str) -> View:
    worst = worst_breakage(report.leak.broken) if report.leak is not None else None
    largest = next((cost for cost in report.overhead if cost.frame_bytes == FRAME_BYTES[-1]), None)
    crossed = [tr(CROSSING_WORDS.get(one.kind, one.kind)) for one in report.crossings if one.has_crossed]
    if report.protocols:
        crossed.append(protocols_line(report.protocols))
    advised = report.advised_inner_mtu_bytes
    return {
        "anchor": anchor,
        "title": one.title,
        "leak": _leak_word(report.leak),
        "properties": [_property_word(report, *one) for one in _injected(report)],
        "broken": _break_word(worst),
        "largest": [packets_text(largest), f"{grouped(round(largest.outer_bytes))} B"] if largest else [NOTHING],
        "advised": NOTHING if advised is None else f"{grouped(advised)}{_PROOF_SIGNS[report.is_advised_mtu_proven]}",
        "crossed": ", ".join(crossed) if report.crossings else NOTHING,
    }


_PROOF_SIGNS = {True: " ✓", False: " ✕", None: ""}


def _leak_word(proof: LeakProof | None) -> View:
    if proof is None:
        return {"word": NOTHING, "sign": "", "kind": "unprotected"}
    return {
        "word": tr(LEAK_WORDS[proof.verdict]),
        "sign": LEAK_SIGNS[proof.verdict],
        "kind": _LEAK_KINDS[proof.verdict],
    }


def _injected(report: CaptureReport) -> list[tuple[Property, PropertyResult]]:
    """Return what the injection test showed; nothing where there was none."""
    if report.injection is None:
        return []
    return [one for one in properties_of(report).items() if one[0] is not Property.CONFIDENTIAL]


def _property_word(report: CaptureReport, kind: Property, result: PropertyResult) -> View:
    is_exempt = report.injection is not None and report.injection.is_exempt
    return {
        "word": tr(PROPERTY_WORDS[kind]),
        "sign": PROPERTY_SIGNS[result.verdict],
        "kind": "unprotected" if is_exempt else _PROPERTY_KINDS[result.verdict],
    }


def _break_word(verdict: BreakVerdict | None) -> View:
    if verdict is None:
        return {"word": NOTHING, "sign": "", "kind": "unprotected"}
    return {"word": tr(BREAK_WORDS[verdict]), "sign": BREAK_SIGNS[verdict], "kind": _BREAK_KINDS[verdict]}


def capture_view(attempts: Sequence[Attempt]) -> View:
    """Return the packet tests of one candidate in full; `is_any` is false where it was not captured."""
    report = capture_of(attempts)
    if report is None:
        return {"is_any": False}
    proof = report.leak
    return {
        "is_any": True,
        "leak": _leak_word(proof) | {"sentence": leak_sentence(proof) if proof is not None else ""},
        "properties": [
            _property_word(report, kind, result) | {"sentence": property_note(result)}
            for kind, result in _injected(report)
        ],
        "broken": [
            _break_word(one.verdict) | {"sentence": break_sentence(one)} for one in (proof.broken if proof else ())
        ],
        "overhead": [_cost(one) for one in report.overhead],
        "protocols": [_protocol(one) for one in report.protocols],
        "protocol_columns": tuple(map(tr, PROTOCOL_COLUMNS)),
        "protocol_note": tr(BETWEEN_LANS_NOTE),
        "lines": [
            *[sentence for sentence in [advice_sentence(report)] if sentence],
            *(crossing_sentence(one) for one in report.crossings),
        ],
    }


def _protocol(crossing: ProtocolCrossing) -> View:
    return {
        "name": tr(PROTOCOL_NAMES[crossing.protocol]),
        "tunnel": _protocol_word(crossing.verdict, tunnel_words(crossing)),
        "joined": _protocol_word(joined_verdict(crossing), joined_words(crossing)),
        "note": protocol_note(crossing),
    }


def _protocol_word(verdict: ProtocolVerdict, word: str) -> View:
    return {"word": word, "sign": VERDICT_SIGNS[verdict], "kind": _PROTOCOL_KINDS[verdict]}


def _cost(cost: FrameOverhead) -> list[str]:
    theory = NOTHING if cost.theory_bytes is None else grouped(cost.theory_bytes)
    extra_pct = 100.0 * (cost.outer_bytes / cost.frame_bytes - 1.0)
    return [
        grouped(cost.frame_bytes),
        packets_text(cost),
        _bytes(cost.outer_bytes),
        theory,
        figure(extra_pct, 3),
        _bytes(cost.ack_bytes) if cost.ack_bytes else NOTHING,
    ]


def _bytes(size: float) -> str:
    """Return a mean of whole numbers, with one decimal place where it is not whole itself."""
    return grouped(round(size)) if size == round(size) else decimal(size, 1)
