"""Files and steps of WireGuard with L2TPv3 inside."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, TunnelPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, VLAN_TAG_BYTES, Link
from app.domain.results import FRAME_BYTES
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import public_value
from vpn_adapters.shared.wireguard import carrier
from vpn_adapters.shared.wireguard.identity import PUBLIC_KEY
from vpn_adapters.wireguard.info import NAME


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both ends."""
    link = request.link
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=outer_frame_bytes(1000) - 1000),
        largest_unfragmented_frame_bytes=largest_unfragmented_frame_bytes(link.underlay_mtu_bytes),
        wire_filter=f"udp port {link.names.wireguard_port}",
        encapsulation=Encapsulation.L2TPV3,
        overhead_by_frame={size: outer_frame_bytes(size) - size for size in FRAME_BYTES},
    )


def carrier_mtu_bytes(link: Link) -> int:
    """Return the MTU of the WireGuard interface with which a whole frame, tagged or not, is one packet."""
    return carrier.padded(l2tpv3.packet_bytes(link.inner_mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES))


def outer_frame_bytes(frame_bytes: int) -> int:
    """Return the size on the underlay of a frame, before any fragmentation, in bytes without FCS."""
    return carrier.outer_frame_bytes(l2tpv3.packet_bytes(frame_bytes))


def largest_unfragmented_frame_bytes(underlay_mtu_bytes: int) -> int:
    """Return the largest frame that crosses in one outer packet, in bytes."""
    return carrier.largest_packet_bytes(underlay_mtu_bytes) - l2tpv3.packet_bytes(0)


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    name = link.names.wireguard_interface
    ends = link.carrier(side), link.carrier(side.other)
    keys = tuple(public_value(request.identity(end), PUBLIC_KEY, end) for end in Side)
    return EndpointPlan(
        files=(),
        steps=(
            guards.interface_step(link, side, name),
            *carrier.steps(request, side, mtu_bytes=carrier_mtu_bytes(link)),
            l2tpv3.create_step(link, side, ends, l2tpv3.CookieSeed(words=keys)),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(carrier.up_check(link), interface_up_check(link)),
        negotiated=carrier.negotiated(link),
        listens=(("udp", link.names.wireguard_port),),
        openings=(Opening("l2tp", 0, link.carrier(side.other), name),),
        kernel_modules=(carrier.KERNEL_MODULE, *l2tpv3.KERNEL_MODULES),
        breakages=carrier.breakages(link),
        last_handshake=carrier.last_handshake(link),
    )
