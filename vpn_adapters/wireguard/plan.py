"""Files and steps of WireGuard with L2TPv3 inside."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, Step, TunnelPlan, UpCheck, shell_step_argv
from app.domain.commands import Command
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from app.domain.results import FRAME_BYTES
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.interfaces import WAIT_GONE_SCRIPT, interface_up_check
from vpn_adapters.shared.rendering import public_value
from vpn_adapters.wireguard.identity import PUBLIC_KEY, key_path
from vpn_adapters.wireguard.info import NAME

UDP_HEADER_BYTES = 8
VLAN_TAG_BYTES = 4
"""Source: IEEE 802.1Q-2022 section 9.3."""
DATA_HEADER_BYTES = 16
"""Type and reserved (4), receiver (4), counter (8). Source: the WireGuard paper, section 5.4.6."""
TAG_BYTES = 16
"""Poly1305's tag. Source: RFC 8439 section 2.8."""
PADDING_BYTES = 16
"""Packets are padded to multiples of this. Source: the WireGuard paper, section 5.4.6."""
KEEPALIVE_S: Mapping[Side, int] = MappingProxyType({Side.A: 5, Side.B: 7})
"""Also makes the first handshake happen without any traffic of ours.

Handshakes that both ends begin within a round trip fail on both, and each end begins again after 5 s at the earliest.
With the same interval they cross again and again, which took emulated gateways more than 20 s. Source: the WireGuard
paper, section 6.1 (Rekey-Timeout); wg_packet_send_keepalive() in Linux 6.12.
"""
GUARD_METRIC = 4000
"""Worse than the route through WireGuard (0), better than nothing: see `_route_step`."""

# The peer's host route comes with the address. The MTU leaves room for a whole LAN frame in L2TPv3, so that each frame
# is one WireGuard packet, and only that one is fragmented outside: measured a third faster than two packets.
_CREATE_SCRIPT = """\
set -e
modprobe wireguard 2>/dev/null || :
ip link add dev "$1" type wireguard
wg set "$1" listen-port "$2" private-key "$3" peer "$4" allowed-ips "$5/32" endpoint "$6:$2" persistent-keepalive "$7"
ip addr add "$8" peer "$5/32" dev "$1"
ip link set dev "$1" mtu "$9" up
"""

_REMOVE_SCRIPT = 'ip link del dev "$1" 2>/dev/null\n' + WAIT_GONE_SCRIPT

_UNGUARD_SCRIPT = """\
ip route del unreachable "$1/32" metric "$2" 2>/dev/null && exit 0
! ip route show | grep -q "^unreachable $1 .*metric $2"
"""


