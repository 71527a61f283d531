"""A made-up tunnel, and the packet tests over it between two hosts with an underlay that is made up, too."""

from __future__ import annotations

import sample_records as sample
from captured import A, B
from fake_captures import OVERHEAD_BYTES, PORT, FakeCaptures, able
from fake_hosts import FakeHost

from app.domain.adapters import Breakage, EndpointPlan, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport
from app.domain.commands import Command, SessionPair
from app.domain.link import Link
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Suite
from app.probes.capture import CaptureTestsRequest, run_capture_tests

BREAKAGES = (
    Breakage("the daemon is killed", Command(("break-it",))),
    Breakage("the device is deleted", Command(("break-it",))),
)


def plan(breakages: tuple[Breakage, ...] = BREAKAGES, *, is_bare: bool = False) -> TunnelPlan:
    end = EndpointPlan((), (), "" if is_bare else "tmk0", breakages=breakages)
    return TunnelPlan(
        solution="x",
        suite=Suite("x", "x"),
        a=end,
        b=end,
        probe_address_a=A if is_bare else "198.18.0.1",
        probe_address_b=B if is_bare else "198.18.0.2",
        inner_mtu_bytes=1500,
        overhead_bytes=0 if is_bare else OVERHEAD_BYTES,
        largest_unfragmented_frame_bytes=1514 if is_bare else 1514 - OVERHEAD_BYTES,
        outer_filter="" if is_bare else f"udp port {PORT}",
    )


def request(made: TunnelPlan | None = None, *, is_unprotected: bool = False) -> CaptureTestsRequest:
    facts = {"a": able(sample.facts("gw-a")), "b": able(sample.facts("gw-b"))}
    return CaptureTestsRequest(Link(A, B), made or plan(), facts, FRAME_BYTES, is_unprotected, is_stream=False)


def sessions(capture: FakeCaptures) -> SessionPair:
    return SessionPair(
        FakeHost("gateway-a", lambda command, token: capture.answer("a", command, token)),
        FakeHost("gateway-b", lambda command, token: capture.answer("b", command, token)),
    )


def probe(
    capture: FakeCaptures, asked: CaptureTestsRequest | None = None, audited: list[AuditEntry] | None = None
) -> CaptureReport:
    audit = (audited if audited is not None else []).append
    return run_capture_tests(
        sessions(capture), asked or request(), token=CancelToken(), on_stage=lambda _: None, audit=audit
    )
