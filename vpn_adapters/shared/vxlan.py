"""Static VXLAN between two hosts, which carries Ethernet frames in UDP and has no cryptography of its own.

The kernel finds the interface by port and identifier alone, whatever the sender's address and the interface on which a
packet came: a firewall table (guards.py) drops what did not come by the carrier.

Source: RFC 7348; ip-link(8); vxlan_rcv() in Linux 6.12.
"""

from __future__ import annotations

from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import IPV4_HEADER_BYTES, Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import configure_arguments
from vpn_adapters.shared.messages import MAKE_VXLAN

KERNEL_MODULES = ("vxlan",)
HEADER_BYTES = 8 + 8
"""UDP and VXLAN. Source: RFC 7348 section 5."""
TTL = 64


def packet_bytes(frame_bytes: int) -> int:
    """Return the size of the IPv4 packet that carries a frame without FCS, in bytes."""
    return IPV4_HEADER_BYTES + HEADER_BYTES + frame_bytes


def create_step(link: Link, side: Side, carrier: str) -> PlanStep:
    """Return the step that makes the interface and sets it up.

    Args:
        link: Names, numbers and the carrier's addresses.
        carrier: The interface that it sends through.
    """
    own = configure_arguments(link, side)
    ends = link.carrier(side), link.carrier(side.other)
    arguments = (*own, str(link.names.vxlan_id), carrier, *ends, str(link.names.udp_port), str(TTL))
    return PlanStep(
        title=MAKE_VXLAN(interface=own[0], from_ip=ends[0], to_ip=ends[1]),
        command=root_script("shared", "make-vxlan.sh", *arguments, timeout_s=15.0),
        undo=root_script("shared", "remove-interface.sh", own[0]),
    )
