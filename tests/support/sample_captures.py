"""A made-up report of packet tests, for tests of what is stored and reported of it."""

from __future__ import annotations

from app.domain.capture import (
    BreakOutcome,
    BreakVerdict,
    CaptureReport,
    FrameCrossing,
    FrameOverhead,
    LeakProof,
    LeakVerdict,
)
from app.domain.injection import HostInjection, InjectionReport, InjectionTrial, TrialKind
from app.domain.link_protocols import A_TO_B, B_TO_A, LinkProtocol, ProtocolCrossing, ProtocolVerdict, ProtocolWay
from app.domain.profiles import FRAME_BYTES


def injection_report(verdict: LeakVerdict, note: str = "") -> InjectionReport:
    """Return an injection test: of what protects B lacks nft, and all gets into what does not protect."""
    gets_in = verdict is not LeakVerdict.PROTECTED
    trials = tuple(
        InjectionTrial(kind, title, 3, 3, 3 if gets_in else entered)
        for kind, title, entered in (
            (TrialKind.FORGED, "from a third address", 0),
            (TrialKind.DELAYED, "as they were", 3),
            (TrialKind.REPLAYED, "", 0),
        )
    )
    altered = InjectionTrial(TrialKind.ALTERED, "by one bit", 22, 22, 2 if gets_in else 0)
    missing = {} if gets_in else {TrialKind.ALTERED.value: f"gw-b has no nft to hold back packets with. {note}".strip()}
    return InjectionReport(
        {"a": HostInjection((*trials, altered)), "b": HostInjection(trials, missing)},
        is_exempt=verdict is LeakVerdict.EXEMPT,
    )


def capture_report(
    overhead_bytes: int, verdict: LeakVerdict = LeakVerdict.PROTECTED, note: str = "", *, is_open: bool = True
) -> CaptureReport:
    """Return a whole report.

    Args:
        overhead_bytes: By which every frame grows.
        verdict: Of the leak test.
        note: Beside every part.
        is_open: Whether one of the breakages lets frames out.
    """
    broken: tuple[BreakOutcome, ...] = ()
    if verdict is LeakVerdict.PROTECTED:
        nothing = {"a": 0, "b": 0}
        broken = (
            BreakOutcome("the daemon is killed on gw-a", BreakVerdict.FAILS_CLOSED, nothing, 0, 16, note),
            BreakOutcome(
                "the device is deleted on gw-b",
                BreakVerdict.FAILS_OPEN if is_open else BreakVerdict.FAILS_CLOSED,
                {"a": 0, "b": 8 if is_open else 0},
                0,
                16,
                note,
            ),
        )
    clear = 0 if verdict is LeakVerdict.PROTECTED else 20
    return CaptureReport(
        leak=LeakProof(
            verdict, 10, 10, {"a": 20, "b": 20}, {"a": clear, "b": clear}, {"a": 6, "b": 6}, broken, note=note
        ),
        overhead=tuple(
            FrameOverhead(
                size,
                2.0 if size + overhead_bytes > 1514 else 1.0,
                size + overhead_bytes + (34.0 if size + overhead_bytes > 1514 else 0.0),
                size + overhead_bytes,
                is_fragmented=size + overhead_bytes > 1514,
                ack_bytes=33.0,
            )
            for size in FRAME_BYTES
        ),
        crossings=(
            FrameCrossing("non-ip", has_crossed=True, note=note),
            FrameCrossing("multicast", has_crossed=False, note=note),
            FrameCrossing("vlan", has_crossed=None, note=note),
        ),
        advised_inner_mtu_bytes=1500 - overhead_bytes if overhead_bytes else None,
        is_advised_mtu_proven=True if overhead_bytes else None,
        doubts=(note,) if note else (),
        injection=injection_report(verdict, note) if overhead_bytes else None,
        protocols=protocol_crossings(note) if overhead_bytes else (),
    )


def protocol_crossings(note: str = "") -> tuple[ProtocolCrossing, ...]:
    """Return link-layer protocols of each fate: MRP is lost one way, VLAN 0 loses its tag, PTP is half tried."""
    crosses = ProtocolWay(ProtocolVerdict.CROSSES, 3, 3)
    special = {
        LinkProtocol.MRP: ProtocolWay(ProtocolVerdict.LOST, 3, 0),
        LinkProtocol.PRIORITY_TAG: ProtocolWay(ProtocolVerdict.CHANGED, 3, 3, f"The tag was removed. {note}".strip()),
        LinkProtocol.PTP: ProtocolWay(ProtocolVerdict.NOT_TRIED, note="gw-b has no Perl to send whole frames with."),
    }
    return tuple(ProtocolCrossing.of(one, {A_TO_B: crosses, B_TO_A: special.get(one, crosses)}) for one in LinkProtocol)
