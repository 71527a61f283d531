"""Firewall rules that name a LAN port, and stop to apply once the port is joined to a bridge.

Source: packets that arrive by a port of a bridge have the bridge as their interface in the kernel's hooks for IP
(nft(8), iptables(8)); tried with the rule `iifname "eth2" tcp dport 8080 drop`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NFT_MATCH = re.compile(r"\b[io]if(?:name)?\b|^\s*elements\b")
_QUOTED = re.compile(r'"([^"]{1,64})"')
_IPTABLES_MATCH = re.compile(r"(?:^|\s)(?:-[io]|--(?:in|out)-interface)\s+(\S{1,64})")
_SHOWN_CHARACTERS = 160


def rules_naming(firewall: str, port: str, bridge: str) -> tuple[str, ...]:
    """Return the rules that name a LAN port, but for those that are there for the bridge, too.

    Args:
        firewall: The rules as `nft list ruleset` or `iptables-save` prints them.
        port: Name of the LAN port.
        bridge: Name of the bridge that it is to be joined to.
    """
    # A set's elements go on over several lines.
    whole = re.sub(r"\belements = \{[^{}]*\}", lambda braces: " ".join(braces[0].split()), firewall)
    lines = [" ".join(line.split()) for line in whole.splitlines()]
    there = set(lines)

    def is_escaped(line: str) -> bool:
        names = [name for name in _names(line) if _means(name, port)]
        if not names or bridge in _names(line):
            return False
        return not any(line.replace(name, bridge) in there for name in names)

    return tuple(dict.fromkeys(line[:_SHOWN_CHARACTERS] for line in lines if is_escaped(line)))


def _names(line: str) -> Iterator[str]:
    """Yield the interfaces that a rule names."""
    if _NFT_MATCH.search(line):
        yield from _QUOTED.findall(line)
    yield from _IPTABLES_MATCH.findall(line)


def _means(name: str, port: str) -> bool:
    """Whether a name of a rule means a port: `eth*` of nftables and `eth+` of iptables mean all that begin so."""
    return name == port or (name[-1:] in ("*", "+") and port.startswith(name[:-1]))
