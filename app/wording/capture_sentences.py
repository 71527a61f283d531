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
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.messages.results import LEAK_COUNTS, NUMBER_ON_SIDE
from app.wording.language import mark, tr
from app.wording.link_protocols import protocols_line
from app.wording.messages import local_text
from app.wording.numbers import with_local_sign

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
    "non-ip": mark("Frames that are not IP"),
    "multicast": mark("Multicast"),
    "vlan": mark("VLAN-tagged frames"),
    "full-size": mark("Frames of full size"),
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
    return local_text(leak_message(proof))


def leak_message(proof: LeakProof) -> str:
    """Return the sentences of `leak_sentence` as a message, for what is stored."""
    if not any((proof.sent, *proof.captured.values(), *proof.control_marks.values())):
        return proof.note or mark("Nothing was captured.")
    counts = LEAK_COUNTS(
        answered=proof.answered,
        sent=proof.sent,
        captured=_per_side(proof.captured),
        clear=_per_side(proof.clear_marks),
        control=_per_side(proof.control_marks),
    )
    return sentences((counts, proof.note))


def break_sentence(outcome: BreakOutcome) -> str:
    """Return one breakage and what became of the traffic after it, with counts."""
    return f"{break_title(outcome)}: {break_counts(outcome)}"


def break_title(outcome: BreakOutcome) -> str:
    """Return what was done in one fail-closed test."""
    title = local_text(outcome.title)
    return f"{title[:1].upper()}{title[1:]}"


def break_counts(outcome: BreakOutcome) -> str:
    """Return what became of the traffic after one breakage, with counts."""
    counts = tr("{sent} canary frames were sent, {answered} answered. Seen in the clear: {clear}.").format(
        sent=outcome.sent, answered=outcome.answered, clear=local_text(_per_side(outcome.clear_marks))
    )
    return f"{counts} {local_text(outcome.note)}".strip()


def unproven_sentences(proof: LeakProof | None) -> tuple[str, ...]:
    """Return what captures did not prove of a tunnel that is to protect, a sentence each; none where all was proven."""
    if proof is None:
        return (tr("The leak test was not run."),)
    found: list[str] = []
    if proof.verdict is LeakVerdict.NOT_PROVEN:
        found.append(f"{tr('Leak test inconclusive.')} {local_text(proof.note)}".strip())
        if not proof.broken:
            found.append(tr("The fail-closed test was not run."))
    found += [
        tr("Fail-closed test inconclusive: {title}. {note}")
        .format(title=local_text(one.title), note=local_text(one.note))
        .strip()
        for one in proof.broken
        if one.verdict is BreakVerdict.NOT_PROVEN
    ]
    return tuple(found)


def property_sentence(kind: Property, result: PropertyResult) -> str:
    """Return one property and what was shown of it, for example `Authentic: ✓ None of 60 packets …`."""
    sign = "" if result.verdict is PropertyVerdict.NOT_TRIED else f"{PROPERTY_SIGNS[result.verdict]} "
    note = property_note(result)
    return f"{tr(PROPERTY_WORDS[kind]).capitalize()}: {sign}{note if sign else within_sentence(note)}".strip()


def property_note(result: PropertyResult) -> str:
    """Return what was shown of a property, as a sentence."""
    if result.verdict is not PropertyVerdict.NOT_TRIED:
        return local_text(result.note)
    if not result.note:
        return tr("Not tried.")
    return tr("Not tried, because {reason}").format(reason=within_sentence(local_text(result.note)))


def within_sentence(sentence: str) -> str:
    """Return a sentence as it is written within another one."""
    first = sentence.partition(" ")[0].rstrip(",.")
    return sentence[:1].lower() + sentence[1:] if first in _NO_NAMES else sentence


def properties_line(properties: Mapping[Property, PropertyResult]) -> str:
    """Return all properties in one line, for example `✓ confidential, ✓ authentic, ? replay-proof (not tried)`."""
    return ", ".join(
        f"{PROPERTY_SIGNS[result.verdict]} {tr(PROPERTY_WORDS[kind])}"
        + (tr(" (not tried)") if result.verdict is PropertyVerdict.NOT_TRIED else "")
        for kind, result in properties.items()
    )


def crossing_sentence(crossing: FrameCrossing) -> str:
    """Return whether a special kind of frame crosses."""
    what = tr(CROSSING_WORDS.get(crossing.kind, crossing.kind))
    if crossing.kind == "multicast":
        verbs = {True: tr("{what} crosses."), False: tr("{what} does not cross.")}
    else:
        verbs = {True: tr("{what} cross."), False: tr("{what} do not cross.")}
    sentence = tr("{what} could not be tested.") if crossing.has_crossed is None else verbs[crossing.has_crossed]
    return f"{sentence.format(what=what)} {local_text(crossing.note)}".strip()


def advice_sentence(report: CaptureReport) -> str:
    """Return which MTU inside would avoid fragments; empty where nothing is fragmented."""
    if report.advised_inner_mtu_bytes is None:
        return ""
    proven = {
        True: tr(" Verified: a frame of this size is not fragmented, one byte more is."),
        False: tr(" The test did not confirm it."),
        None: tr(" Calculated, not tested."),
    }[report.is_advised_mtu_proven]
    return tr("An MTU of {mtu} bytes inside avoids fragments.").format(mtu=report.advised_inner_mtu_bytes) + proven


def packets_text(cost: FrameOverhead) -> str:
    """Return how many outer packets one frame takes, for example `2 (fragments)`."""
    packets = with_local_sign(f"{round(cost.packets, 2):g}")
    return tr("{packets} (fragments)").format(packets=packets) if cost.is_fragmented else packets


def capture_line(report: CaptureReport) -> str:
    """Return all of it in one line: the leak's word, breakages, fragments, the MTU without them, and protocols."""
    parts: list[str] = []
    proof = report.leak
    if proof is not None:
        parts.append(f"{LEAK_SIGNS[proof.verdict]} {tr(LEAK_WORDS[proof.verdict])}")
        parts += [
            f"{PROPERTY_SIGNS[result.verdict]} {tr(PROPERTY_WORDS[kind])}"
            for kind, result in properties_of(report).items()
            if kind is not Property.CONFIDENTIAL and report.injection is not None
        ]
        worst = worst_breakage(proof.broken)
        if worst is not None:
            parts.append(f"{BREAK_SIGNS[worst]} {tr(BREAK_WORDS[worst])}")
        if proof.verdict is LeakVerdict.NOT_PROVEN and proof.note:
            parts.append(local_text(proof.note).rstrip("."))
    cut = [str(cost.frame_bytes) for cost in report.overhead if cost.is_fragmented]
    if cut:
        parts.append(tr("frames of {cut} B are fragmented").format(cut=", ".join(cut)))
    if report.advised_inner_mtu_bytes is not None:
        parts.append(tr("MTU inside without fragments {mtu}").format(mtu=report.advised_inner_mtu_bytes))
    if report.protocols:
        parts.append(protocols_line(report.protocols))
    return "; ".join(parts)


def _per_side(counts: Mapping[str, int]) -> str:
    """Return counts of both hosts, for a gap that is translated."""
    return enumerated(NUMBER_ON_SIDE(number=counts[side], side=side.upper()) for side in sorted(counts)) or mark("none")
