"""Steps of WireGuard with VXLAN inside."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, TunnelPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, VLAN_TAG_BYTES
from app.domain.results import FRAME_BYTES
from vpn_adapters.shared import guards, vxlan
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.wireguard import carrier
from vpn_adapters.wireguard_vxlan.info import NAME


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both hosts."""
    link = request.link
    overhead = {size: carrier.outer_frame_bytes(vxlan.packet_bytes(size)) - size for size in (1000, *FRAME_BYTES)}
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead[1000]),
        largest_unfragmented_frame_bytes=carrier.largest_packet_bytes(link.underlay_mtu_bytes) - vxlan.packet_bytes(0),
        wire_filter=f"udp port {link.names.wireguard_port}",
        overhead_by_frame={size: overhead[size] for size in FRAME_BYTES},
        encapsulation=Encapsulation.VXLAN,
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    names = link.names
    # Room for a whole frame, tagged or not: one packet of WireGuard each.
    tagged = vxlan.packet_bytes(link.inner_mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES)
    return EndpointPlan(
        files=(),
        steps=(
            guards.vxlan_step(link, side, names.wireguard_interface),
            *carrier.steps(request, side, mtu_bytes=carrier.padded(tagged)),
            vxlan.create_step(link, side, names.wireguard_interface),
        ),
        interface=names.ethernet_interface,
        up_checks=(carrier.up_check(link), interface_up_check(link)),
        negotiated=carrier.negotiated(link),
        listens=(("udp", names.wireguard_port),),
        openings=(Opening("udp", names.udp_port, link.carrier(side.other), names.wireguard_interface),),
        kernel_modules=(carrier.KERNEL_MODULE, *vxlan.KERNEL_MODULES),
        breakages=carrier.breakages(link),
        last_handshake=carrier.last_handshake(link),
    )
