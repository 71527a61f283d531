"""Captures of a deployment between made-up hosts, which have no underlay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.deployment import proof
from app.domain.capture import BreakOutcome, BreakVerdict, CaptureReport, FrameCrossing, LeakProof, LeakVerdict
from app.domain.injection import InjectionReport
from support.made_up_host import LocalHost

NOTHING_SEEN = {"a": 0, "b": 0}
CLOSED = BreakOutcome("The key is removed on gateway-a", BreakVerdict.FAILS_CLOSED, NOTHING_SEEN, 0, 6)
PROVEN = LeakProof(LeakVerdict.PROTECTED, 5, 5, {"a": 10, "b": 10}, NOTHING_SEEN, {"a": 1, "b": 1}, (CLOSED,))
NO_TCPDUMP = LeakProof(
    LeakVerdict.NOT_PROVEN, 0, 0, NOTHING_SEEN, NOTHING_SEEN, NOTHING_SEEN, note="gateway-a has no tcpdump."
)
UNSURE = replace(
    PROVEN, broken=(CLOSED, replace(CLOSED, title="The table is deleted", verdict=BreakVerdict.NOT_PROVEN))
)


class CaptureProof:
    """Outcome of captures; made-up hosts have no underlay.

    Attributes:
        proofs: What they show, test by test; the last one again and again.
        crossings: Whether a full frame crosses.
        inspections: How often packet tests ran.
        injection: What the injection test shows.
    """

    def __init__(self) -> None:
        self.proofs = [PROVEN]
        self.crossings: tuple[FrameCrossing, ...] = (FrameCrossing("full-size", has_crossed=True),)
        self.inspections = 0
        self.injection: InjectionReport | None = None

    def probe(self, *_given: object, **_more: object) -> CaptureReport:
        proof = self.proofs[min(self.inspections, len(self.proofs) - 1)]
        self.inspections += 1
        return CaptureReport(leak=proof, crossings=self.crossings, injection=self.injection)


def shown_by_captures(monkeypatch: pytest.MonkeyPatch) -> CaptureProof:
    """Have deployments see what a made-up underlay shows; return that."""
    made = CaptureProof()
    monkeypatch.setattr(proof, "prove", made.probe)
    monkeypatch.setattr(proof, "missing_for_capture", lambda *_given: "" if made.proofs != [NO_TCPDUMP] else "tcpdump")
    return made


def left_s(host: LocalHost) -> int:
    """Return for how many more seconds a host waits to hear of Tunnelmark."""
    return int((host.state_dir / "lease").read_text()) - int(host.uptime_s)
