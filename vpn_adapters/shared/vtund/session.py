"""Session of two vtunds: which side calls, its packets on the underlay, and the cipher that both name in their logs."""

from __future__ import annotations

import re

from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from vpn_adapters.shared.vtund.ciphers import Cipher
from vpn_adapters.shared.vtund.render import session_name

_HEADERS = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES


def outer_filter(link: Link) -> str:
    """Return the pcap filter of its packets.

    A's socket for datagrams has the port of its listener. Source: VTun 3.0.4, netlib.c, udp_session.
    """
    return f"udp port {link.names.tcp_port}"


def control_filter(link: Link) -> str:
    """Return the pcap filter of the connection in which B calls A, also when it calls again."""
    return f"tcp port {link.names.tcp_port}"


def listens(link: Link, side: Side) -> tuple[tuple[str, int], ...]:
    """Return the ports at which one side listens."""
    port = link.names.tcp_port
    return (("tcp", port), ("udp", port)) if side is Side.A else ()


def arguments(link: Link, side: Side) -> tuple[str, ...]:
    """Return vtund's arguments behind those of every vtund: A listens, B calls A."""
    return ("-s",) if side is Side.A else (session_name(link), link.underlay(Side.A))


def outer_bytes(cipher: Cipher, carried_bytes: int) -> int:
    """Return the length of a frame on the underlay (without FCS) whose datagram carries some bytes, if it is whole."""
    return _HEADERS + cipher.udp_payload_bytes(carried_bytes)


def cipher_pattern(cipher: Cipher) -> str:
    """Return a pattern of a log in which this cipher is named and no other one.

    Each session has a line of its own, when its first packet is sent; after another call the server may dictate
    another cipher. A session without encryption has no line. Source: VTun 3.0.4, lfd_encrypt.c; its logs.
    """
    if not cipher.block_bytes:
        return r"\A(?![^\0]*ryption initialized)"
    name = re.escape(cipher.algorithm)
    return rf"(?s)\A(?!.*(?<!{name}) encryption initialized).*{name} encryption initialized"
