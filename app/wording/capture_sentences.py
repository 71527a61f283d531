"""Words for the packet tests: the same in the log, in reports, on the command line and in the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.capture import (
    BreakOutcome,
    BreakVerdict,
    CaptureReport,
    FrameCrossing,
    FrameOverhead,
    LeakProof,
    LeakVerdict,
    Property,
    properties_of,
)
from app.domain.injection import PropertyResult, PropertyVerdict
from app.wording.language import mark
from app.wording.link_protocols import protocols_line

LEAK_WORDS = {
    LeakVerdict.PROTECTED: mark("confidential"),
    LeakVerdict.LEAKS: mark("leaks"),
    LeakVerdict.NOT_PROVEN: mark("not proven"),
    LeakVerdict.EXEMPT: mark("unencrypted (by design)"),
}

BREAK_WORDS = {
    BreakVerdict.FAILS_CLOSED: mark("fail-closed"),
    BreakVerdict.FAILS_OPEN: mark("fails open"),
    BreakVerdict.NOT_PROVEN: mark("not proven"),
}

LEAK_SIGNS = {
    LeakVerdict.PROTECTED: "✓",
    LeakVerdict.LEAKS: "✕",
    LeakVerdict.NOT_PROVEN: "?",
    LeakVerdict.EXEMPT: "–",
}
"""A sign beside each word, so that neither colour nor reading is needed to see it."""

BREAK_SIGNS = {
    BreakVerdict.FAILS_CLOSED: "✓",
    BreakVerdict.FAILS_OPEN: "✕",
    BreakVerdict.NOT_PROVEN: "?",
}

PROPERTY_WORDS = {
    Property.CONFIDENTIAL: mark("confidential"),
    Property.AUTHENTIC: mark("authentic"),
    Property.REPLAY_PROOF: mark("replay-proof"),
}

PROPERTY_SIGNS = {
    PropertyVerdict.HOLDS: "✓",
    PropertyVerdict.FAILS: "✕",
    PropertyVerdict.NOT_TRIED: "?",
}

RESULT_WORDS = {
    PropertyVerdict.HOLDS: mark("yes"),
    PropertyVerdict.FAILS: mark("no"),
    PropertyVerdict.NOT_TRIED: mark("not tested"),
}

CROSSING_WORDS = {
    "non-ip": "Frames that are not IP",
    "multicast": "Multicast",
    "vlan": "VLAN-tagged frames",
    "full-size": "Frames of full size",
}

_NO_NAMES = frozenset({"The", "No", "On", "Only", "It", "Not"})
"""Beginnings of sentences that are written small within one; a host's name is not."""

_WORST_FIRST = (BreakVerdict.FAILS_OPEN, BreakVerdict.NOT_PROVEN, BreakVerdict.FAILS_CLOSED)


def worst_breakage(outcomes: Sequence[BreakOutcome]) -> BreakVerdict | None:
    """Return the word for all breakages together; None where none was tried."""
    found = {one.verdict for one in outcomes}
    return next((verdict for verdict in _WORST_FIRST if verdict in found), None)


def leak_sentence(proof: LeakProof) -> str:
    """Return what the captures showed, with counts, as sentences."""
    counts = (
        f"{proof.answered} of {proof.sent} canary frames were answered. Captured packets of the tunnel: "
        f"{_per_side(proof.captured)}; packets with readable canaries: {_per_side(proof.clear_marks)}; "
        f"control frames (unencrypted) seen: {_per_side(proof.control_marks)}."
    )
    if not any((proof.sent, *proof.captured.values(), *proof.control_marks.values())):
        return proof.note or "Nothing was captured."
    return f"{counts} {proof.note}".strip()


def break_sentence(outcome: BreakOutcome) -> str:
    """Return one breakage and what became of the traffic after it, with counts."""
    return f"{break_title(outcome)}: {break_counts(outcome)}"


def break_title(outcome: BreakOutcome) -> str:
    """Return what was done in one fail-closed test."""
    return f"{outcome.title[:1].upper()}{outcome.title[1:]}"


def break_counts(outcome: BreakOutcome) -> str:
    """Return what became of the traffic after one breakage, with counts."""
    return (
        f"{outcome.sent} canary frames were sent, {outcome.answered} answered. Seen in the clear: "
        f"{_per_side(outcome.clear_marks)}. {outcome.note}"
    ).strip()


