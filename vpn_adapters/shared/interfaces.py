"""The interface that carries Ethernet frames: its hardware address and settings."""

from __future__ import annotations

import hashlib

from app.domain.adapters import UpCheck
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.messages import INTERFACE_IS_UP


def mac_address(link: Link, side: Side) -> str:
    """Return the hardware address of the tunnel's interface on one side.

    It is the same at each build, differs between the two ends and between pairs, and is locally administered.

    Returns:
        For example `02:5e:10:77:01:aa`. Source: IEEE 802-2014 section 8.2.2 (the U/L and I/G bits).
    """
    text = f"{link.underlay_a} {link.underlay_b} {link.names.ethernet_interface} {side}"
    octets = hashlib.sha256(text.encode()).digest()[:5]
    return "02:" + ":".join(f"{octet:02x}" for octet in octets)


def configure_arguments(link: Link, side: Side) -> tuple[str, str, str, str]:
    """Return the arguments of configure.sh, $1 to $4."""
    return (
        link.names.ethernet_interface,
        mac_address(link, side),
        str(link.inner_mtu_bytes),
        link.inner(side),
    )


def interface_up_check(link: Link) -> UpCheck:
    """Return a check that the interface with the frames is there and up."""
    name = link.names.ethernet_interface
    return UpCheck(
        title=INTERFACE_IS_UP(interface=name),
        command=Command(("ip", "link", "show", "dev", name, "up"), timeout_s=5.0, is_root=True),
        stdout_pattern=rf"\b{name}\b",
    )
