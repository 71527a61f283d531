"""Static L2TPv3 over IP, which carries Ethernet frames and has no cryptography of its own.

Source: RFC 3931, RFC 4719; ip-l2tp(8).
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from vpn_adapters.shared.discovering import has_iproute2, missing_modules, missing_part
from vpn_adapters.shared.interfaces import CONFIGURE_SCRIPT, WAIT_GONE_SCRIPT, configure_arguments, mac_address

L2TPV3_HEADER_BYTES = 8
"""Session id (4) and default L2-specific sublayer (4) over IP. Source: RFC 3931 sections 4.1.1 and 4.6."""

KERNEL_MODULES = ("l2tp_ip", "l2tp_eth")

IP_PROTOCOL = 115
"""L2TPv3 directly over IP. Source: RFC 3931 section 4.1.1."""

# Loading may fail where the modules are built in; the next command then works, or says what is wrong.
_CREATE_SCRIPT = (
    """\
set -e
modprobe -a l2tp_ip l2tp_eth 2>/dev/null || :
ip l2tp add tunnel tunnel_id "$5" peer_tunnel_id "$5" encap ip local "$7" remote "$8"
ip l2tp add session name "$1" tunnel_id "$5" session_id "$6" peer_session_id "$6"
"""
    + CONFIGURE_SCRIPT
)

# No address and no IPv6: nothing but what is above it may use this interface.
_CREATE_LOWER_SCRIPT = """\
set -e
modprobe -a l2tp_ip l2tp_eth 2>/dev/null || :
ip l2tp add tunnel tunnel_id "$4" peer_tunnel_id "$4" encap ip local "$6" remote "$7"
ip l2tp add session name "$1" tunnel_id "$4" session_id "$5" peer_session_id "$5"
if command -v udevadm >/dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$1/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
ip link set dev "$1" address "$2" mtu "$3" up
"""

# The kernel takes sessions and tunnels away after the command has returned (a work queue, since Linux 6.12).
_REMOVE_SCRIPT = (
    """\
ip l2tp del session tunnel_id "$2" session_id "$3" 2>/dev/null
ip l2tp del tunnel tunnel_id "$2" 2>/dev/null
"""
    + WAIT_GONE_SCRIPT
)


def packet_bytes(frame_bytes: int) -> int:
    """Return the size of the IPv4 packet that carries a frame.

    Args:
        frame_bytes: Ethernet frame without FCS, in bytes.

    Returns:
        Size in bytes, IPv4 header included.
    """
    return IPV4_HEADER_BYTES + L2TPV3_HEADER_BYTES + frame_bytes


def overhead_bytes() -> int:
    """Return how many bytes the frame on the underlay is longer than the one inside."""
    return ETHERNET_HEADER_BYTES + packet_bytes(0)


def create_step(link: Link, side: Side, local: str, remote: str) -> Step:
    """Return the step that makes tunnel, session and interface, and sets the interface up.

    Args:
        link: Names and numbers.
        side: The end.
        local: Own IPv4 address of the carrier.
        remote: The peer's IPv4 address of the carrier.

    Returns:
        A step with its undo.
    """
    names = link.names
    tunnel_id, session_id = str(names.l2tp_tunnel_id), str(names.l2tp_session_id)
    return Step(
        title=f"Make the L2TPv3 tunnel from {local} to {remote} and its interface {names.ethernet_interface}",
        command=Command(
            shell_step_argv(_CREATE_SCRIPT, *configure_arguments(link, side), tunnel_id, session_id, local, remote),
            timeout_s=15.0,
            is_root=True,
        ),
        undo=Command(
            shell_step_argv(_REMOVE_SCRIPT, names.ethernet_interface, tunnel_id, session_id),
            timeout_s=10.0,
            is_root=True,
        ),
    )


def create_lower_step(link: Link, side: Side, *, mtu_bytes: int) -> Step:
    """Return the step that makes the tunnel below an interface that encrypts frames.

    Args:
        link: Names, numbers and the underlay's addresses.
        side: The end.
        mtu_bytes: MTU of the lower interface.

    Returns:
        A step with its undo. The lower interface has the same hardware address as the upper one.
    """
    names, local, remote = link.names, link.underlay(side), link.underlay(side.other)
    numbers = str(names.l2tp_tunnel_id), str(names.l2tp_session_id)
    own = names.lower_interface, mac_address(link, side), str(mtu_bytes)
    return Step(
        title=f"Make the L2TPv3 tunnel from {local} to {remote} and its interface {names.lower_interface}",
        command=Command(
            shell_step_argv(_CREATE_LOWER_SCRIPT, *own, *numbers, local, remote), timeout_s=15.0, is_root=True
        ),
        undo=Command(shell_step_argv(_REMOVE_SCRIPT, names.lower_interface, *numbers), timeout_s=10.0, is_root=True),
    )


def missing_parts(outputs: Mapping[str, CommandResult], needed_for: str) -> tuple[MissingPart, ...]:
    """Return what a host lacks for L2TPv3.

    Args:
        outputs: Outputs named `ip` and `modules`.
        needed_for: Name of the solution.

    Returns:
        The missing parts; empty if nothing is.
    """
    modules = missing_modules(outputs.get("modules"), KERNEL_MODULES, needed_for)
    return modules if has_iproute2(outputs) else (missing_part("iproute2", needed_for), *modules)
