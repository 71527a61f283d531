"""Static GRE that carries Ethernet frames, and has no cryptography of its own.

The kernel finds the interface by both addresses and the key, which anyone on the path can read and write: a firewall
table (guards.py) drops what IPsec did not protect.

Source: RFC 2784, RFC 2890; ip-link(8); net/ipv4/ip_gre.c and ip_tunnel.c in Linux 6.12.
"""

from __future__ import annotations

from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import configure_arguments
from vpn_adapters.shared.messages import MAKE_GRETAP

KERNEL_MODULES = ("ip_gre",)
IP_PROTOCOL = 47
HEADER_BYTES = 8
"""Flags and type (4), key (4). Source: RFC 2890 section 2."""
TTL = 64
"""Without it the outer packet has the TTL of the packet in the frame: a multicast ends on the first router."""


def create_step(link: Link, side: Side) -> PlanStep:
    """Return the step that makes the interface between the underlay's addresses and sets it up."""
    own = configure_arguments(link, side)
    ends = link.underlay(side), link.underlay(side.other)
    arguments = (*own, *ends, str(link.names.l2tp_session_id), str(TTL))
    return PlanStep(
        title=MAKE_GRETAP(interface=own[0], from_ip=ends[0], to_ip=ends[1]),
        command=root_script("shared", "make-gretap.sh", *arguments, timeout_s=15.0),
        undo=root_script("shared", "remove-interface.sh", own[0]),
    )
