"""Differences between the hosts before and after a deployment, as sentences."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping

from app.deployment.messages import HOST_ADDRESS_GONE, LOST_ON_HOST, NOT_AS_IT_WAS, ROUTE_GONE
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_sides
from app.domain.errors import EnvironmentFault
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from app.host.inspection import take_snapshot
from app.host.snapshots import HostSnapshot

Networks = tuple[ipaddress.IPv4Network, ...]

_BRIDGE = re.compile(r"tmlbr\d+")
_OWN = re.compile(r"\b(tml|tmlwg|tmllow|tmlvlan|tmlbr)\d+\b")
# What the kernel makes with addresses and links.
_KERNELS = re.compile(r" proto (kernel|ra)\b| table local\b|^(ff00|fe80|multicast)|\b(linkdown|dead)\b")


def reported_differences(differences: tuple[str, ...], *, is_replacing: bool) -> tuple[str, ...]:
    """Return what a user should know after a rollback of both hosts.

    Args:
        differences: What is not as it was before.
        is_replacing: Whether another deployment has been started again, whose interfaces may be new ones.
    """
    return tuple(NOT_AS_IT_WAS(what=text) for text in differences if not (is_replacing and _OWN.search(text)))


def take_snapshots(sessions: SessionPair, *, token: CancelToken) -> Mapping[Side, HostSnapshot]:
    """Return snapshots of both hosts; none if they cannot be inspected."""
    try:
        return run_sides(lambda side: take_snapshot(sessions.on(side), token=token))
    except EnvironmentFault:
        return {}


def lost_on_the_way(
    pair: PairSpec, link: Link, before: Mapping[Side, HostSnapshot], after: Mapping[Side, HostSnapshot]
) -> tuple[str, ...]:
    """Return which addresses and routes of the hosts themselves disappeared together with a tunnel.

    Args:
        link: What the tunnel was built on.
        before: Snapshots with it.
        after: Snapshots without it.
    """
    return tuple(
        LOST_ON_HOST(host=pair.host(side).label, what=text)
        for side in Side
        if side in before and side in after
        for text in _lost(before[side], after[side], link.own_networks)
    )


def _lost(before: HostSnapshot, after: HostSnapshot, own: Networks) -> Iterator[str]:
    ports = _ports(before)
    here = set(_addresses(after, {}, own))
    for device, address in _addresses(before, ports, own):
        if (device, address) not in here:
            yield HOST_ADDRESS_GONE(address=address, device=device)
    routes = set(_routes(after, {}, own))
    for route in _routes(before, ports, own):
        if route not in routes:
            yield ROUTE_GONE(route=route)


def _ports(found: HostSnapshot) -> dict[str, str]:
    """Return the LAN port of each bridge that a tunnel has made."""
    ports: dict[str, str] = {}
    for name, text in found.part("interface").items():
        master = re.search(r"\bmaster (\S+)", text)
        if master and _BRIDGE.fullmatch(master[1]) and not _OWN.fullmatch(name):
            ports[master[1]] = name
    return ports


def _addresses(found: HostSnapshot, ports: Mapping[str, str], own: Networks) -> Iterator[tuple[str, str]]:
    for line in found.part("address"):
        device, family, address, *_ = [*line.split(), "", "", ""]
        device = ports.get(device, device)
        if family == "inet" and not _OWN.fullmatch(device) and not _is_in(address, own):
            yield device, address


def _routes(found: HostSnapshot, ports: Mapping[str, str], own: Networks) -> Iterator[str]:
    for line in found.part("route"):
        words = [ports.get(word, word) for word in line.split()]
        is_own = any(_OWN.fullmatch(word) or _is_in(word, own) for word in words)
        if not is_own and ":" not in line and not _KERNELS.search(line):
            yield " ".join(words)


def _is_in(text: str, networks: Networks) -> bool:
    try:
        address = ipaddress.IPv4Interface(text).ip
        return any(address in network for network in networks)
    except ValueError:
        return False