_GUARDED_SCRIPT = 'ip route show | grep -q "^unreachable $1 .*metric $2"'


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both ends."""
    link = request.link
    note = (
        "Ethernet 14 + IPv4 20 + UDP 8 + WireGuard 16 + tag 16, and inside it IPv4 20 + L2TPv3 8 + cookie 8, "
        f"padded to 16: {outer_frame_bytes(1000) - 1000} bytes at a frame of 1000, 110 to 125 by frame size."
    )
    return TunnelPlan(
        solution=NAME,
        suite=request.suite,
        a=_end(request, Side.A),
        b=_end(request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=outer_frame_bytes(1000) - 1000,
        overhead_note=note,
        largest_unfragmented_frame_bytes=largest_unfragmented_frame_bytes(link.underlay_mtu_bytes),
        wire_filter=f"udp port {link.names.wireguard_port}",
        has_l2tp_session=True,
        overhead_by_frame={size: outer_frame_bytes(size) - size for size in FRAME_BYTES},
    )


def carrier_mtu_bytes(link: Link) -> int:
    """Return the MTU of the WireGuard interface with which a whole frame, tagged or not, is one packet."""
    return _padded(l2tpv3.packet_bytes(link.inner_mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES))


def outer_frame_bytes(frame_bytes: int) -> int:
    """Return the size on the underlay of a frame, before any fragmentation.

    Args:
        frame_bytes: The Ethernet frame inside, without FCS, in bytes.

    Returns:
        Size in bytes without FCS.
    """
    inside = _padded(l2tpv3.packet_bytes(frame_bytes))
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + DATA_HEADER_BYTES
    return headers + inside + TAG_BYTES


def largest_unfragmented_frame_bytes(underlay_mtu_bytes: int) -> int:
    """Return the largest frame that crosses in one outer packet, in bytes."""
    room = underlay_mtu_bytes - IPV4_HEADER_BYTES - UDP_HEADER_BYTES - DATA_HEADER_BYTES - TAG_BYTES
    return room // PADDING_BYTES * PADDING_BYTES - l2tpv3.packet_bytes(0)


def _padded(size_bytes: int) -> int:
    return -(-size_bytes // PADDING_BYTES) * PADDING_BYTES


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    name = link.names.wireguard_interface
    ends = link.carrier(side), link.carrier(side.other)
    keys = tuple(public_value(request.identity(end), PUBLIC_KEY, end) for end in Side)
    return EndpointPlan(
        files=(),
        steps=(
            guards.interface_step(link, side, name),
            _route_step(link.carrier(side.other)),
            _wireguard_step(request, side),
            l2tpv3.create_step(link, side, ends, l2tpv3.CookieSeed(words=keys)),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(
            UpCheck(
                title=f"WireGuard's handshake on {name} is done",
                command=Command(("wg", "show", name, "latest-handshakes"), timeout_s=5.0, is_root=True),
                stdout_pattern=r"\t[1-9]\d*",
            ),
            interface_up_check(link),
        ),
        negotiated=UpCheck(
            title="WireGuard's peer, with keys hidden",
            command=Command(("env", "WG_HIDE_KEYS=always", "wg", "show", name), timeout_s=5.0, is_root=True),
            stdout_pattern=r"latest handshake: ",
        ),
        listens=(("udp", link.names.wireguard_port),),
        openings=(Opening("l2tp", 0, link.carrier(side.other), name),),
        kernel_modules=("wireguard", *l2tpv3.KERNEL_MODULES),
        breakages=_breakages(name),
        last_handshake=Command(("wg", "show", name, "latest-handshakes"), timeout_s=5.0, is_root=True),
    )


def _breakages(name: str) -> tuple[Breakage, ...]:
    """Return how WireGuard can go while L2TPv3 stays; while it is down, its address stays, and L2TPv3 still sends."""
    return (
        Breakage(
            title=f"the WireGuard interface {name} is taken down",
            command=Command(("ip", "link", "set", "dev", name, "down"), timeout_s=10.0, is_root=True),
        ),
        Breakage(
            title=f"the WireGuard interface {name} is deleted",
            command=Command(("ip", "link", "del", "dev", name), timeout_s=10.0, is_root=True),
        ),
    )


def _route_step(peer: str) -> Step:
    """Return the step that leaves no other route to the peer's carrier address, should WireGuard's device go.

    The firewall table does not depend on routes; this holds where somebody flushes all tables.
    """
    return Step(
        title=f"Forbid every way to {peer} but WireGuard's, so that nothing can leave unencrypted",
        command=Command(
            ("ip", "route", "add", "unreachable", f"{peer}/32", "metric", str(GUARD_METRIC)),
            timeout_s=5.0,
            is_root=True,
        ),
        undo=Command(shell_step_argv(_UNGUARD_SCRIPT, peer, str(GUARD_METRIC)), timeout_s=5.0, is_root=True),
        standing=Command(shell_step_argv(_GUARDED_SCRIPT, peer, str(GUARD_METRIC)), timeout_s=5.0, is_root=True),
    )


def _wireguard_step(request: PlanRequest, side: Side) -> Step:
    link = request.link
    name = link.names.wireguard_interface
    arguments = (
        name,
        str(link.names.wireguard_port),
        key_path(link),
        public_value(request.identity(side.other), PUBLIC_KEY, side.other),
        link.carrier(side.other),
        link.underlay(side.other),
        str(KEEPALIVE_S[side]),
        link.carrier(side),
        str(carrier_mtu_bytes(link)),
    )
    return Step(
        title=f"Make the WireGuard interface {name} to {link.underlay(side.other)}",
        command=Command(shell_step_argv(_CREATE_SCRIPT, *arguments), timeout_s=15.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_SCRIPT, name), timeout_s=10.0, is_root=True),
    )
