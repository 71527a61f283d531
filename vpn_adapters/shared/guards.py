"""A firewall table of our own that stops what would go out, or has come in, without protection.

L2TPv3 goes on in the clear when what protected it has gone: a stopped daemon, flushed policies, a removed interface.
The table knows nothing of daemons: it looks at each packet of our own session.

Source: nft(8) of nftables 0.9.8 and 1.1.3 (raw payload `@nh`, `rt ipsec`, `meta ipsec`); RFC 3931 section 4.1.1 (the
session id comes first).
"""

from __future__ import annotations

from app.domain.adapters import Step, shell_step_argv
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link

# `create` fails where a table of that name is there already, which is then not ours. Offsets are from the IP header,
# which has no options: what has some is dropped. An offset from the header behind it (`@th`) makes nft 1.1.3 abort when
# it lists the rules.
_HEAD = """\
modprobe nf_tables 2> /dev/null
nft -f - << END
create table inet $1
add chain inet $1 guard_out { type filter hook output priority 0; policy accept; }
add chain inet $1 guard_in { type filter hook input priority 0; policy accept; }
add rule inet $1 guard_in ip saddr $2 ip protocol 115 ip hdrlength > 5 counter drop
"""

_IPSEC_SCRIPT = (
    _HEAD
    + """\
add rule inet $1 guard_out ip daddr $2 ip protocol 115 @nh,160,32 $3 rt ipsec missing counter drop
add rule inet $1 guard_in ip saddr $2 ip protocol 115 @nh,160,32 $3 meta ipsec missing counter drop
END
"""
)

# The Ethernet type of the frame inside: 20 bytes of IP, 4 of session id, 4 of sublayer, 12 of addresses.
_MACSEC_SCRIPT = (
    _HEAD
    + """\
add rule inet $1 guard_out ip daddr $2 ip protocol 115 @nh,160,32 $3 @nh,320,16 != { 0x88e5, 0x888e } counter drop
add rule inet $1 guard_in ip saddr $2 ip protocol 115 @nh,160,32 $3 @nh,320,16 != { 0x88e5, 0x888e } counter drop
END
"""
)

_REMOVE_SCRIPT = """\
command -v nft > /dev/null || exit 0
nft delete table inet "$1" 2> /dev/null || ! nft list table inet "$1" > /dev/null 2>&1
"""


def ipsec_step(link: Link, side: Side) -> Step:
    """Return the step that lets frames pass inside ESP only."""
    return _step(link, side, _IPSEC_SCRIPT, "Let frames pass inside IPsec only, by a firewall table of our own")


def macsec_step(link: Link, side: Side) -> Step:
    """Return the step that lets only MACsec's frames, and the key agreement's, pass. Source: IEEE 802.1AE, 802.1X."""
    return _step(link, side, _MACSEC_SCRIPT, "Let only MACsec's frames pass, by a firewall table of our own")


def _step(link: Link, side: Side, script: str, title: str) -> Step:
    names = link.names
    arguments = (names.guard_table, link.underlay(side.other), str(names.l2tp_session_id))
    return Step(
        title=title,
        command=Command(shell_step_argv(script, *arguments), timeout_s=10.0, is_root=True),
        undo=Command(shell_step_argv(_REMOVE_SCRIPT, names.guard_table), timeout_s=10.0, is_root=True),
        standing=Command(("nft", "list", "table", "inet", names.guard_table), timeout_s=5.0, is_root=True),
    )
