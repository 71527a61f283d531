"""Static L2TPv3 over IP, which carries Ethernet frames and has no cryptography of its own.

The kernel finds a session by its id alone: it compares neither addresses nor interfaces. What protects a tunnel is
around it; a firewall table (guards.py) drops what did not come that way, and cookies are the second line: each end
drops frames without the 64 bits that it demands, which are new for every tunnel.

Source: RFC 3931 (cookies: sections 4.1 and 8.2), RFC 4719; ip-l2tp(8); net/l2tp/l2tp_core.c in Linux 6.12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from vpn_adapters.shared.discovering import has_iproute2, missing_modules, missing_part
from vpn_adapters.shared.interfaces import CONFIGURE_SCRIPT, WAIT_GONE_SCRIPT, configure_arguments, mac_address

L2TPV3_HEADER_BYTES = 8
"""Session id (4) and default L2-specific sublayer (4) over IP. Source: RFC 3931 sections 4.1.1 and 4.6."""

COOKIE_BYTES = 8
"""Between the session id and the sublayer. Source: RFC 3931 section 4.1."""

KERNEL_MODULES = ("l2tp_ip", "l2tp_eth")

IP_PROTOCOL = 115
"""L2TPv3 directly over IP. Source: RFC 3931 section 4.1.1."""

# Loading may fail where the modules are built in; the next command then works, or says what is wrong.
_PLAIN_SESSION = """\
ip l2tp add tunnel tunnel_id "$5" peer_tunnel_id "$5" encap ip local "$7" remote "$8"
ip l2tp add session name "$1" tunnel_id "$5" session_id "$6" peer_session_id "$6"
"""

# $9 is the end, `seed` what only the two ends know. `cookie` is what this end sends, `peer_cookie` what it demands.
# They come to `ip` on its stdin: arguments can be read by everybody on the host.
_SESSION_WITH_COOKIES = """\
digest=$(printf 'L2TPv3 cookies %s' "$seed" | sha256sum)
rest=${digest#????????????????}
own=${digest%"$rest"}
peers=${rest%"${rest#????????????????}"}
[ "${#own}:${#peers}" = 16:16 ] || { echo "sha256sum gave no cookies" >&2; exit 1; }
if [ "$9" = b ]; then
  demanded=$own
  own=$peers
  peers=$demanded
fi
ip -batch - << END
l2tp add tunnel tunnel_id $5 peer_tunnel_id $5 encap ip local $7 remote $8
l2tp add session name $1 tunnel_id $5 session_id $6 peer_session_id $6 cookie $own peer_cookie $peers
END
"""
_SEED_OF_WORDS = 'seed="${10} ${11}"\n'
# Of public keys in PEM what lies between head and tail; of a secret its line.
_SEED_OF_FILES = """\
seed=$(shift 9; for file; do [ -s "$file" ] || exit 1; done; sed '/^[-#]/d' "$@" | tr -d '\\n')
[ -n "$seed" ]
"""

_LOAD = """\
set -e
modprobe -a l2tp_ip l2tp_eth 2>/dev/null || :
"""

# No address and no IPv6: nothing but what is above it may use this interface.
_CONFIGURE_LOWER_SCRIPT = """\
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
    """What both ends of a tunnel know and nobody else does; the cookies are made of it on each host.

    Attributes:
        words: The public keys of A and B: new for every tunnel, and in no packet in the clear.
        paths: Or files on the host with these keys in PEM, A's first, or with a secret.
    """

    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def create_step(link: Link, side: Side, ends: tuple[str, str], seed: CookieSeed | None) -> Step:
    """Return the step that makes tunnel, session and interface, and sets the interface up.

    Args:
        link: Names and numbers.
        side: The end.
        ends: Own IPv4 address of the carrier, and the peer's.
        seed: What the cookies are made of; None without cookies, which only the unprotected reference has.

    Returns:
        A step with its undo.
    """
    return _create_step(link, side, configure_arguments(link, side), CONFIGURE_SCRIPT, ends, seed)


def create_lower_step(link: Link, side: Side, seed: CookieSeed, *, mtu_bytes: int) -> Step:
    """Return the step that makes the tunnel below an interface that encrypts frames.

    Args:
        link: Names, numbers and the underlay's addresses.
        side: The end.
        seed: What the cookies are made of.
        mtu_bytes: MTU of the lower interface.

    Returns:
        A step with its undo. The lower interface has the same hardware address as the upper one.
    """
    own = (link.names.lower_interface, mac_address(link, side), str(mtu_bytes), "")
    ends = link.underlay(side), link.underlay(side.other)
    return _create_step(link, side, own, _CONFIGURE_LOWER_SCRIPT, ends, seed)


def _create_step(
    link: Link,
    side: Side,
    own: tuple[str, ...],
    configure: str,
    ends: tuple[str, str],
    seed: CookieSeed | None,
) -> Step:
    """Return the step for an interface with these settings: name, hardware address, MTU, address if it has one."""
    numbers = str(link.names.l2tp_tunnel_id), str(link.names.l2tp_session_id)
    session, *more = _session(seed)
    arguments = (*own, *numbers, *ends, side.value, *more)
    return Step(
        title=f"Make the L2TPv3 tunnel from {ends[0]} to {ends[1]} and its interface {own[0]}",
        command=Command(shell_step_argv(_LOAD + session + configure, *arguments), timeout_s=15.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_SCRIPT, own[0], *numbers), timeout_s=10.0, is_root=True),
    )


def _session(seed: CookieSeed | None) -> tuple[str, ...]:
    """Return the script that makes tunnel and session, and its arguments from ${10} on."""
    if seed is None:
        return (_PLAIN_SESSION,)
    if seed.words:
        return (_SEED_OF_WORDS + _SESSION_WITH_COOKIES, *seed.words)
    return (_SEED_OF_FILES + _SESSION_WITH_COOKIES, *seed.paths)


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
