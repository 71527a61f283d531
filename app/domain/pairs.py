"""Rules for pairs of hosts: one check for every place where a pair is made, and how a pair is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from app.domain.errors import InvalidOption
from app.domain.hosts import MAX_PORT, SSH_PORT, HostSpec, PairSpec
from app.domain.messages import Message
from app.domain.messages.inputs import (
    ENTER_ADDRESS,
    HOST_IS_A_NODE,
    HOST_WITHOUT_ADDRESS,
    HOSTS_ARE_THE_SAME,
    NO_HOST_ADDRESS,
    NO_IP_ADDRESS,
    NO_IP_ADDRESS_OF_HOST,
    NO_OUTER_ADDRESS,
    NO_TCP_PORT,
    NO_UNDERLAY_GIVEN,
    NODE_ALONE,
    NODE_INTERFACE_WRONG,
    NODE_TWICE,
    NODE_WRONG,
    UNDERLAY_IS_IPV6,
    UNDERLAY_MISSING,
    UNDERLAY_WRONG,
    UNDERLAYS_ARE_THE_SAME,
)
from app.domain.sides import Side

_NUMBERS = re.compile(r"\d+(?:\.\d+){2,}")
_INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}")
"""Name of a network interface. Source: Linux's IFNAMSIZ, 16 bytes with the end of the text."""
_BROADCAST = IPv4Address("255.255.255.255")


class Saving(StrEnum):
    """The pair that storing one expects under its name."""

    ADD = "add"  # none, and nothing that a removed pair left
    UPDATE = "update"  # one: it was not renamed or removed meanwhile
    REPLACE = "replace"  # one or none


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A pair that can be chosen, with when it was last measured in words (empty if never)."""

    pair: PairSpec
    last_measured: str


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
        InvalidOption: An address is none, both hosts are the same, an underlay address cannot be used, or a machine
            behind a host is missing or wrong.
    """
    for fault in pair_faults(pair):
        raise InvalidOption(fault.message, hint=fault.hint)
    for message in _node_faults(pair):
        raise InvalidOption(message, hint=message.hint)


def pair_faults(pair: PairSpec) -> Iterator[PairFault]:
    """Yield what is wrong with the hosts and underlay addresses of a pair, in the order of a form."""
    for side in Side:
        if problem := address_problem(pair.host(side).address, side):
            yield PairFault(PairField.ADDRESS, side, problem, ENTER_ADDRESS())
        port = pair.host(side).port
        if port is not None and not 1 <= port <= MAX_PORT:
            yield _fault(PairField.PORT, side, NO_TCP_PORT(port=port, side=side.value.upper(), highest=MAX_PORT))
        if not pair.underlay(side).strip():
            yield _fault(PairField.UNDERLAY, side, UNDERLAY_MISSING(side=side.value.upper()))
        elif problem := underlay_problem(pair.underlay(side)):
            yield _fault(PairField.UNDERLAY, side, UNDERLAY_WRONG(side=side.value.upper(), problem=problem))
        for behind, node in pair.nodes.items():
            if _place(node.host) == _place(pair.host(side)):
                message = HOST_IS_A_NODE(side=side.value.upper(), address=node.host.address, node=behind.value.upper())
                yield _fault(PairField.ADDRESS, side, message)
    if _login(pair.a) == _login(pair.b):
        yield _fault(PairField.ADDRESS, Side.B, HOSTS_ARE_THE_SAME(address=pair.b.address))
    if pair.underlay_a.strip() == pair.underlay_b.strip():
        yield _fault(PairField.UNDERLAY, Side.B, UNDERLAYS_ARE_THE_SAME())


def _node_faults(pair: PairSpec) -> Iterator[Message]:
    """Yield what is wrong with the machines behind both hosts of a pair."""
    nodes = {Side.A: pair.node_a, Side.B: pair.node_b}
    taken: set[tuple[str, int]] = set()
    for side, node in nodes.items():
        letter = side.value.upper()
        if node is None:
            if any(nodes.values()):
                yield NODE_ALONE(side=letter)
            continue
        if problem := address_problem(node.host.address, side):
            yield NODE_WRONG(side=letter, problem=problem)
        if _place(node.host) in taken:
            yield NODE_TWICE(side=letter, address=node.host.address)
        taken.add(_place(node.host))
        for interface in (node.interface, node.gateway_interface):
            if not _INTERFACE.fullmatch(interface):
                yield NODE_INTERFACE_WRONG(interface=interface, side=letter)


def _fault(field: PairField, side: Side, message: Message) -> PairFault:
    return PairFault(field, side, message, message.hint)


def address_problem(address: str, side: Side) -> str:
    """Return what is wrong with the address that a host is logged in to; empty where nothing is.

    A name is not looked up: it may be an alias of ~/.ssh/config.
    """
    if not address:
        return HOST_WITHOUT_ADDRESS(side=side.value.upper())
    if not address.isprintable() or " " in address or "@" in address or address.startswith("-"):
        return NO_HOST_ADDRESS(address=address, side=side.value.upper())
    is_ipv4, is_ipv6 = bool(_NUMBERS.fullmatch(address)), ":" in address
    try:
        if is_ipv4:
            IPv4Address(address)
        if is_ipv6:
            IPv6Address(address)
    except ValueError:
        return NO_IP_ADDRESS_OF_HOST(address=address, side=side.value.upper())
    return ""


def underlay_problem(text: str) -> str:
    """Return why an address cannot be the outer address of a tunnel, as a sentence; empty where it can.

    IPv6 is refused: every adapter addresses its tunnel by IPv4.
    """
    if not text.strip():
        return NO_UNDERLAY_GIVEN()
    try:
        address = ip_address(text.strip())
    except ValueError:
        return NO_IP_ADDRESS(address=text)
    if isinstance(address, IPv6Address):
        return UNDERLAY_IS_IPV6(address=address)
    if address.is_loopback or address.is_multicast or address.is_unspecified or address == _BROADCAST:
        return NO_OUTER_ADDRESS(address=address)
    return ""


def _place(host: HostSpec) -> tuple[str, int]:
    """Return where a host is logged in to, by any user."""
    return host.address.lower(), host.port or SSH_PORT


def _login(host: HostSpec) -> tuple[str | None, str, int]:
    return host.user, host.address.lower(), host.port or SSH_PORT
