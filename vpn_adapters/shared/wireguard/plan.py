"""Files and steps of WireGuard around packets that carry Ethernet frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, VLAN_TAG_BYTES, Link
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.wireguard import carrier


@dataclass(frozen=True, slots=True)
class Inside:
    """Encapsulation of Ethernet frames within the packets.

    Attributes:
        solution: Name of the solution.
        encapsulation: The protocol.
        kernel_modules: Modules that it needs besides WireGuard's.
        packet_bytes: Returns the size of the IPv4 packet that carries a frame, both in bytes.
        guard: Step that makes the firewall table; gets the name of the WireGuard interface.
        session: Step that makes the interface.
        opening: Traffic that this host's firewall has to let through, inside WireGuard.
    """

    solution: str
    encapsulation: Encapsulation
    kernel_modules: tuple[str, ...]
    packet_bytes: Callable[[int], int]
    guard: Callable[[Link, Side, str], PlanStep]
    session: Callable[[PlanRequest, Side], PlanStep]
    opening: Callable[[Link, Side], Opening]

    def mtu_bytes(self, link: Link) -> int:
        """Return the MTU of the WireGuard interface with which a whole frame, tagged or not, is one packet."""
        return carrier.padded(self.packet_bytes(link.inner_mtu_bytes + ETHERNET_HEADER_BYTES + VLAN_TAG_BYTES))

    def overhead_bytes(self, frame_bytes: int) -> int:
        """Return by how many bytes a frame is longer on the underlay, before any fragmentation, without FCS."""
        return carrier.outer_frame_bytes(self.packet_bytes(frame_bytes)) - frame_bytes

    def largest_frame_bytes(self, underlay_mtu_bytes: int) -> int:
        """Return the largest frame that crosses in one outer packet, in bytes."""
        return carrier.largest_packet_bytes(underlay_mtu_bytes) - self.packet_bytes(0)


def make(inside: Inside, request: PlanRequest) -> TunnelPlan:
    """Return the plan for both hosts."""

    def end(request: PlanRequest, side: Side) -> EndpointPlan:
        link = request.link
        return EndpointPlan(
            files=(),
            steps=(
                inside.guard(link, side, link.names.wireguard_interface),
                *carrier.steps(request, side, mtu_bytes=inside.mtu_bytes(link)),
                inside.session(request, side),
            ),
            interface=link.names.ethernet_interface,
            up_checks=(carrier.up_check(link), interface_up_check(link)),
            negotiated=carrier.negotiated(request),
            listens=(("udp", link.names.wireguard_port),),
            openings=(inside.opening(link, side),),
            kernel_modules=(carrier.KERNEL_MODULE, *inside.kernel_modules),
            breakages=carrier.breakages(link),
            last_handshake=carrier.last_handshake(link),
            when_idle=carrier.slow_down(request, side),
        )

    return replace(
        tunnel(request, inside.solution, end, overhead_bytes=inside.overhead_bytes(1000)),
        largest_unfragmented_frame_bytes=inside.largest_frame_bytes(request.link.underlay_mtu_bytes),
        outer_filter=f"udp port {request.link.names.wireguard_port}",
        encapsulation=inside.encapsulation,
        overhead_by_frame={size: inside.overhead_bytes(size) for size in FRAME_BYTES},
    )
