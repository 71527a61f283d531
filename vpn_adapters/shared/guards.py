"""A firewall table of our own that stops what would go out, or has come in, without protection.

L2TPv3 goes on in the clear when what protected it has gone: a stopped daemon, flushed policies, a removed interface,
another routing table. And the kernel takes a frame from anybody who knows the session's id, from any address, by any
interface, over IPv4 and IPv6. The table knows nothing of daemons and routes: it looks at each packet of our own
session. It is there before the session, and goes after it.

Source: nft(8) of nftables 0.9.8 and 1.1.3 (raw payload `@nh`, `rt ipsec`, `meta ipsec`); RFC 3931 section 4.1.1 (the
session id comes first); l2tp_ip_recv() and l2tp_ip6_recv() in Linux 6.12 (they share one table of sessions).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, Side
from app.domain.link import Link
from vpn_adapters.shared import discovering

# `create` fails where a table of that name is there already, which is then not ours. Offsets are from the IP header: an
# offset from the header behind it (`@th`) makes nft 1.1.3 abort when it lists the rules. Options and extension headers
# would move the id out of sight, and nothing sends L2TPv3 with them: what has some is dropped, whatever its session.
# What comes in pieces over IPv4 has been put together before these rules see it. Pieces over IPv6 have not: the first
# one has the id, and one behind which more extension headers follow (0, 43, 60) may hide it in the next piece.
# Our session is never carried over IPv6, but the kernel would take its frames from there.
_HEAD = """\
modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip protocol 115 ip hdrlength > 5 counter drop
add rule inet $1 guard_in ip6 nexthdr 115 @nh,320,32 $3 counter drop
add rule inet $1 guard_in ip6 nexthdr 44 frag nexthdr 115 @nh,384,32 $3 counter drop
add rule inet $1 guard_in frag nexthdr { 0, 43, 60 } counter drop
add rule inet $1 guard_in ip6 nexthdr != { 44, 115 } meta l4proto 115 counter drop
add rule inet $1 guard_in ip protocol 115 ip saddr != $2 @nh,160,32 $3 counter drop
"""

_IPSEC_SCRIPT = (
    _HEAD
    + """\
add rule inet $1 guard_out ip protocol 115 @nh,160,32 $3 rt ipsec missing counter drop
add rule inet $1 guard_in ip protocol 115 @nh,160,32 $3 meta ipsec missing counter drop
END
"""
)

_INTERFACE_SCRIPT = (
    _HEAD
    + """\
add rule inet $1 guard_out oifname != "$4" ip protocol 115 @nh,160,32 $3 counter drop
add rule inet $1 guard_in iifname != "$4" ip protocol 115 @nh,160,32 $3 counter drop
END
"""
)

# The Ethernet type of the frame inside: 20 bytes of IP, 4 of session id, 8 of cookie, 4 of sublayer, 12 of addresses.
_MACSEC_SCRIPT = (
    _HEAD
    + """\
add rule inet $1 guard_out ip protocol 115 @nh,160,32 $3 @nh,384,16 != { 0x88e5, 0x888e } counter drop
add rule inet $1 guard_in ip protocol 115 @nh,160,32 $3 @nh,384,16 != { 0x88e5, 0x888e } counter drop
END
"""
)

# Of VXLAN, the whole port is ours: the kernel's socket takes datagrams from any address, by any interface, none over
# IPv6. Pieces have been put together before.
_VXLAN_SCRIPT = """\
modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip saddr != $2 udp dport $3 counter drop
add rule inet $1 guard_in iifname != "$4" udp dport $3 counter drop
add rule inet $1 guard_out oifname != "$4" ip daddr $2 udp dport $3 counter drop
END
"""

# A GRE header with a key begins with flags and type (4), and the key (RFC 2890). The kernel takes no packet with a
# checksum for an interface without one, and compares both addresses; nothing of it is done over IPv6.
_GRE_SCRIPT = """\
modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip protocol 47 ip hdrlength > 5 counter drop
add rule inet $1 guard_in ip protocol 47 ip saddr != $2 @nh,192,32 $3 counter drop
add rule inet $1 guard_in ip protocol 47 @nh,192,32 $3 meta ipsec missing counter drop
add rule inet $1 guard_out ip protocol 47 @nh,192,32 $3 rt ipsec missing counter drop
END
"""

# What is guarded goes first. Where it could not, the guard stays: else frames would leave and come in unprotected.
_REMOVE_SCRIPT = """\
command -v nft > /dev/null || exit 0
if ip l2tp show session 2> /dev/null | grep -q "^Session $2 in tunnel"; then
  echo "session $2 of L2TPv3 is still there, so the firewall table that guards it stays" >&2
  exit 1
