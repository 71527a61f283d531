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
from app.domain.packages import package_for
from app.host.inspection import Inspection, Reach, survey
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost
from app.tunnel.openings import blocked_openings
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest, Obstacle, ReplacedDeployment

IN_MEMORY = {"tmpfs", "ramfs"}
"""File systems that a restart empties. Source: filesystems(5), tmpfs(5)."""

MIN_FREE_MIB = 1
"""A tunnel's scripts, keys and logs take some 100 KiB in Tunnelmark's folder."""


def remote_hosts(sessions: SessionPair, state_dir: str, pair: str = "") -> dict[Side, RemoteHost]:
    """Return both hosts; with the pair's name, hints name it."""
    return {
        Side.A: RemoteHost(Side.A, sessions.a, state_dir, pair),
        Side.B: RemoteHost(Side.B, sessions.b, state_dir, pair),
    }


def state_dir_of(request: DeployRequest) -> str:
    """Return Tunnelmark's folder on the hosts: the one that was asked for, or that holds the link's run_dir."""
    return request.state_dir or request.link.run_dir.rpartition("/")[0]


def preflight(sessions: SessionPair, request: DeployRequest, *, token: CancelToken) -> tuple[Obstacle, ...]:
    """Inspect both hosts and return what is in the way. Nothing is changed.

    Returns:
        Obstacles and warnings, A's first.
    """
    plan = plan_of(request)
    ends = remote_hosts(sessions, state_dir_of(request), request.pair.name)

    def look(side: Side, child: CancelToken) -> Inspection | Obstacle:
        try:
            peer = request.link.underlay(side.other)
            return survey(ends[side], token=child, peer=peer, paths=outside_paths(request, plan.end(side)))
        except PrivilegeMissing as error:
            return Obstacle(side, error.message, error.hint)

    looks = on_both(look, token=token)
    surveys = {side: look for side, look in looks.items() if isinstance(look, Inspection)}
    found = [look for look in looks.values() if isinstance(look, Obstacle)]
    for side in Side:
        if side in surveys:
            found += _locked(side, request, surveys[side])
        found += obstacles_on(side, request, plan, surveys)
    return tuple(found)


def _locked(side: Side, request: DeployRequest, found: Inspection) -> Iterator[Obstacle]:
    if found.lock is not None:
        yield Obstacle(
            side,
            f"{found.lock.owner or 'Another Tunnelmark'} has been working on {request.label(side)} "
            f"for {found.lock.age_s} s.",
            "Wait until it has finished. If it died, `tunnelmark recover` rolls the host back.",
        )


def outside_paths(request: DeployRequest, end: EndpointPlan) -> tuple[str, ...]:
    """Return the paths of a plan's files that do not lie in the tunnel's own folder."""
    return tuple(file.path for file in end.files if not file.path.startswith(f"{request.link.run_dir}/"))


def obstacles_on(
    side: Side, request: DeployRequest, plan: TunnelPlan, surveys: dict[Side, Inspection]
) -> Iterator[Obstacle]:
    """Return what is in the way on one host, apart from a lock.

    Args:
        plan: The plan, with or without identities.
        surveys: Snapshots of both hosts.
    """
    yield from _space(side, request)
    yield from _firewall(side, request, plan)
    found = surveys.get(side)
    if found is None:
        return
    yield from _storage(side, request, found)
    yield from _underlay(side, request, surveys)
    room = request.replaced.get(side)
    link = room.link if room is not None else None
    own = plan.end(side)
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
        yield Obstacle(
            side,
            f"Less than {MIN_FREE_MIB} MiB is free in {folder} on {request.label(side)}.",
            f"Free at least {MIN_FREE_MIB} MiB there.",
        )


def _storage(side: Side, request: DeployRequest, found: Inspection) -> Iterator[Obstacle]:
    """Warn where a restart of the host does not empty Tunnelmark's folder: locks and keys outlive it there."""
    folder = state_dir_of(request).rpartition("/")[0] or "/"
    if found.storage and found.storage not in IN_MEMORY:
        yield Obstacle(
            side,
            f"{folder} on {request.label(side)} is not in memory ({found.storage}): keys are written to a disk, and "
            "what is unfinished when the host restarts is left there.",
            f"Mount a tmpfs on {folder} first.",
            is_blocking=False,
        )


def _underlay(side: Side, request: DeployRequest, surveys: dict[Side, Inspection]) -> Iterator[Obstacle]:
    label, own, peer = request.label(side), request.link.underlay(side), request.link.underlay(side.other)
    if not any(own in _addresses_in(text) for text in surveys[side].snapshot.part("address")):
        yield Obstacle(
            side,
            f"{label} does not have the underlay address {own}.",
            "Choose the addresses that join the two hosts anew; behind NAT this does not work yet.",
        )
    if surveys[side].reach is Reach.NO_ROUTE:
        yield Obstacle(side, f"{label} has no route to {peer}.", "Check the cable, the addresses and the routes.")
    elif surveys[side].reach is Reach.SILENT:
        other = surveys.get(side.other)
        what, hint = _why_silent(label, peer, request.facts(side))
        yield Obstacle(side, what, hint, is_blocking=other is None or other.reach is not Reach.ANSWERS)


