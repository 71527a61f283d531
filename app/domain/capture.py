"""Results of packet captures on the underlay while a tunnel carried canary frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.injection import InjectionReport, PropertyResult, PropertyVerdict, authenticity, replay_protection
from app.domain.link_protocols import ProtocolCrossing
from app.domain.messages.results import LEAK_TEST_NOT_RUN


class LeakVerdict(StrEnum):
    """Whether anything of the frames inside could be read on the underlay."""

    PROTECTED = "protected"  # canary frames crossed, their packets were captured, no mark was in them
    LEAKS = "leaks"
    NOT_PROVEN = "not-proven"  # the control failed, or no packet was captured
    EXEMPT = "exempt"  # a reference without cryptography: the mark is to be seen


class BreakVerdict(StrEnum):
    """Fate of the traffic once the protection is gone."""

    FAILS_CLOSED = "fails-closed"
    FAILS_OPEN = "fails-open"
    NOT_PROVEN = "not-proven"


@dataclass(frozen=True, slots=True)
class BreakOutcome:
    """Result of canary frames after one breakage.

    Attributes:
        title: What was done.
        verdict: Whether plaintext was seen.
        clear_marks: Marks seen on the underlay, by `a` and `b`.
        answered: Marked echo requests that were answered, of `sent`.
        sent: Marked echo requests that were sent.
        note: Anything that the reader should know.
    """

    title: str
    verdict: BreakVerdict
    clear_marks: Mapping[str, int]
    answered: int
    sent: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class LeakProof:
    """Whether plaintext could be seen on the underlay.

    Attributes:
        verdict: The word.
        sent: Marked echo requests that were sent through the tunnel.
        answered: How many were answered.
        captured: Packets of the tunnel captured on the underlay, by `a` and `b`.
        clear_marks: Packets with the mark in them, by `a` and `b`.
        control_marks: Packets with the mark when the same was sent over the bare underlay, by `a` and `b`.
        broken: What happened after each breakage.
        note: Anything that the reader should know.
    """

    verdict: LeakVerdict
    sent: int
    answered: int
    captured: Mapping[str, int]
    clear_marks: Mapping[str, int]
    control_marks: Mapping[str, int]
    broken: tuple[BreakOutcome, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class FrameOverhead:
    """Overhead of one frame size on the underlay, measured from a capture.

    Attributes:
        frame_bytes: Ethernet frame inside, in bytes without FCS.
        packets: Outer packets per frame inside (TCP's acknowledgements without payload not counted).
        outer_bytes: Bytes on the underlay per frame inside, Ethernet headers included, without FCS.
        theory_bytes: The same by the adapter's arithmetic, fragmentation included; None where it gives none.
        is_fragmented: Whether IPv4 fragments were seen.
        ack_bytes: Bytes of TCP acknowledgements without payload per frame inside; 0 where the carrier is not TCP.
    """

    frame_bytes: int
    packets: float
    outer_bytes: float
    theory_bytes: int | None
    is_fragmented: bool
    ack_bytes: float = 0.0


@dataclass(frozen=True, slots=True)
class FrameCrossing:
    """Whether a special kind of frame crosses.

    Attributes:
        kind: `non-ip`, `multicast`, `vlan` or `full-size`.
        has_crossed: Whether it did; None where it could not be tried.
        note: How it was tried, or why not.
    """

    kind: str
    has_crossed: bool | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """All results of captures on the underlay for one tunnel.

    Attributes:
        leak: Whether plaintext could be seen; None where it was not tested.
        overhead: Per frame size.
        crossings: Special frames.
        protocols: Frames of link-layer protocols; empty where they were not tested, as in earlier versions.
        advised_inner_mtu_bytes: The inner MTU that would avoid fragmentation; None where nothing is fragmented.
        is_advised_mtu_proven: Whether a packet of that size crossed whole and one byte more did not; None if not tried.
        doubts: Why this may be wrong, as sentences.
        injection: Whether anything got in that did not come through the cryptography; None where it was not tried.
    """

    leak: LeakProof | None = None
    overhead: tuple[FrameOverhead, ...] = ()
    crossings: tuple[FrameCrossing, ...] = ()
    advised_inner_mtu_bytes: int | None = None
    is_advised_mtu_proven: bool | None = None
    doubts: tuple[str, ...] = ()
    injection: InjectionReport | None = None
    protocols: tuple[ProtocolCrossing, ...] = ()


class Property(StrEnum):
    """Property of a tunnel that "protected" stands for; each is shown on its own."""

    CONFIDENTIAL = "confidential"
    AUTHENTIC = "authentic"
    REPLAY_PROOF = "replay-proof"


def properties_of(report: CaptureReport) -> Mapping[Property, PropertyResult]:
    """Return what was shown of a tunnel, by property."""
    return {
        Property.CONFIDENTIAL: confidentiality(report.leak),
        Property.AUTHENTIC: authenticity(report.injection),
        Property.REPLAY_PROOF: replay_protection(report.injection),
    }


def confidentiality(proof: LeakProof | None) -> PropertyResult:
    """Return whether nothing of the frames inside could be read on the underlay."""
    if proof is None:
        return PropertyResult(PropertyVerdict.NOT_TRIED, LEAK_TEST_NOT_RUN(), is_tried=False)
    verdict = {
        LeakVerdict.PROTECTED: PropertyVerdict.HOLDS,
        LeakVerdict.LEAKS: PropertyVerdict.FAILS,
        LeakVerdict.EXEMPT: PropertyVerdict.FAILS,
        LeakVerdict.NOT_PROVEN: PropertyVerdict.NOT_TRIED,
    }[proof.verdict]
    return PropertyResult(verdict, proof.note)
