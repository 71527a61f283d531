"""Tunnels for packet tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, properties_of
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.domain.link_protocols import LinkProtocol, ProtocolVerdict
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Carrier, Suite
from app.probes.capture import CaptureTestsRequest
from app.probes.proof import prove
from app.tunnel import temporary_tunnel
from support.lab_deploy import Bench
from vpn_adapters.registry import ADAPTERS


@contextmanager
def running_tunnel(
    bench: Bench, solution: str, adapter: Adapter | None = None, suite: Suite | None = None
) -> Iterator[CaptureTestsRequest]:
    """Build a tunnel with the default suite, unless another is given; yield the request for its inspection."""
    request = bench.request(solution, adapter)
    if suite is not None:
        request = replace(request, suite=suite)
    info = ADAPTERS[solution].info
    with temporary_tunnel(bench.sessions, request, token=CancelToken(), on_stage=lambda *_: None) as tunnel:
        yield CaptureTestsRequest(
            link=request.link,
            plan=tunnel.plan,
            facts={"a": bench.facts[0], "b": bench.facts[1]},
            frame_bytes=FRAME_BYTES,
            is_unprotected=info.is_unprotected,
            is_stream=info.carrier is Carrier.TCP,
        )


def probe(bench: Bench, request: CaptureTestsRequest) -> CaptureReport:
    return prove(bench.sessions, request, token=CancelToken(), on_stage=lambda _: None)


def without_breakages(request: CaptureTestsRequest) -> CaptureTestsRequest:
    """Return a request that does not try what a tunnel does when it fails."""
    a, b = (replace(request.plan.on(side), breakages=()) for side in Side)
    return replace(request, plan=replace(request.plan, a=a, b=b))


def check_all_cross(report: CaptureReport) -> None:
    """See that every link-layer protocol crosses a tunnel, as docs/packet-tests.md promises of all of them."""
    assert {one.protocol: one.verdict for one in report.protocols} == dict.fromkeys(
        LinkProtocol, ProtocolVerdict.CROSSES
    ), report.protocols


def check_protected(report: CaptureReport, inner_mtu_bytes: int, kinds: set[str]) -> None:
    """Check that a tunnel over UDP is fail-closed, has the calculated overhead, and carries these kinds of frames."""
    leak = report.leak
    assert leak is not None
    assert leak.verdict is LeakVerdict.PROTECTED, leak.note
    assert leak.answered >= 10  # ping sends more while replies are slow to come
    assert all(count >= 20 for count in leak.captured.values())
    assert leak.clear_marks == {"a": 0, "b": 0}
    assert all(leak.control_marks.values())
    assert len(leak.broken) >= 2
    assert {one.verdict for one in leak.broken} == {BreakVerdict.FAILS_CLOSED}, leak.broken
    assert any(one.sent and not one.answered for one in leak.broken)
    assert [one.frame_bytes for one in report.overhead] == list(FRAME_BYTES), report.doubts
    assert [one.outer_bytes for one in report.overhead] == [one.theory_bytes for one in report.overhead]
    assert [one.frame_bytes for one in report.overhead if one.is_fragmented] == [1514]
    assert report.advised_inner_mtu_bytes == inner_mtu_bytes
    assert report.is_advised_mtu_proven is True
    assert {one.kind for one in report.crossings if one.has_crossed} >= kinds
    assert not any(one.has_crossed is False for one in report.crossings)
    check_all_cross(report)
    assert report.doubts == ()
    properties = properties_of(report)
    assert {result.verdict for result in properties.values()} == {PropertyVerdict.HOLDS}, properties
