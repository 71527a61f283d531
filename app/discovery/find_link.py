"""Link that a tunnel is built on: addresses, names and numbers that clash with nothing on either host."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from app.discovery.messages import (
    ADDRESS_NOT_THERE,
    GIVE_UNDERLAY_ADDRESS,
    INTERFACE_DOWN,
    MTU_TOO_SMALL,
    NO_FREE_PORT,
    NO_FREE_SUBNETS,
    NO_IPV4_ADDRESS,
    UNDERLAY_GIVEN_TWICE,
)
from app.domain.errors import InvalidPlan, PreflightRefused
from app.domain.hosts import MAX_PORT, HostFacts, Nic
from app.domain.link import BLOCK_BITS, INNER_SUBNET, LAST_SESSION_ID, MEASURING_PORTS, Link, TunnelNames
from app.domain.pairs import underlay_problem

_MIN_MTU = 576  # what every IPv4 host takes: RFC 791 section 3.1


def find_link(
    facts_a: HostFacts,
    facts_b: HostFacts,
    underlay_a: str,
    underlay_b: str,
) -> Link:
    """Choose what a tunnel between two hosts is built on.

    The usual names and numbers are taken where they are free on both hosts, else the next ones; the id of an L2TPv3
    session is random.

    Args:
        underlay_a: A's IPv4 address on the path between the two.
        underlay_b: B's.

    Returns:
        The link.

    Raises:
        InvalidPlan: An address is none that can be used: IPv6, loopback, twice the same.
        PreflightRefused: A host does not have its address (there is NAT between the two, or it is the other's), has
            no IPv4 address at all, its interface is down, or no inner subnet is free.
    """
    address_a, address_b = _ipv4(underlay_a, "A", facts_a), _ipv4(underlay_b, "B", facts_b)
    if address_a == address_b:
        raise InvalidPlan(UNDERLAY_GIVEN_TWICE(address=address_a))
    nic_a = _nic_with(facts_a, address_a, "A")
    nic_b = _nic_with(facts_b, address_b, "B")
    mtu_bytes = min(nic_a.mtu_bytes, nic_b.mtu_bytes)
    if mtu_bytes < _MIN_MTU:
        raise PreflightRefused(
            MTU_TOO_SMALL(a=address_a, b=address_b, mtu=mtu_bytes, least=_MIN_MTU),
        )
    inner, carrier = _free_blocks(facts_a, facts_b)
    return Link(
        underlay_a=str(address_a),
        underlay_b=str(address_b),
        inner_a=f"{inner[1]}/{BLOCK_BITS}",
        inner_b=f"{inner[2]}/{BLOCK_BITS}",
        carrier_a=str(carrier[1]),
        carrier_b=str(carrier[2]),
        underlay_mtu_bytes=mtu_bytes,
        names=_free_names(facts_a, facts_b),
    )


def with_measured_mtu(link: Link, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Link, bool]:
    """Return a link with the MTU that was measured on its path, and whether it was, in both directions.

    Where one direction was not measured, its interface's MTU counts.
    """
    measured = facts_a.path_mtus.get(link.underlay_b), facts_b.path_mtus.get(link.underlay_a)
    known = [mtu_bytes for mtu_bytes in measured if mtu_bytes is not None]
    mtu_bytes = min((link.underlay_mtu_bytes, *known))
    return replace(link, underlay_mtu_bytes=mtu_bytes), len(known) == len(measured)


def _ipv4(text: str, side: str, facts: HostFacts) -> ipaddress.IPv4Address:
    if problem := underlay_problem(text):
        raise InvalidPlan(problem, hint=GIVE_UNDERLAY_ADDRESS(side=side, addresses=_addresses(facts)))
    return ipaddress.IPv4Address(text.strip())


def _nic_with(facts: HostFacts, address: ipaddress.IPv4Address, side: str) -> Nic:
    """Return the interface that has an address, or say why there is none."""
    for nic in facts.nics:
        if any(ipaddress.ip_interface(text).ip == address for text in nic.addresses):
            if not nic.is_up:
                raise PreflightRefused(
                    INTERFACE_DOWN(side=side, host=facts.hostname, address=address, interface=nic.name),
                )
            return nic
    known = _addresses(facts)
    if not known:
        raise PreflightRefused(
            NO_IPV4_ADDRESS(side=side, host=facts.hostname),
        )
    raise PreflightRefused(
        ADDRESS_NOT_THERE(side=side, host=facts.hostname, address=address, known=known),
    )


def _addresses(facts: HostFacts) -> str:
    """Return a host's IPv4 addresses but loopback ones, for a sentence."""
    found = (ipaddress.ip_interface(text).ip for nic in facts.nics for text in nic.addresses)
    return ", ".join(str(address) for address in found if address.version == 4 and not address.is_loopback)


def _free_blocks(facts_a: HostFacts, facts_b: HostFacts) -> tuple[ipaddress.IPv4Network, ipaddress.IPv4Network]:
    """Return the first two /24 of the inner subnet that overlap nothing on either host."""
    taken = tuple(_networks(facts_a)) + tuple(_networks(facts_b))
    free = [
        block
        for block in INNER_SUBNET.subnets(new_prefix=BLOCK_BITS)
        if not any(block.overlaps(network) for network in taken)
    ]
    if len(free) < 2:
        clashing = ", ".join(sorted({str(network) for network in taken if network.overlaps(INNER_SUBNET)}))
        raise PreflightRefused(
            NO_FREE_SUBNETS(subnet=INNER_SUBNET, clashing=clashing),
        )
    return free[0], free[1]


def _networks(facts: HostFacts) -> Iterator[ipaddress.IPv4Network]:
    for text in (*(address for nic in facts.nics for address in nic.addresses), *facts.routes):
        network = ipaddress.ip_interface(text).network
        if isinstance(network, ipaddress.IPv4Network) and network.prefixlen > 0:
            yield network


def _free_names(facts_a: HostFacts, facts_b: HostFacts) -> TunnelNames:
    usual = TunnelNames()
    interfaces = {nic.name for facts in (facts_a, facts_b) for nic in facts.nics}
    taken = {port for facts in (facts_a, facts_b) for port in facts.ports_in_use}
    tunnels = {number for facts in (facts_a, facts_b) for number in facts.l2tp_tunnel_ids}
    tunnel_id = next(number for number in count(usual.l2tp_tunnel_id) if number not in tunnels)
    return TunnelNames(
        ethernet_interface=_free_interface(usual.ethernet_interface, interfaces),
        wireguard_interface=_free_interface(usual.wireguard_interface, interfaces),
        lower_interface=_free_interface(usual.lower_interface, interfaces),
        vlan_interface=_free_interface(usual.vlan_interface, interfaces),
        udp_port=_free_port(taken, usual.udp_port, "udp"),
        wireguard_port=_free_port(taken, usual.wireguard_port, "udp"),
        freelan_port=_free_port(taken, usual.freelan_port, "udp"),
        tinc_port=_free_port(taken, usual.tinc_port, "udp", "tcp"),
        tcp_port=_free_port(taken, usual.tcp_port, "tcp"),
        ssh_port=_free_port(taken, usual.ssh_port, "tcp"),
        iperf_port=_free_port(taken, usual.iperf_port, "tcp", "udp", width=MEASURING_PORTS),
        ssh_tap_unit=next(number for number in count(usual.ssh_tap_unit) if f"tap{number}" not in interfaces),
        l2tp_tunnel_id=tunnel_id,
        l2tp_session_id=1 + secrets.randbelow(LAST_SESSION_ID),
    )


def _free_interface(usual: str, taken: Iterable[str]) -> str:
    stem, names = usual.rstrip("0123456789"), set(taken)
    return next(f"{stem}{number}" for number in count() if f"{stem}{number}" not in names)


def _free_port(taken: set[str], usual: int, *protocols: str, width: int = 1) -> int:
    """Return the usual port, or the next one that is free on both hosts, and take it.

    Args:
        taken: Ports in use, for example `udp/1194`.
        protocols: Those for which it must be free.
        width: How many ports in a row must be.
    """
    for first in range(usual, MAX_PORT + 2 - width):
        needed = {f"{protocol}/{first + n}" for protocol in protocols for n in range(width)}
        if not needed & taken:
            taken |= needed
            return first
    raise PreflightRefused(
        NO_FREE_PORT(protocols="/".join(protocols).upper(), usual=usual),
    )
