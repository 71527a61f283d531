"""Captures of VPNs of user space between hosts made of namespaces; those of kernels are tried on gateways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.cancel import CancelToken
from app.domain.capture import LeakVerdict
from app.domain.errors import Cancelled
from app.domain.profiles import FRAME_BYTES
from app.probes.capture import run_capture_tests
from app.probes.capture.messages import STREAM_CUTS_FRAMES
from app.probes.messages import NO_CAPTURE
from support.lab_capture import check_all_cross, check_protected, probe, running_tunnel, without_breakages
from support.lab_sessions import sh
from support.message_checks import has_message
from support.net_bench import NetBench
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


@pytest.fixture(autouse=True)
def nothing_left(net: NetBench, net_unchanged: None) -> Iterator[None]:
    """Every test leaves both hosts as they were, whatever it broke."""
    yield
    left = "ls /run/tunnelmark 2>/dev/null; pgrep -x tcpdump; true"
    for session in (net.sessions.a, net.sessions.b):
        wait_until(lambda session=session: sh(session, left) == "", "nothing left of captures")


def test_a_protected_tunnel_fails_closed_and_costs_what_arithmetic_says(net: NetBench) -> None:
    with running_tunnel(net, "openvpn-udp") as request:
        # Not every kernel can send frames with the tag of a VLAN; the comparison in tests/e2e does.
        check_protected(probe(net, request), 1434, {"non-ip", "multicast"})


def test_a_tunnel_that_should_protect_and_does_not_is_found(net: NetBench) -> None:
    options = {option.suite.name: option for option in ADAPTERS["openvpn-udp"].census(*net.facts)}
    clear = options["cipher-none"]
    assert clear.is_unprotected
    b = net.sessions.b
    with running_tunnel(net, "openvpn-udp", suite=clear.suite) as request:
        sh(b, "mv /usr/bin/tcpdump /usr/bin/tcpdump.away")
        try:
            blind = probe(net, request)
        finally:
            sh(b, "mv /usr/bin/tcpdump.away /usr/bin/tcpdump")
        report = probe(net, request)

    assert blind.leak is not None
    assert blind.leak.verdict is LeakVerdict.NOT_PROVEN
    assert has_message(NO_CAPTURE, host="gateway-b")(blind.leak.note)
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.LEAKS
    assert all(count >= 20 for count in report.leak.clear_marks.values())
    assert [one.frame_bytes for one in report.overhead] == list(FRAME_BYTES), report.doubts
    assert [one.outer_bytes for one in report.overhead] == [one.theory_bytes for one in report.overhead]
    assert [one.frame_bytes for one in report.overhead if one.is_fragmented] == [1514]


@pytest.mark.parametrize("solution", ["tinc", "ssh"])
def test_every_link_layer_protocol_crosses(net: NetBench, solution: str) -> None:
    with running_tunnel(net, solution) as request:
        report = probe(net, without_breakages(request))

    check_all_cross(report)


def test_tcp_is_distinguished_and_its_acknowledgements_are_counted(net: NetBench) -> None:
    with running_tunnel(net, "openvpn-tcp") as request:
        # The breakages are those of UDP, which another test tries.
        report = probe(net, without_breakages(request))

    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.PROTECTED, report.leak.note
    assert all(one.packets >= 1.0 and not one.is_fragmented for one in report.overhead)
    assert all(one.outer_bytes >= one.frame_bytes + 92 for one in report.overhead)
    assert any(one.ack_bytes > 0 for one in report.overhead)
    assert report.advised_inner_mtu_bytes is None
    assert any(has_message(STREAM_CUTS_FRAMES)(doubt) for doubt in report.doubts)
    check_all_cross(report)


def test_nothing_is_left_of_captures_that_are_cancelled(net: NetBench) -> None:
    token = CancelToken()

    def on_stage(text: str) -> None:
        if text == "canary frames of every size":
            token.cancel()

    with running_tunnel(net, "openvpn-tcp") as request:
        with pytest.raises(Cancelled):
            run_capture_tests(net.sessions, request, token=token, on_stage=on_stage)
        for session in (net.sessions.a, net.sessions.b):
            wait_until(lambda session=session: not sh(session, "pgrep -x tcpdump || true"), "the end of tcpdump")
