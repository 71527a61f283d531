"""Preflight: obstacles to a tunnel on the hosts, found before anything is changed."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace

from app.domain.adapters import EndpointPlan, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import PrivilegeMissing
from app.domain.firewall import Opening, words_of
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.link import Link
from app.domain.messages import Message, MessageForm
from app.domain.packages import package_for
from app.host.inspection import Inspection, Reach, inspect_host
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost
from app.tunnel.messages import (
    ANOTHER_INSTANCE,
    FILE_PRESENT,
    FIREWALL_BLOCKS,
    FOLDER_ON_DISK,
    FREE_ONLY_PORT,
    FREE_OR_CHANGE_PORT,
    HOST_WORKED_ON,
    INTERFACE_PRESENT,
    L2TP_SESSION_PRESENT,
    L2TP_TUNNEL_PRESENT,
    LITTLE_SPACE,
    NO_PING_ON_HOST,
    NO_ROUTE_TO_PEER,
    PEER_SILENT,
    PORT_IN_USE,
    SUBNET_IN_USE,
    UNDERLAY_ADDRESS_MISSING,
    UNDERLAY_SUBNET_IN_USE,
)
from app.tunnel.openings import blocked_openings
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest, Obstacle, ReplacedDeployment

IN_MEMORY = {"tmpfs", "ramfs"}
"""File systems that a restart empties. Source: filesystems(5), tmpfs(5)."""

MIN_FREE_MIB = 1
"""A tunnel's scripts, keys and logs take some 100 KiB in Tunnelmark's folder."""


def remote_hosts(sessions: SessionPair, state_dir: str, pair: str = "") -> dict[Side, RemoteHost]:
    """Return both hosts; with the pair's name, hints name it."""
    return {side: RemoteHost(side, sessions.on(side), state_dir, pair) for side in Side}


def state_dir_of(request: DeployRequest) -> str:
    """Return Tunnelmark's folder on the hosts: the one that was asked for, or that holds the link's run_dir."""
    return request.state_dir or request.link.run_dir.rpartition("/")[0]


def preflight(sessions: SessionPair, request: DeployRequest, *, token: CancelToken) -> tuple[Obstacle, ...]:
    """Inspect both hosts and return what is in the way. Nothing is changed.

    Returns:
        Obstacles and warnings, A's first.
    """
    plan = plan_of(request)
    hosts = remote_hosts(sessions, state_dir_of(request), request.pair.name)

    def inspect_side(side: Side, child: CancelToken) -> Inspection | Obstacle:
        try:
            peer = request.link.underlay(side.other)
            return inspect_host(hosts[side], token=child, peer=peer, paths=outside_paths(request, plan.on(side)))
        except PrivilegeMissing as error:
            return Obstacle(side, error.message, error.hint)

    outcomes = on_both(inspect_side, token=token)
    inspections = {side: one for side, one in outcomes.items() if isinstance(one, Inspection)}
    found = [one for one in outcomes.values() if isinstance(one, Obstacle)]
    for side in Side:
        if side in inspections:
            found += _locked(side, request, inspections[side])
        found += obstacles_on(side, request, plan, inspections)
    return tuple(found)


def _locked(side: Side, request: DeployRequest, found: Inspection) -> Iterator[Obstacle]:
    if found.lock is not None:
        owner = found.lock.owner or ANOTHER_INSTANCE()
        yield _obstacle(side, HOST_WORKED_ON(owner=owner, host=request.label(side), age_s=found.lock.age_s))


def _obstacle(side: Side, message: Message, *, is_blocking: bool = True) -> Obstacle:
    return Obstacle(side, message, message.hint, is_blocking)


def outside_paths(request: DeployRequest, host: EndpointPlan) -> tuple[str, ...]:
    """Return the paths of a plan's files that do not lie in the tunnel's own folder."""
    return tuple(file.path for file in host.files if not file.path.startswith(f"{request.link.run_dir}/"))


def obstacles_on(
    side: Side, request: DeployRequest, plan: TunnelPlan, inspections: dict[Side, Inspection]
) -> Iterator[Obstacle]:
    """Return what is in the way on one host, apart from a lock.

    Args:
        plan: The plan, with or without identities.
        inspections: Snapshots of both hosts.
    """
    yield from _space(side, request)
    yield from _firewall(side, request, plan)
    found = inspections.get(side)
    if found is None:
        return
    yield from _storage(side, request, found)
    yield from _underlay(side, request, inspections)
    room = request.replaced.get(side)
    link = room.link if room is not None else None
    own = plan.on(side)
    taken = [
        *_names(side, request, own, found, link),
        *_numbers(side, request, own, found, room),
        *_subnets(side, request, own, found, link),
    ]
    # It is not known here what belongs to the replaced tunnel; the host checks names again once it is suspended.
    yield from (replace(one, is_blocking=False) for one in taken) if room is not None and link is None else taken


