"""From counts to words. A capture proves nothing unless it shows that it would have seen plaintext."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.capture import BreakOutcome, BreakVerdict, LeakProof, LeakVerdict
from app.domain.hosts import Side
from app.probes.capture.canary import CanaryFrames
from app.probes.capture.canary_traffic import LEAK_ECHOES, Answered, Sent
from app.probes.capture.classification import Reading, count_marks
from app.probes.capture.recording import OTHER, UNDERLAY, HostCapture

LEAK_PART = 0
"""The tunnel's packets behind separator 0 are those of the canary frames."""

Captures = Mapping[Side, HostCapture]


def marks_seen(captures: Captures, mark: bytes) -> dict[str, int]:
    """Return how many packets with a mark were seen on each host, on the underlay and towards the default route."""
    return {
        side.value: count_marks(captures[side].of(UNDERLAY), mark) + count_marks(captures[side].of(OTHER), mark)
        for side in Side
    }


def judge_leak(
    captures: Captures,
    readings: Mapping[Side, Reading],
    echoes: Answered,
    marks: CanaryFrames,
    *,
    is_unprotected: bool,
    is_stream: bool,
) -> LeakProof:
    """Say whether plaintext was seen.

    Args:
        echoes: Marked echo requests that were sent and answered.
        marks: The marks of this run.
        is_unprotected: Whether the mark is to be seen, as the solution has no cryptography on purpose.
        is_stream: Whether the carrier may put several frames into one packet.
    """
    captured = {side.value: len(readings[side].part(LEAK_PART)) for side in Side}
    clear = marks_seen(captures, marks.inside)
    control = {side.value: count_marks(captures[side].of(UNDERLAY), marks.control) for side in Side}
    expected = echoes.received * (1 if is_stream else 2)
    doubts = _doubts(captured, control, echoes, expected)
    if is_unprotected:
        is_seen = all(clear.values())
        verdict = LeakVerdict.EXEMPT if is_seen else LeakVerdict.NOT_PROVEN
        note = "It has no cryptography on purpose: " + (
            "everything inside can be read on the underlay." if is_seen else "and yet the mark was not seen. "
        )
        note += "" if is_seen else " ".join(doubts)
    elif any(clear.values()):
        verdict, note = LeakVerdict.LEAKS, _where(captures, marks.inside)
    elif doubts:
        verdict, note = LeakVerdict.NOT_PROVEN, " ".join(doubts)
    else:
        verdict, note = LeakVerdict.PROTECTED, ""
    return LeakProof(
        verdict=verdict,
        sent=echoes.sent,
        answered=echoes.received,
        captured=captured,
        clear_marks=clear,
        control_marks=control,
        note=note.strip(),
    )


def _doubts(captured: Mapping[str, int], control: Mapping[str, int], echoes: Answered, expected: int) -> list[str]:
    sentences: list[str] = []
    if not all(control.values()):
        sentences.append("The control over the bare underlay was not seen in both captures.")
    if echoes.received < LEAK_ECHOES:
        sentences.append(f"Only {echoes.received} of {LEAK_ECHOES} marked echo requests were answered.")
    if any(count < max(1, expected) for count in captured.values()):
        counts = " and ".join(f"{count} on {side.upper()}" for side, count in captured.items())
        sentences.append(f"Of the tunnel's own packets, {counts} were captured; {expected} were to be expected.")
    return sentences


def _where(captures: Captures, mark: bytes) -> str:
    places = [
        f"on {side.upper()}'s {_place(captures[side], place)}"
        for side in Side
        for place in (UNDERLAY, OTHER)
        if count_marks(captures[side].of(place), mark)
    ]
    return f"Plaintext was seen {' and '.join(places)}." if places else ""


def _place(capture: HostCapture, place: str) -> str:
    return "underlay" if place == UNDERLAY else f"interface {capture.other_device}, by the default route"


def judge_breakage(
    captures: Captures, title: str, index: int, sent: Mapping[Side, Sent], marks: CanaryFrames, failure: str = ""
) -> BreakOutcome:
    """Say whether traffic stopped or went on in the clear after one breakage.

    Args:
        index: Which breakage, from 0.
        sent: What both hosts sent afterwards; empty where the breakage itself failed.
        marks: The marks of this run.
        failure: Why the breakage could not be made; empty if it could.
    """
    clear = marks_seen(captures, marks.broken(index))
    tried = sum(sum(echoes.sent for label, echoes in one.echoes.items() if label != "control") for one in sent.values())
    answered = sum(
        sum(echoes.received for label, echoes in one.echoes.items() if label != "control") for one in sent.values()
    )
    is_controlled = all(count_marks(captures[side].of(UNDERLAY), marks.broken_control(index)) for side in Side)
    was_tried = len(sent) == len(Side) and all(map(_has_tried, sent.values()))
    if any(clear.values()):
        verdict, note = BreakVerdict.FAILS_OPEN, _where(captures, marks.broken(index))
    elif failure:
        verdict, note = BreakVerdict.NOT_PROVEN, f"It could not be done: {failure}"
    elif not is_controlled or not was_tried:
        note = "Not both hosts sent frames afterwards, with a control that both captures show."
        verdict = BreakVerdict.NOT_PROVEN
    else:
        verdict, note = BreakVerdict.FAILS_CLOSED, _how_it_stopped(sent, answered)
    return BreakOutcome(title=title, verdict=verdict, clear_marks=clear, answered=answered, sent=tried, note=note)


def _has_tried(sent: Sent) -> bool:
    """Whether a host sent canary frames, or its kernel refused to."""
    return bool(sent.refusal) or any(echoes.sent for label, echoes in sent.echoes.items() if label != "control")


def _how_it_stopped(sent: Mapping[Side, Sent], answered: int) -> str:
    if answered:
        return "The tunnel still carried frames, and none of them could be read."
    refusals = sorted({one.refusal for one in sent.values() if one.refusal})
    return f"The kernel refused: {'; '.join(refusals)}."[:300] if refusals else ""
