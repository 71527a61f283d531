"""Icons, words and colours of what packet tests showed."""

from __future__ import annotations

from dataclasses import replace

from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, Property, properties_of
from app.domain.injection import PropertyVerdict
from app.wording.capture_sentences import (
    BREAK_WORDS,
    LEAK_WORDS,
    RESULT_WORDS,
    break_sentence,
    leak_sentence,
    property_note,
    worst_breakage,
)
from ui.common.texts import tr
from ui.common.verdicts import Appearance


def leak_appearance(verdict: LeakVerdict) -> Appearance:
    """Return icon, word and colour of what was readable."""
    icon, role = {
        LeakVerdict.PROTECTED: ("shield-check", "good"),
        LeakVerdict.LEAKS: ("shield-broken", "bad"),
        LeakVerdict.NOT_PROVEN: ("warning", "legacy"),
        LeakVerdict.EXEMPT: ("open", "muted"),
    }[verdict]
    return Appearance(icon, tr(LEAK_WORDS[verdict]), role)


def break_appearance(verdict: BreakVerdict) -> Appearance:
    """Return icon, word and colour of what happens once the protection has gone."""
    icon, role = {
        BreakVerdict.FAILS_CLOSED: ("check", "good"),
        BreakVerdict.FAILS_OPEN: ("error", "bad"),
        BreakVerdict.NOT_PROVEN: ("warning", "legacy"),
    }[verdict]
    return Appearance(icon, tr(BREAK_WORDS[verdict]), role)


def property_appearance(verdict: PropertyVerdict, word: str, *, is_exempt: bool) -> Appearance:
    """Return icon, word and colour of what the injection test showed."""
    icon, role = {
        PropertyVerdict.HOLDS: ("check", "good"),
        PropertyVerdict.FAILS: ("error", "bad"),
        PropertyVerdict.NOT_TRIED: ("warning", "legacy"),
    }[verdict]
    return Appearance("open", word, "muted") if is_exempt else Appearance(icon, word, role)


Shown = tuple[str, Appearance, str]
"""A property with its style and a sentence."""


def proof_appearances(report: CaptureReport) -> tuple[Shown, ...]:
    """Return the four properties that packet tests prove or refute, each with its style and a sentence."""
    found, proof = proven_properties(report), report.leak
    worst = worst_breakage(proof.broken) if proof is not None else None
    if proof is not None and worst is not None:
        sentences = "\n".join(break_sentence(outcome) for outcome in proof.broken)
        found.append((tr("Fail-closed"), short_break(worst), sentences))
    return tuple(found)


def proven_properties(report: CaptureReport) -> list[Shown]:
    """Return what packet tests prove or refute of a tunnel that is intact."""
    proof, injection, shown = report.leak, report.injection, properties_of(report)
    found: list[Shown] = []
    if proof is not None:
        found.append((tr("Confidential"), short_leak(proof.verdict), leak_sentence(proof)))
    for title, kind in ((tr("Authentic"), Property.AUTHENTIC), (tr("Replay-proof"), Property.REPLAY_PROOF)):
        result = shown[kind]
        is_exempt = injection is not None and injection.is_exempt
        appearance = property_appearance(result.verdict, tr(RESULT_WORDS[result.verdict]), is_exempt=is_exempt)
        found.append((title, appearance, property_note(result)))
    return found


def short_break(verdict: BreakVerdict) -> Appearance:
    """Return the style with the word of the other properties where nothing got out."""
    return _short(break_appearance(verdict), is_proven=verdict is BreakVerdict.FAILS_CLOSED)


def short_leak(verdict: LeakVerdict) -> Appearance:
    """Return the style with the word of the other properties where nothing could be read."""
    return _short(leak_appearance(verdict), is_proven=verdict is LeakVerdict.PROTECTED)


def _short(appearance: Appearance, *, is_proven: bool) -> Appearance:
    return replace(appearance, word=tr(RESULT_WORDS[PropertyVerdict.HOLDS])) if is_proven else appearance
