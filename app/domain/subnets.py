"""Check of an inner subnet against the addresses of both hosts."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.hosts import HostFacts, Side


@dataclass(frozen=True, slots=True)
class Overlap:
    """An address of a host that lies in a subnet, or whose network contains it.

    Attributes:
        side: The host.
        interface: Name of its interface.
        address: With prefix length.
    """

    side: Side
    interface: str
    address: str


def find_overlap(subnet: ipaddress.IPv4Network, facts: Mapping[Side, HostFacts]) -> Overlap | None:
    """Return the first address of a host that collides with a subnet; None where none does."""
    for side, found in facts.items():
        for nic in found.nics:
            for address in nic.addresses:
                try:
                    network = ipaddress.IPv4Interface(address).network
                except ValueError:
                    continue  # IPv6
                if network.overlaps(subnet):
                    return Overlap(side, nic.name, address)
    return None
