"""The interface that carries Ethernet frames: its hardware address and settings, and shell fragments for it.

Every script here is a constant; what varies is passed as positional parameters.
"""

from __future__ import annotations

import hashlib

from app.domain.adapters import UpCheck
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link

# Without IPv6 the interface sends no neighbour discovery or router solicitations of its own into a link that is being
# measured. udev gives a fresh virtual device another random hardware address some ms after it was made
# (systemd.link(5), MACAddressPolicy=persistent), hence the wait before ours is set.
CONFIGURE_SCRIPT = """\
if command -v udevadm >/dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$1/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
ip addr add "$4" dev "$1"
ip link set dev "$1" address "$2" mtu "$3" up
"""
"""Sets up an interface that exists and is down. $1 name, $2 hardware address, $3 MTU, $4 address with prefix length."""

DOWN_SCRIPT = """\
if [ -e "/sys/class/net/$1" ]; then ip link set dev "$1" down; fi
"""
"""Takes an interface down, where it is there. $1 name."""

WAIT_GONE_SCRIPT = """\
n=0
while [ -e "/sys/class/net/$1" ]; do
  n=$((n + 1))
  if [ "$n" -gt 60 ]; then echo "interface $1 is still there" >&2; exit 1; fi
  sleep 0.05 2>/dev/null || sleep 1
done
"""
"""Waits until an interface has gone, which the kernel does after the command returned. $1 name."""


def mac_address(link: Link, side: Side) -> str:
    """Return the hardware address of the tunnel's interface on one side.

    It is the same at each build, differs between the two ends and between pairs, and is locally administered.

    Args:
        link: What the tunnel is built on.
        side: The end.

    Returns:
        For example `02:5e:10:77:01:aa`. Source: IEEE 802-2014 section 8.2.2 (the U/L and I/G bits).
    """
    text = f"{link.underlay_a} {link.underlay_b} {link.names.ethernet_interface} {side}"
    octets = hashlib.sha256(text.encode()).digest()[:5]
    return "02:" + ":".join(f"{octet:02x}" for octet in octets)


def configure_arguments(link: Link, side: Side) -> tuple[str, str, str, str]:
    """Return the arguments of CONFIGURE_SCRIPT, $1 to $4."""
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
        title=f"The interface {name} is up",
        command=Command(("ip", "link", "show", "dev", name, "up"), timeout_s=5.0, is_root=True),
        stdout_pattern=rf"\b{name}\b",
    )