def unproven_sentences(proof: LeakProof | None) -> tuple[str, ...]:
    """Return what captures did not prove of a tunnel that is to protect, a sentence each; none where all was proven."""
    if proof is None:
        return ("The leak test was not run.",)
    found: list[str] = []
    if proof.verdict is LeakVerdict.NOT_PROVEN:
        found.append(f"Leak test inconclusive. {proof.note}".strip())
        if not proof.broken:
            found.append("The fail-closed test was not run.")
    found += [
        f"Fail-closed test inconclusive: {one.title}. {one.note}".strip()
        for one in proof.broken
        if one.verdict is BreakVerdict.NOT_PROVEN
    ]
    return tuple(found)


def property_sentence(kind: Property, result: PropertyResult) -> str:
    """Return one property and what was shown of it, for example `Authentic: ✓ None of 60 packets …`."""
    sign = "" if result.verdict is PropertyVerdict.NOT_TRIED else f"{PROPERTY_SIGNS[result.verdict]} "
    note = property_note(result)
    return f"{PROPERTY_WORDS[kind].capitalize()}: {sign}{note if sign else within_sentence(note)}".strip()


def property_note(result: PropertyResult) -> str:
    """Return what was shown of a property, as a sentence."""
    if result.verdict is not PropertyVerdict.NOT_TRIED:
        return result.note
    return f"Not tried, because {within_sentence(result.note)}" if result.note else "Not tried."


def within_sentence(sentence: str) -> str:
    """Return a sentence as it is written within another one."""
    first = sentence.partition(" ")[0].rstrip(",.")
    return sentence[:1].lower() + sentence[1:] if first in _NO_NAMES else sentence


def properties_line(properties: Mapping[Property, PropertyResult]) -> str:
    """Return all properties in one line, for example `✓ confidential, ✓ authentic, ? replay-proof (not tried)`."""
    return ", ".join(
        f"{PROPERTY_SIGNS[result.verdict]} {PROPERTY_WORDS[kind]}"
        + (" (not tried)" if result.verdict is PropertyVerdict.NOT_TRIED else "")
        for kind, result in properties.items()
    )


def crossing_sentence(crossing: FrameCrossing) -> str:
    """Return whether a special kind of frame crosses."""
    what = CROSSING_WORDS.get(crossing.kind, crossing.kind)
    crosses, does = ("crosses", "does") if what == "Multicast" else ("cross", "do")
    verbs = {True: crosses, False: f"{does} not cross", None: "could not be tested"}
    return f"{what} {verbs[crossing.has_crossed]}. {crossing.note}".strip()


def advice_sentence(report: CaptureReport) -> str:
    """Return which MTU inside would avoid fragments; empty where nothing is fragmented."""
    if report.advised_inner_mtu_bytes is None:
        return ""
    proven = {
        True: " Verified: a frame of this size is not fragmented, one byte more is.",
        False: " The test did not confirm it.",
        None: " Calculated, not tested.",
    }[report.is_advised_mtu_proven]
    return f"An MTU of {report.advised_inner_mtu_bytes} bytes inside avoids fragments.{proven}"


def packets_text(cost: FrameOverhead) -> str:
    """Return how many outer packets one frame takes, for example `2 (fragments)`."""
    return f"{round(cost.packets, 2):g}{' (fragments)' if cost.is_fragmented else ''}"


def wire_line(report: CaptureReport) -> str:
    """Return all of it in one line: the leak's word, breakages, fragments, the MTU without them, and protocols."""
    parts: list[str] = []
    proof = report.leak
    if proof is not None:
        parts.append(f"{LEAK_SIGNS[proof.verdict]} {LEAK_WORDS[proof.verdict]}")
        parts += [
            f"{PROPERTY_SIGNS[result.verdict]} {PROPERTY_WORDS[kind]}"
            for kind, result in properties_of(report).items()
            if kind is not Property.CONFIDENTIAL and report.injection is not None
        ]
        worst = worst_breakage(proof.broken)
        if worst is not None:
            parts.append(f"{BREAK_SIGNS[worst]} {BREAK_WORDS[worst]}")
        if proof.verdict is LeakVerdict.NOT_PROVEN and proof.note:
            parts.append(proof.note.rstrip("."))
    cut = [str(cost.frame_bytes) for cost in report.overhead if cost.is_fragmented]
    if cut:
        parts.append(f"frames of {', '.join(cut)} B are fragmented")
    if report.advised_inner_mtu_bytes is not None:
        parts.append(f"MTU inside without fragments {report.advised_inner_mtu_bytes}")
    if report.protocols:
        parts.append(protocols_line(report.protocols))
    return "; ".join(parts)


def _per_side(counts: Mapping[str, int]) -> str:
    return " and ".join(f"{counts[side]} on {side.upper()}" for side in sorted(counts)) or "none"