def _why_silent(label: str, peer: str, facts: HostFacts) -> tuple[str, str]:
    ping = facts.tools.get("ping")
    if ping is not None and ping.flavour is ToolFlavour.MISSING:
        package = package_for("ping", facts.package_manager) or "ping"
        return f"{label} has no ping, so it is not known whether it reaches {peer}.", f"Install {package} there."
    return (
        f"{peer} does not answer the pings of {label}.",
        "Check the underlay, and that a firewall does not drop ICMP.",
    )


def _addresses_in(line: str) -> list[str]:
    return [word.partition("/")[0] for word in line.split()]


def _words(end: EndpointPlan) -> set[str]:
    """Return every word of every command of a plan."""
    return {word for step in end.steps for word in step.command.argv}


def _interfaces_of(link: Link) -> set[str]:
    """Return the names that a tunnel's own interfaces have."""
    return {link.names.ethernet_interface, link.names.wireguard_interface, link.names.lower_interface}


def _names(
    side: Side, request: DeployRequest, end: EndpointPlan, found: Inspection, leaving: Link | None
) -> Iterator[Obstacle]:
    label = request.label(side)
    own = _interfaces_of(leaving) if leaving is not None else set()
    for name in used_interfaces(request, end):
        if name in found.snapshot.part("interface") and name not in own:
            yield Obstacle(
                side,
                f"An interface named {name} is already there on {label}.",
                f"If an earlier Tunnelmark left it, remove it on the host: ip link del {name}",
            )
    for path in found.present:
        yield Obstacle(
            side, f"The file {path} is already there on {label}.", "Move it away; it will not be overwritten."
        )


def used_interfaces(request: DeployRequest, end: EndpointPlan) -> tuple[str, ...]:
    """Return the names of the interfaces that a plan makes."""
    own = request.link.names
    words = _words(end)
    names = (own.ethernet_interface, own.wireguard_interface, own.lower_interface)
    return tuple(dict.fromkeys(name for name in names if name == end.interface or name in words))


def own_words(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[str, ...]:
    """Return the words by which what belongs to a tunnel is known on a host: names, addresses, paths, ports."""
    own, link = plan.end(side), request.link
    words = [*used_interfaces(request, own), link.run_dir, *(file.path for file in own.files)]
    if own.interface:
        words += [link.inner_ip(Side.A), link.inner_ip(Side.B), link.carrier_a, link.carrier_b]
    return (*words, *(f"port {port}" for _, port in own.listens))


def _numbers(
    side: Side, request: DeployRequest, end: EndpointPlan, found: Inspection, room: ReplacedDeployment | None
) -> Iterator[Obstacle]:
    label = request.label(side)
    own = room.ports if room is not None else ()
    sockets = found.snapshot.part("socket")
    for protocol, port in end.listens:
        if (protocol, port) in own:
            continue
        if any(re.fullmatch(rf"{protocol}6? .* port {port}", socket) for socket in sockets):
            has_choice = port in astuple(request.link.names)
            hint = "or choose another port." if has_choice else f"{request.adapter.info.title} has no other one."
            yield Obstacle(side, f"Port {port}/{protocol} is in use on {label}.", f"Stop what uses it, {hint}")
    names = request.link.names
    leaving = room.link.names if room is not None and room.link is not None else None
    if leaving is not None and leaving.l2tp_tunnel_id == names.l2tp_tunnel_id:
        return
    if any(module.startswith("l2tp") for module in end.kernel_modules):
        numbers = {"Tunnel": names.l2tp_tunnel_id, "Session": names.l2tp_session_id}
        for entry in found.snapshot.part("L2TP tunnel or session"):
            kind, _, rest = entry.partition(" ")
            if rest.partition(",")[0].split(" ")[0] == str(numbers.get(kind)):
                yield Obstacle(
                    side,
                    f"The L2TP {kind.lower()} {numbers[kind]} is already there on {label}.",
                    f"Remove it on the host: ip l2tp del tunnel tunnel_id {names.l2tp_tunnel_id}",
                )


def _subnets(
    side: Side, request: DeployRequest, end: EndpointPlan, found: Inspection, leaving: Link | None
) -> Iterator[Obstacle]:
    if not end.interface:
        return
    link, label = request.link, request.label(side)
    wanted = [ipaddress.ip_interface(link.inner(side)).network]
    if link.carrier(side.other) in " ".join(_words(end)):
        wanted += [ipaddress.ip_network(address) for address in (link.carrier_a, link.carrier_b)]
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
        if not any(network.subnet_of(subnet) for subnet in own)
        and network.prefixlen > 0
        and any(network.overlaps(subnet) for subnet in wanted)
    ]
    for network in taken:
        # A subnet stands for the addresses in it: its own, its broadcast, its hosts' routes.
        if not any(network != other and network.subnet_of(other) for other in taken):
            yield Obstacle(
                side,
                f"{label} uses {network} already, and the tunnel's addresses lie in it.",
                "Choose other addresses for the tunnel, or remove that address or route.",
            )


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
        yield Obstacle(
            side,
            f"The firewall of {label} blocks {words_of(openings)} ({rule}).",
            "Allow it there, or agree that Tunnelmark opens the firewalls (on the command line: --open-firewall).",
        )
