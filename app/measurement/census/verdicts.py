"""Judgement of an option by its traffic."""

from __future__ import annotations

from app.domain.census import CensusItem, OptionStatus
from app.domain.solutions import Carrier
from app.probes.smoke_test import SmokeTestOutcome

_CARRIERS = {Carrier.UDP: "udp", Carrier.TCP: "tcp"}


def wire_filter(own: str, carrier: Carrier) -> str:
    """Return the filter for frames of the right kind: the tunnel's own, in what its solution says it travels in.

    A program that falls back to another transport silently (tinc does, from UDP to TCP) is noticed by that.
    """
    kind = _CARRIERS.get(carrier)
    return f"({own}) and {kind}" if kind and own else own


def judge(item: CensusItem, outcome: SmokeTestOutcome) -> tuple[OptionStatus, str]:
    """Say what became of an option that came up as it was asked for.

    Works: every echo request was answered, packets of the tunnel were seen on the underlay, and no plaintext in them.

    Args:
        outcome: What was seen.

    Returns:
        The word, and why; or a doubt.
    """
    if outcome.received < outcome.sent or not outcome.sent:
        return OptionStatus.FAILS, f"{outcome.received} of {outcome.sent} echo requests were answered."
    if outcome.clear_marks:
        seen = f"Plaintext was read in {outcome.clear_marks} of {outcome.captured} packets on the underlay."
        return OptionStatus.UNPROTECTED, seen
    if item.is_unprotected:
        return (
            OptionStatus.UNPROTECTED,
            "By definition it sends plaintext or unauthenticated frames over the underlay.",
        )
    if outcome.captured < outcome.sent:
        return OptionStatus.FAILS, (
            f"Frames crossed, but only {outcome.captured} packets of the right kind were seen on the underlay for "
            f"{outcome.sent} echo requests."
        )
    return OptionStatus.WORKS, _doubt(outcome)


def _doubt(outcome: SmokeTestOutcome) -> str:
    doubts = []
    if not outcome.control_marks:
        doubts.append("The capture's control was not seen, so that it does not prove that no plaintext was sent.")
    doubts += outcome.notes
    return " ".join(doubts)[:400]