def _space(side: Side, request: DeployRequest) -> Iterator[Obstacle]:
    folder = state_dir_of(request).rpartition("/")[0] or "/"
    free_mib = request.facts(side).disk_free_mib.get(folder)
    if free_mib is not None and free_mib < MIN_FREE_MIB:
        yield _obstacle(side, LITTLE_SPACE(least_mib=MIN_FREE_MIB, folder=folder, host=request.label(side)))


def _storage(side: Side, request: DeployRequest, found: Inspection) -> Iterator[Obstacle]:
    """Warn where a restart of the host does not empty Tunnelmark's folder: locks and keys outlive it there."""
    folder = state_dir_of(request).rpartition("/")[0] or "/"
    if found.storage and found.storage not in IN_MEMORY:
        on_disk = FOLDER_ON_DISK(folder=folder, host=request.label(side), storage=found.storage)
        yield _obstacle(side, on_disk, is_blocking=False)


def _underlay(side: Side, request: DeployRequest, inspections: dict[Side, Inspection]) -> Iterator[Obstacle]:
    label, own, peer = request.label(side), request.link.underlay(side), request.link.underlay(side.other)
    words = (word for text in inspections[side].snapshot.part("address") for word in text.split())
    if own not in {word.partition("/")[0] for word in words}:
        yield _obstacle(side, UNDERLAY_ADDRESS_MISSING(host=label, address=own))
    if inspections[side].reach is Reach.NO_ROUTE:
        yield _obstacle(side, NO_ROUTE_TO_PEER(host=label, peer=peer))
    elif inspections[side].reach is Reach.SILENT:
        other = inspections.get(side.other)
        why = _why_silent(label, peer, request.facts(side))
        yield _obstacle(side, why, is_blocking=other is None or other.reach is not Reach.ANSWERS)


def _why_silent(label: str, peer: str, facts: HostFacts) -> Message:
    ping = facts.tools.get("ping")
    if ping is not None and ping.flavour is ToolFlavour.MISSING:
        package = package_for("ping", facts.package_manager) or "ping"
        return NO_PING_ON_HOST(host=label, peer=peer, package=package)
    return PEER_SILENT(host=label, peer=peer)


def _words(host: EndpointPlan) -> set[str]:
    """Return every word of every command of a plan."""
    return {word for step in host.steps for word in step.command.argv}


def _interfaces_of(link: Link) -> set[str]:
    """Return the names that a tunnel's own interfaces have."""
    return {link.names.ethernet_interface, link.names.wireguard_interface, link.names.lower_interface}


def _names(
    side: Side, request: DeployRequest, host: EndpointPlan, found: Inspection, leaving: Link | None
) -> Iterator[Obstacle]:
    label = request.label(side)
    own = _interfaces_of(leaving) if leaving is not None else set()
    for name in used_interfaces(request, host):
        if name in found.snapshot.part("interface") and name not in own:
            yield _obstacle(side, INTERFACE_PRESENT(interface=name, host=label))
    for path in found.present:
        yield _obstacle(side, FILE_PRESENT(path=path, host=label))


def used_interfaces(request: DeployRequest, host: EndpointPlan) -> tuple[str, ...]:
    """Return the names of the interfaces that a plan makes."""
    own = request.link.names
    words = _words(host)
    names = (own.ethernet_interface, own.wireguard_interface, own.lower_interface)
    return tuple(dict.fromkeys(name for name in names if name == host.interface or name in words))


