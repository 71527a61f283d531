"""Judgement of an option by its traffic."""

from __future__ import annotations

from app.domain.census import CensusItem, OptionStatus
from app.domain.messages import sentences
from app.domain.solutions import Carrier
from app.measurement.messages import (
    CONTROL_NOT_SEEN,
    ECHOES_ANSWERED,
    FEW_OF_THE_KIND,
    PLAINTEXT_BY_DEFINITION,
    PLAINTEXT_READ,
)
from app.probes.smoke_test import SmokeTestOutcome

_CARRIERS = {Carrier.UDP: "udp", Carrier.TCP: "tcp"}


def outer_filter(own: str, carrier: Carrier) -> str:
    """Return the filter for frames of the right kind: the tunnel's own, in what its solution says it travels in.

    A program that falls back to another transport silently (tinc does, from UDP to TCP) is noticed by that.
    """
    kind = _CARRIERS.get(carrier)
    return f"({own}) and {kind}" if kind and own else own


def judge(item: CensusItem, outcome: SmokeTestOutcome) -> tuple[OptionStatus, str]:
    """Return what became of an option that came up as it was asked for.

    Works: every echo request was answered, packets of the tunnel were seen on the underlay, and no plaintext in them.

    Args:
        outcome: What was seen.

    Returns:
        The word, and why; or a doubt.
    """
    if outcome.received < outcome.sent or not outcome.sent:
        return OptionStatus.FAILS, ECHOES_ANSWERED(received=outcome.received, sent=outcome.sent)
    if outcome.clear_marks:
        seen = PLAINTEXT_READ(seen=outcome.clear_marks, captured=outcome.captured)
        return OptionStatus.UNPROTECTED, seen
    if item.is_unprotected:
        return (
            OptionStatus.UNPROTECTED,
            PLAINTEXT_BY_DEFINITION(),
        )
    if outcome.captured < outcome.sent:
        return OptionStatus.FAILS, (FEW_OF_THE_KIND(captured=outcome.captured, sent=outcome.sent))
    return OptionStatus.WORKS, _doubt(outcome)


def _doubt(outcome: SmokeTestOutcome) -> str:
    doubts: list[str] = []
    if not outcome.control_marks:
        doubts.append(CONTROL_NOT_SEEN())
    doubts += outcome.notes
    return sentences(doubts[:3])
