"""From counts to words. A capture proves nothing unless it shows that it would have seen plaintext."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.capture import BreakOutcome, BreakVerdict, LeakProof, LeakVerdict
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.messages.results import NUMBER_ON_SIDE
from app.probes.capture.canary import CanaryFrames
from app.probes.capture.canary_traffic import LEAK_ECHOES, Answered, Sent
from app.probes.capture.classification import Reading, count_canaries
from app.probes.capture.messages import (
    BREAKAGE_FAILED,
    CONTROL_UNSEEN,
    FEW_ANSWERED,
    FEW_PACKETS,
    KERNEL_REFUSED,
    NO_CONTROL_AFTERWARDS,
    ON_INTERFACE,
    ON_UNDERLAY,
    PLAINTEXT_SEEN,
    READABLE_ON_PURPOSE,
    STILL_CARRIED,
    UNREADABLE_ON_PURPOSE,
)
from app.probes.capture.recording import OTHER, UNDERLAY, HostCapture

_MAX_REFUSAL_CHARACTERS = 280

LEAK_PART = 0
"""The tunnel's packets behind separator 0 are those of the canary frames."""

Captures = Mapping[Side, HostCapture]


def canaries_seen(captures: Captures, canary: bytes) -> dict[str, int]:
    """Return how many packets with a mark were seen on each host, on the underlay and towards the default route."""
    return {
        side.value: count_canaries(captures[side].of(UNDERLAY), canary)
        + count_canaries(captures[side].of(OTHER), canary)
        for side in Side
    }


def judge_leak(
    captures: Captures,
    readings: Mapping[Side, Reading],
    echoes: Answered,
    canaries: CanaryFrames,
    *,
    is_unprotected: bool,
    is_stream: bool,
) -> LeakProof:
    """Return whether plaintext was seen.

    Args:
        echoes: Marked echo requests that were sent and answered.
        canaries: The canaries of this run.
        is_unprotected: Whether the mark is to be seen, as the solution has no cryptography on purpose.
        is_stream: Whether the carrier may put several frames into one packet.
    """
    captured = {side.value: len(readings[side].part(LEAK_PART)) for side in Side}
    clear = canaries_seen(captures, canaries.inside)
    control = {side.value: count_canaries(captures[side].of(UNDERLAY), canaries.control) for side in Side}
    expected = echoes.received * (1 if is_stream else 2)
    doubts = _doubts(captured, control, echoes, expected)
    if is_unprotected:
        is_seen = all(clear.values())
        verdict = LeakVerdict.EXEMPT if is_seen else LeakVerdict.NOT_PROVEN
        note = READABLE_ON_PURPOSE() if is_seen else sentences((UNREADABLE_ON_PURPOSE(), *doubts))
    elif any(clear.values()):
        verdict, note = LeakVerdict.LEAKS, _where(captures, canaries.inside)
    elif doubts:
        verdict, note = LeakVerdict.NOT_PROVEN, sentences(doubts)
    else:
        verdict, note = LeakVerdict.PROTECTED, ""
    return LeakProof(
        verdict=verdict,
        sent=echoes.sent,
        answered=echoes.received,
        captured=captured,
        clear_marks=clear,
        control_marks=control,
        note=note,
    )


def _doubts(captured: Mapping[str, int], control: Mapping[str, int], echoes: Answered, expected: int) -> list[str]:
    found: list[str] = []
    if not all(control.values()):
        found.append(CONTROL_UNSEEN())
    if echoes.received < LEAK_ECHOES:
        found.append(FEW_ANSWERED(answered=echoes.received, sent=LEAK_ECHOES))
    if any(count < max(1, expected) for count in captured.values()):
        counts = enumerated(NUMBER_ON_SIDE(number=count, side=side.upper()) for side, count in captured.items())
        found.append(FEW_PACKETS(counts=counts, expected=expected))
    return found


def _where(captures: Captures, canary: bytes) -> str:
    places = [
        _place(captures[side], place, side.upper())
        for side in Side
        for place in (UNDERLAY, OTHER)
        if count_canaries(captures[side].of(place), canary)
    ]
    return PLAINTEXT_SEEN(places=enumerated(places)) if places else ""


def _place(capture: HostCapture, place: str, side: str) -> str:
    return ON_UNDERLAY(side=side) if place == UNDERLAY else ON_INTERFACE(side=side, interface=capture.other_device)


def judge_breakage(
    captures: Captures, title: str, index: int, sent: Mapping[Side, Sent], canaries: CanaryFrames, failure: str = ""
) -> BreakOutcome:
    """Return whether traffic stopped or went on in the clear after one breakage.

    Args:
        index: Which breakage, from 0.
        sent: What both hosts sent afterwards; empty where the breakage itself failed.
        canaries: The canaries of this run.
        failure: Why the breakage could not be made; empty if it could.
    """
    clear = canaries_seen(captures, canaries.broken(index))
    tried = sum(sum(echoes.sent for label, echoes in one.echoes.items() if label != "control") for one in sent.values())
    answered = sum(
        sum(echoes.received for label, echoes in one.echoes.items() if label != "control") for one in sent.values()
    )
    is_controlled = all(count_canaries(captures[side].of(UNDERLAY), canaries.broken_control(index)) for side in Side)
    was_tried = len(sent) == len(Side) and all(map(_has_tried, sent.values()))
    if any(clear.values()):
        verdict, note = BreakVerdict.FAILS_OPEN, _where(captures, canaries.broken(index))
    elif failure:
        verdict, note = BreakVerdict.NOT_PROVEN, BREAKAGE_FAILED(why=failure)
    elif not is_controlled or not was_tried:
        note = NO_CONTROL_AFTERWARDS()
        verdict = BreakVerdict.NOT_PROVEN
    else:
        verdict, note = BreakVerdict.FAILS_CLOSED, _how_it_stopped(sent, answered)
    return BreakOutcome(title=title, verdict=verdict, clear_marks=clear, answered=answered, sent=tried, note=note)


def _has_tried(sent: Sent) -> bool:
    """Whether a host sent canary frames, or its kernel refused to."""
    return bool(sent.refusal) or any(echoes.sent for label, echoes in sent.echoes.items() if label != "control")


def _how_it_stopped(sent: Mapping[Side, Sent], answered: int) -> str:
    if answered:
        return STILL_CARRIED()
    refusals = sorted({one.refusal for one in sent.values() if one.refusal})
    return KERNEL_REFUSED(words="; ".join(refusals)[:_MAX_REFUSAL_CHARACTERS]) if refusals else ""
