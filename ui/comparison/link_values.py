"""Values of the link page, read from what was typed and checked against what was found on both hosts."""

from __future__ import annotations

import ipaddress

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.hosts import HostFacts, Side
from app.domain.link import INNER_SUBNET, Link
from app.domain.subnets import find_overlap
from ui.common.texts import count, tr

_LARGEST_PREFIX = 30


def addresses_of(facts: HostFacts) -> list[str]:
    """Return the IPv4 addresses of a host's interfaces, without those of the loopback."""
    found = [address.split("/")[0] for nic in facts.nics if nic.name != "lo" for address in nic.addresses]
    return [address for address in found if ":" not in address]


def read_address(text: str, side: Side) -> str:
    """Return an IPv4 address as it was typed for a host.

    Raises:
        InvalidOption: It is none.
    """
    try:
        return str(ipaddress.IPv4Address(text.strip()))
    except ValueError as error:
        raise InvalidOption(
            tr("The underlay address of %1 is not an IPv4 address.", side.value.upper()),
            hint=tr("Choose one of the addresses that were found on it."),
        ) from error


def check_owner(found: Discovery, address: str, side: Side) -> None:
    """Refuse an address that the host did not have when it was inspected.

    Raises:
        InvalidOption: It has others.
    """
    own = addresses_of((found.a if side is Side.A else found.b).facts)
    if address not in own:
        text = tr("%1 does not have the address %2 on any interface.", found.pair.host(side).label, address)
        raise InvalidOption(text, hint=tr("Choose one of its addresses: %1.", ", ".join(own)))


def read_inner_network(found: Discovery, text: str) -> ipaddress.IPv4Network:
    """Return the inner subnet as it was typed.

    Raises:
        InvalidOption: It is no network, is too small, or collides with an address of a host.
    """
    network = _network(text)
    overlap = find_overlap(network, {Side.A: found.a.facts, Side.B: found.b.facts})
    if overlap is not None:
        where = tr("%1 %2 of %3", overlap.interface, overlap.address, found.pair.host(overlap.side).label)
        raise InvalidOption(
            tr("The inner subnet %1 overlaps %2.", network, where),
            hint=tr("Choose a subnet that neither host uses, like %1.", INNER_SUBNET),
        )
    return network


def _network(text: str) -> ipaddress.IPv4Network:
    try:
        network = ipaddress.IPv4Network(text.strip())
    except ValueError as error:
        raise InvalidOption(
            tr("The inner subnet is not an IPv4 network."), hint=tr("Example: 198.18.0.0/24")
        ) from error
    if network.prefixlen > _LARGEST_PREFIX:
        raise InvalidOption(
            tr("The inner subnet is too small."), hint=tr("Use a /30 or larger, for example 198.18.0.0/24.")
        )
    return network


def mtu_text(link: Link) -> str:
    """Return the path MTU in words."""
    return f"{count(link.underlay_mtu_bytes)} {tr('bytes')}"


def path_text(found: Discovery) -> str:
    """Return both hosts with their underlay addresses."""
    link, pair = found.link, found.pair
    return f"{pair.a.label}  {link.underlay_a}   ⟷   {link.underlay_b}  {pair.b.label}"
