"""Static L2TPv3 over IP, which carries Ethernet frames and has no cryptography of its own.

The kernel finds a session by its id alone: it compares neither addresses nor interfaces. What protects a tunnel is
around it; a firewall table (guards.py) drops what did not come that way, and cookies are the second line: each end
drops frames without the 64 bits that it demands, which are new for every tunnel.

Source: RFC 3931 (cookies: sections 4.1 and 8.2), RFC 4719; ip-l2tp(8); net/l2tp/l2tp_core.c in Linux 6.12.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import configure_arguments, mac_address
from vpn_adapters.shared.messages import MAKE_L2TPV3

L2TPV3_HEADER_BYTES = 8
"""Session id (4) and default L2-specific sublayer (4) over IP. Source: RFC 3931 sections 4.1.1 and 4.6."""

COOKIE_BYTES = 8
"""Between the session id and the sublayer. Source: RFC 3931 section 4.1."""

KERNEL_MODULES = ("l2tp_ip", "l2tp_eth")

IP_PROTOCOL = 115
"""L2TPv3 directly over IP. Source: RFC 3931 section 4.1.1."""


def packet_bytes(frame_bytes: int, *, cookie_bytes: int = COOKIE_BYTES) -> int:
    """Return the size of the IPv4 packet that carries a frame.

    Args:
        frame_bytes: Ethernet frame without FCS, in bytes.
        cookie_bytes: Size of the cookie; 0 without one.

    Returns:
        Size in bytes, IPv4 header included.
    """
    return IPV4_HEADER_BYTES + L2TPV3_HEADER_BYTES + cookie_bytes + frame_bytes


def overhead_bytes(*, cookie_bytes: int = COOKIE_BYTES) -> int:
    """Return how many bytes the frame on the underlay is longer than the one inside."""
    return ETHERNET_HEADER_BYTES + packet_bytes(0, cookie_bytes=cookie_bytes)


@dataclass(frozen=True, slots=True)
class CookieSeed:
    """Secret shared by both sides of a tunnel, from which each host makes the cookies.

    Attributes:
        words: The public keys of A and B: new for every tunnel, and in no packet in the clear.
        paths: Or files on the host with these keys in PEM, A's first, or with a secret.
    """

    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def create_step(link: Link, side: Side, ends: tuple[str, str], seed: CookieSeed | None) -> PlanStep:
    """Return the step that makes tunnel, session and interface, and sets the interface up.

    Args:
        link: Names and numbers.
        ends: Own IPv4 address of the carrier, and the peer's.
        seed: What the cookies are made of; None without cookies, which only the unprotected reference has.
    """
    script = "l2tpv3-plain.sh"
    if seed is not None:
        script = "l2tpv3-words.sh" if seed.words else "l2tpv3-files.sh"
    return _create_step(link, side, configure_arguments(link, side), script, ends, seed)


def create_lower_step(link: Link, side: Side, seed: CookieSeed, *, mtu_bytes: int) -> PlanStep:
    """Return the step that makes the tunnel below an interface that encrypts frames.

    Args:
        link: Names, numbers and the underlay's addresses.
        seed: What the cookies are made of.
        mtu_bytes: MTU of the lower interface.

    Returns:
        A step with its undo. The lower interface has the same hardware address as the upper one.
    """
    own = (link.names.lower_interface, mac_address(link, side), str(mtu_bytes), "")
    ends = link.underlay(side), link.underlay(side.other)
    return _create_step(link, side, own, "l2tpv3-lower.sh", ends, seed)


def _create_step(
    link: Link,
    side: Side,
    own: tuple[str, ...],
    script: str,
    ends: tuple[str, str],
    seed: CookieSeed | None,
) -> PlanStep:
    """Return the step for an interface with these settings: name, hardware address, MTU, address if it has one."""
    numbers = str(link.names.l2tp_tunnel_id), str(link.names.l2tp_session_id)
    more = () if seed is None else seed.words or seed.paths
    arguments = (*own, *numbers, *ends, side.value, *more)
    return PlanStep(
        title=MAKE_L2TPV3(from_ip=ends[0], to_ip=ends[1], interface=own[0]),
        command=root_script("shared", script, *arguments, timeout_s=15.0),
        undo=root_script("shared", "l2tpv3-remove.sh", own[0], *numbers),
    )