fi
nft delete table inet "$1" 2> /dev/null || ! nft list table inet "$1" > /dev/null 2>&1
"""


# The same for an interface that is the encapsulation itself.
_REMOVE_AFTER_INTERFACE_SCRIPT = """\
command -v nft > /dev/null || exit 0
if ip link show dev "$2" 2> /dev/null | grep -q .; then
  echo "interface $2 is still there, so the firewall table that guards it stays" >&2
  exit 1
fi
nft delete table inet "$1" 2> /dev/null || ! nft list table inet "$1" > /dev/null 2>&1
"""


QUERIES: Mapping[str, Command] = MappingProxyType(
    {
        "nft": discovering.query("nft", "--version"),
        "sha256sum": discovering.query(*shell_step_argv("command -v sha256sum")),
    }
)
"""Questions for the programs that guard a session: the table, and the cookies (l2tpv3.py)."""


def missing_parts(outputs: Mapping[str, CommandResult], needed_for: str) -> tuple[MissingPart, ...]:
    """Return what a host lacks for guarding a session.

    Args:
        outputs: Outputs of QUERIES.
        needed_for: Name of the solution.

    Returns:
        The missing parts; empty if nothing is.
    """
    marks = {"nftables": ("nft", "nftables v"), "sha256sum": ("sha256sum", "sha256sum")}
    return tuple(
        discovering.missing_part(name, needed_for)
        for name, (question, mark) in marks.items()
        if mark not in discovering.text_of(outputs, question)
    )


def ipsec_step(link: Link, side: Side) -> Step:
    """Return the step that lets frames pass inside ESP only."""
    title = "Let frames pass inside IPsec only, by a firewall table of our own"
    return _step(link, _IPSEC_SCRIPT, title, link.underlay(side.other))


def interface_step(link: Link, side: Side, name: str) -> Step:
    """Return the step that lets frames pass through one interface only, from and to the peer's address behind it."""
    title = f"Let frames pass through {name} only, by a firewall table of our own"
    return _step(link, _INTERFACE_SCRIPT, title, link.carrier(side.other), name)


def vxlan_step(link: Link, side: Side, name: str) -> Step:
    """Return the step that lets VXLAN pass through one interface only, from and to the peer's address behind it."""
    title = f"Let frames pass through {name} only, by a firewall table of our own"
    words = (link.carrier(side.other), str(link.names.udp_port), name)
    return _table_step(
        link, _VXLAN_SCRIPT, title, words, (_REMOVE_AFTER_INTERFACE_SCRIPT, link.names.ethernet_interface)
    )


def gre_step(link: Link, side: Side) -> Step:
    """Return the step that lets GRE with our key pass inside ESP only."""
    title = "Let frames pass inside IPsec only, by a firewall table of our own"
    words = (link.underlay(side.other), str(link.names.l2tp_session_id))
    return _table_step(link, _GRE_SCRIPT, title, words, (_REMOVE_AFTER_INTERFACE_SCRIPT, link.names.ethernet_interface))


def macsec_step(link: Link, side: Side) -> Step:
    """Return the step that lets only MACsec's frames, and the key agreement's, pass. Source: IEEE 802.1AE, 802.1X."""
    title = "Let only MACsec's frames pass, by a firewall table of our own"
    return _step(link, _MACSEC_SCRIPT, title, link.underlay(side.other))


def _step(link: Link, script: str, title: str, peer: str, *more: str) -> Step:
    session_id = str(link.names.l2tp_session_id)
    return _table_step(link, script, title, (peer, session_id, *more), (_REMOVE_SCRIPT, session_id))


def _table_step(link: Link, script: str, title: str, words: tuple[str, ...], removal: tuple[str, str]) -> Step:
    """Return the step for a script, its arguments from $2 on, and the script that removes the table with its $2."""
    table = link.names.guard_table
    remove, guarded = removal
    return Step(
        title=title,
        command=Command(shell_step_argv(script, table, *words), timeout_s=10.0, is_root=True),
        undo=Command(shell_step_argv(remove, table, guarded), timeout_s=10.0, is_root=True),
        standing=Command(("nft", "list", "table", "inet", table), timeout_s=5.0, is_root=True),
        is_repeatable=True,
    )
