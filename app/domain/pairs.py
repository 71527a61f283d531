"""Rules for pairs of hosts: one check for every place where a pair is made, and how a pair is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from app.domain.errors import InvalidOption
from app.domain.hosts import MAX_PORT, SSH_PORT, HostSpec, PairSpec
from app.domain.sides import Side

_NUMBERS = re.compile(r"\d+(?:\.\d+){2,}")
_BROADCAST = IPv4Address("255.255.255.255")


class Saving(StrEnum):
    """The pair that storing one expects under its name."""

    ADD = "add"  # none, and nothing that a removed pair left
    UPDATE = "update"  # one: it was not renamed or removed meanwhile
    REPLACE = "replace"  # one or none


class PairField(StrEnum):
    """The part of a pair that is wrong."""

    ADDRESS = "address"
    PORT = "port"
    UNDERLAY = "underlay"


@dataclass(frozen=True, slots=True)
class PairFault:
    """Something that keeps a pair from being used.

    Attributes:
        field: Which part of it.
        side: Of which host.
        message: What is wrong, as a sentence.
        hint: What to do, as a sentence.
    """

    field: PairField
    side: Side
    message: str
    hint: str


def check_pair(pair: PairSpec) -> None:
    """Refuse a pair that cannot be two hosts which reach each other; its name is not checked.

    Raises:
        InvalidOption: An address is none, both hosts are the same, or an underlay address cannot be used.
    """
    for fault in pair_faults(pair):
        raise InvalidOption(fault.message, hint=fault.hint)


def pair_faults(pair: PairSpec) -> Iterator[PairFault]:
    """Yield what is wrong with the hosts and underlay addresses of a pair, in the order of a form."""
    for side in Side:
        if problem := address_problem(pair.host(side).address, side):
            yield PairFault(
                PairField.ADDRESS, side, problem, "Enter a name, an IP address or an alias of ~/.ssh/config."
            )
        port = pair.host(side).port
        if port is not None and not 1 <= port <= MAX_PORT:
            message = f"{port} is no TCP port (host {side.value.upper()})."
            yield PairFault(PairField.PORT, side, message, f"Enter a port between 1 and {MAX_PORT}.")
        if not pair.underlay(side).strip():
            message = f"Host {side.value.upper()} has no underlay address."
            hint = "Enter the IPv4 address under which the other host reaches it."
            yield PairFault(PairField.UNDERLAY, side, message, hint)
        elif problem := underlay_problem(pair.underlay(side)):
            message = f"Underlay address of host {side.value.upper()}: {problem}"
            hint = "It is the IPv4 address under which the other host reaches this one."
            yield PairFault(PairField.UNDERLAY, side, message, hint)
    if _login(pair.a) == _login(pair.b):
        message = f"Host A and host B are the same: {pair.b.address}, with the same user and port."
        yield PairFault(PairField.ADDRESS, Side.B, message, "Enter the two hosts that are to be joined.")
    if pair.underlay_a.strip() == pair.underlay_b.strip():
        message = "Both hosts have the same underlay address."
        yield PairFault(PairField.UNDERLAY, Side.B, message, "Enter the address of each host itself.")


def address_problem(address: str, side: Side) -> str:
    """Return what is wrong with the address that a host is logged in to; empty where nothing is.

    A name is not looked up: it may be an alias of ~/.ssh/config.
    """
    host = f"host {side.value.upper()}"
    if not address:
        return f"H{host[1:]} has no address."
    if not address.isprintable() or " " in address or "@" in address or address.startswith("-"):
        return f"{address!r} is no address for {host}."
    is_ipv4, is_ipv6 = bool(_NUMBERS.fullmatch(address)), ":" in address
    try:
        if is_ipv4:
            IPv4Address(address)
        if is_ipv6:
            IPv6Address(address)
    except ValueError:
        return f"{address!r} is no IP address ({host})."
    return ""


def underlay_problem(text: str) -> str:
    """Return why an address cannot be the outer address of a tunnel, as a sentence; empty where it can.

    IPv6 is refused: every adapter addresses its tunnel by IPv4.
    """
    if not text.strip():
        return "No underlay address is given."
    try:
        address = ip_address(text.strip())
    except ValueError:
        return f"{text!r} is not an IP address."
    if isinstance(address, IPv6Address):
        return f"{address} is an IPv6 address. The solutions that are known so far need IPv4 between the hosts."
    if address.is_loopback or address.is_multicast or address.is_unspecified or address == _BROADCAST:
        return f"{address} cannot be the outer address of a tunnel."
    return ""


def _login(host: HostSpec) -> tuple[str | None, str, int]:
    return host.user, host.address.lower(), host.port or SSH_PORT
