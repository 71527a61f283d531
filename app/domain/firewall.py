"""Firewall owners, openings that a VPN needs, and the rules that block them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address

from app.domain.messages.lists import enumerated
from app.domain.messages.openings import OPENING, OPENING_ON_INTERFACE, PROTOCOL_PORTS, SEVERAL

PORT_PROTOCOLS = ("udp", "tcp")

PROTOCOL_NUMBERS = {"icmp": 1, "tcp": 6, "udp": 17, "gre": 47, "esp": 50, "ah": 51, "l2tp": 115}
"""Number in the IP header of each protocol that an opening can have. Source: IANA."""

_INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}")


class Owner(StrEnum):
    """The tool that owns a host's firewall."""

    NONE = "none"
    NFTABLES = "nftables"
    IPTABLES = "iptables"
    IPTABLES_LEGACY = "iptables-legacy"
    FIREWALLD = "firewalld"
    UFW = "ufw"
    FW4 = "fw4"


class Fate(StrEnum):
    """The end of a packet in the input rules of a host."""

    ACCEPTED = "accepted"
    DROPPED = "dropped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Opening:
    """Packets that a host has to accept.

    Attributes:
        protocol: One of `PROTOCOL_NUMBERS`.
        port: Destination port; 0 where the protocol has none.
        source: IPv4 address of the sender.
        interface: Interface that the packets arrive on; empty for the one of the underlay.

    Raises:
        ValueError: A value that no packet can have.
    """

    protocol: str
    port: int
    source: str
    interface: str = ""

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOL_NUMBERS:
            raise ValueError(f"{self.protocol!r} is not a protocol that a firewall can be opened for")
        if not 0 <= self.port <= 65_535 or (self.port > 0) != (self.protocol in PORT_PROTOCOLS):
            raise ValueError(f"{self.port} is not a port of {self.protocol}")
        if self.interface and not _INTERFACE.fullmatch(self.interface):
            raise ValueError(f"{self.interface!r} is not the name of an interface")
        if str(IPv4Address(self.source)) != self.source:
            raise ValueError(f"{self.source!r} is not written as an IPv4 address")

    @property
    def words(self) -> str:
        """The opening for users, for example `udp 51820 from 192.0.2.1`."""
        return _words(f"{self.protocol} {self.port or ''}".strip(), self.source, self.interface)


def words_of(openings: Iterable[Opening]) -> str:
    """Return openings for users, with the ports of one protocol and source together."""
    ports: dict[tuple[str, str, str], list[int]] = {}
    for one in openings:
        ports.setdefault((one.protocol, one.source, one.interface), []).append(one.port)
    texts = []
    for (protocol, source, interface), numbers in ports.items():
        listed = enumerated(str(number) for number in sorted(set(numbers)) if number)
        what = PROTOCOL_PORTS(protocol=protocol, ports=listed) if listed else protocol
        texts.append(_words(what, source, interface))
    return texts[0] if len(texts) == 1 else SEVERAL(texts=texts)


def _words(what: str, source: str, interface: str) -> str:
    if interface:
        return OPENING_ON_INTERFACE(what=what, source=source, interface=interface)
    return OPENING(what=what, source=source)


@dataclass(frozen=True, slots=True)
class Blocked:
    """An opening that a firewall drops.

    Attributes:
        opening: The opening.
        rule: The rule that drops it, quoted, or the policy, with its chain and table.
    """

    opening: Opening
    rule: str
