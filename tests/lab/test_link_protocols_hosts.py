"""Link-layer protocols over the kernel's VXLAN between hosts made of namespaces, and where some are lost or changed.

VPNs are tried in test_capture_hosts.py and on gateways, joined LANs in test_lan_deployment.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.domain.adapters import EndpointPlan, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.capture import LeakVerdict
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.link_protocols import A_TO_B, B_TO_A, LinkProtocol, ProtocolCrossing, ProtocolVerdict
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Suite
from app.probes.capture import CaptureTestsRequest, run_capture_tests
from app.probes.capture.messages import NO_PERL_FOR_FRAMES, PRIORITY_CHANGED
from support.lab_sessions import sh
from support.net_bench import NetBench

DEVICE = "tmvx0"
# The EtherType of the frame inside, behind the headers of UDP and VXLAN. Source: RFC 7348 section 5.
DROP_LLDP = """
nft add table inet tmktest
nft add chain inet tmktest in '{ type filter hook input priority 0; }'
nft add rule inet tmktest in udp dport 4789 @th,224,16 0x88cc drop
"""
NO_PRIORITY = f"""
nft add table netdev tmktest
nft add chain netdev tmktest out '{{ type filter hook egress device {DEVICE} priority 0; }}'
nft add rule netdev tmktest out vlan id 3077 vlan pcp set 0
"""


@contextmanager
def vxlan(net: NetBench) -> Iterator[CaptureTestsRequest]:
    """Make a tunnel with the kernel's own means: no cryptography, no daemon."""
    hosts = {Side.A: net.sessions.a, Side.B: net.sessions.b}
    link = Link(net.pair.underlay_a, net.pair.underlay_b)
    inner = {Side.A: "198.18.0.1", Side.B: "198.18.0.2"}
    plan = TunnelPlan(
        solution="vxlan",
        suite=Suite("none", "none"),
        a=EndpointPlan((), (), DEVICE),
        b=EndpointPlan((), (), DEVICE),
        probe_address_a=inner[Side.A],
        probe_address_b=inner[Side.B],
        inner_mtu_bytes=1500,
        overhead_bytes=None,
        largest_unfragmented_frame_bytes=None,
        outer_filter="udp port 4789",
    )
    facts = {side.value: own for side, own in zip(Side, net.facts, strict=True)}
    try:
        for side, host in hosts.items():
            ends = f"local {link.underlay(side)} remote {link.underlay(side.other)}"
            sh(
                host,
                f"set -e; mkdir -p -m 700 {link.run_dir}; ip link add {DEVICE} type vxlan id 7 {ends} dstport 4789;"
                f"ip link set {DEVICE} mtu 1500 up; ip addr add {inner[side]}/30 dev {DEVICE}",
            )
        yield CaptureTestsRequest(link, plan, facts, FRAME_BYTES, is_unprotected=True, is_stream=False)
    finally:
        for host in hosts.values():
            sh(host, f"ip link del {DEVICE}; rm -rf /run/tunnelmark")
            sh(host, "for kind in inet netdev; do nft delete table $kind tmktest 2> /dev/null; done; true")


def protocols(net: NetBench, request: CaptureTestsRequest) -> dict[LinkProtocol, ProtocolCrossing]:
    report = run_capture_tests(net.sessions, request, token=CancelToken(), on_stage=lambda _: None)
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.EXEMPT, report.leak.note
    return {one.protocol: one for one in report.protocols}


def test_a_tunnel_that_changes_nothing_lets_all_cross_and_a_missing_program_is_reported(
    net: NetBench, net_unchanged: None
) -> None:
    with vxlan(net) as request:
        found = protocols(net, request)
        sh(net.sessions.b, "mv /usr/bin/perl /usr/bin/perl.away")
        try:
            without_perl = protocols(net, request)
        finally:
            sh(net.sessions.b, "mv /usr/bin/perl.away /usr/bin/perl")
    assert {one: crossing.verdict for one, crossing in found.items()} == dict.fromkeys(
        LinkProtocol, ProtocolVerdict.CROSSES
    )
    for crossing in found.values():
        assert {(way.sent, way.arrived) for way in crossing.ways.values()} == {(3, 3)}, crossing
    for crossing in without_perl.values():
        assert crossing.ways[A_TO_B].verdict is ProtocolVerdict.CROSSES
        assert crossing.ways[B_TO_A].verdict is ProtocolVerdict.NOT_TRIED
        assert crossing.ways[B_TO_A].note == NO_PERL_FOR_FRAMES(host="gateway-b")


def test_what_a_tunnel_loses_or_changes_is_found(net: NetBench, net_unchanged: None) -> None:
    with vxlan(net) as request:
        sh(net.sessions.b, DROP_LLDP)
        sh(net.sessions.b, NO_PRIORITY)
        found = protocols(net, request)
    lldp, priority = found.pop(LinkProtocol.LLDP), found.pop(LinkProtocol.PRIORITY)
    assert lldp.verdict is ProtocolVerdict.LOST
    assert {name: way.arrived for name, way in lldp.ways.items()} == {A_TO_B: 0, B_TO_A: 3}
    assert priority.verdict is ProtocolVerdict.CHANGED
    assert priority.ways[A_TO_B].verdict is ProtocolVerdict.CROSSES
    assert priority.ways[B_TO_A].note == PRIORITY_CHANGED(after=0, before=6)
    assert {crossing.verdict for crossing in found.values()} == {ProtocolVerdict.CROSSES}