def own_words(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[str, ...]:
    """Return the words by which what belongs to a tunnel is known on a host: names, addresses, paths, ports."""
    own, link = plan.on(side), request.link
    words = [*used_interfaces(request, own), link.run_dir, *(file.path for file in own.files)]
    if own.interface:
        words += [link.inner_ip(Side.A), link.inner_ip(Side.B), link.carrier_a, link.carrier_b]
    return (*words, *(f"port {port}" for _, port in own.listens))


def _numbers(
    side: Side, request: DeployRequest, host: EndpointPlan, found: Inspection, room: ReplacedDeployment | None
) -> Iterator[Obstacle]:
    label = request.label(side)
    own = room.ports if room is not None else ()
    sockets = found.snapshot.part("socket")
    for protocol, port in host.listens:
        if (protocol, port) in own:
            continue
        if any(re.fullmatch(rf"{protocol}6? .* port {port}", socket) for socket in sockets):
            has_choice = port in astuple(request.link.names)
            hint = FREE_OR_CHANGE_PORT() if has_choice else FREE_ONLY_PORT(solution=request.adapter.info.title)
            yield Obstacle(side, PORT_IN_USE(port=port, protocol=protocol, host=label), hint)
    leaving = room.link.names if room is not None and room.link is not None else None
    is_same = leaving is not None and leaving.l2tp_tunnel_id == request.link.names.l2tp_tunnel_id
    if not is_same and any(module.startswith("l2tp") for module in host.kernel_modules):
        yield from _l2tp_numbers(side, request, found)


def _l2tp_numbers(side: Side, request: DeployRequest, found: Inspection) -> Iterator[Obstacle]:
    names = request.link.names
    own = {
        "Tunnel": (names.l2tp_tunnel_id, L2TP_TUNNEL_PRESENT),
        "Session": (names.l2tp_session_id, L2TP_SESSION_PRESENT),
    }
    for entry in found.snapshot.part("L2TP tunnel or session"):
        kind, _, rest = entry.partition(" ")
        number, form = own.get(kind, (None, L2TP_TUNNEL_PRESENT))
        if rest.partition(",")[0].split(" ")[0] == str(number):
            here = form(number=number, host=request.label(side), tunnel_id=names.l2tp_tunnel_id)
            yield _obstacle(side, here)


def _subnets(
    side: Side, request: DeployRequest, host: EndpointPlan, found: Inspection, leaving: Link | None
) -> Iterator[Obstacle]:
    if not host.interface:
        return
    link, label = request.link, request.label(side)
    wanted = [ipaddress.ip_interface(link.inner(side)).network]
    if link.carrier(side.other) in " ".join(_words(host)):
        wanted += [ipaddress.ip_network(link.carrier_a), ipaddress.ip_network(link.carrier_b)]
    lines = [*found.snapshot.part("address"), *found.snapshot.part("route")]
    own: tuple[ipaddress.IPv4Network, ...] = ()
    if leaving is not None:
        # A bridge has the addresses of the LAN too: there, only the tunnel's own network is its own.
        lines = [line for line in lines if _interfaces_of(leaving).isdisjoint(line.split())]
        # Its guard routes name no interface.
        own = leaving.own_networks
    taken = [
        network
        for network in dict.fromkeys(_networks(lines))
        if not _is_within(network, own) and network.prefixlen > 0 and any(network.overlaps(subnet) for subnet in wanted)
    ]
    for network in taken:
        # A subnet stands for the addresses in it: its own, its broadcast, its hosts' routes.
        if not _is_within(network, [other for other in taken if other != network]):
            yield _obstacle(side, _form_of(link.underlay(side), network)(host=label, network=network))


def _form_of(underlay: str, network: ipaddress.IPv4Network) -> MessageForm:
    """Return how a network in use is reported: an underlay's address is not to be removed."""
    return UNDERLAY_SUBNET_IN_USE if ipaddress.ip_address(underlay) in network else SUBNET_IN_USE


def _is_within(network: ipaddress.IPv4Network, others: Iterable[ipaddress.IPv4Network]) -> bool:
    return any(network.subnet_of(other) for other in others)


def _networks(lines: Iterable[str]) -> Iterator[ipaddress.IPv4Network]:
    for line in lines:
        for word in line.split():
            try:
                yield ipaddress.IPv4Network(word, strict=False)
            except ValueError:
                continue


def _firewall(side: Side, request: DeployRequest, plan: TunnelPlan) -> Iterator[Obstacle]:
    """Report what a firewall drops of what the tunnel needs; nothing of it where the plan opens it."""
    if request.opens_firewalls:
        return
    label = request.label(side)
    by_rule: dict[str, list[Opening]] = {}
    for blocked in blocked_openings(request, plan, side):
        by_rule.setdefault(blocked.rule, []).append(blocked.opening)
    for rule, openings in by_rule.items():
        yield _obstacle(side, FIREWALL_BLOCKS(host=label, openings=words_of(openings), rule=rule))
