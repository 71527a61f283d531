"""Firewall openings: what a tunnel needs, what the hosts block of it, and the steps that open it."""

from __future__ import annotations

from dataclasses import replace

from app.discovery.firewall import Firewall, read_firewall
from app.domain.adapters import EndpointPlan, Purpose, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_sides
from app.domain.firewall import Blocked, Opening, Owner
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.workloads import Listening
from app.probes.counters import underlay_device
from app.tunnel.firewall import opening_steps
from app.tunnel.request import DeployRequest

IPERF_SERVERS = 2
"""One for each direction, on ports that follow each other."""

_WITHOUT_COMMENTS = (Owner.FIREWALLD,)
"""Owners whose rules do not show in the kernel who added them."""


def needed_openings(
    link: Link, own: EndpointPlan, side: Side, purpose: Purpose, listening: Listening = ()
) -> tuple[Opening, ...]:
    """Return everything that has to get through one host's firewall, from its peer alone.

    Args:
        own: The plan of this side.
        purpose: What the tunnel is for.
        listening: Ports that workloads listen on there.

    Returns:
        The ports that the end listens on, what its adapter declares besides, and what measures the tunnel.
    """
    peer = link.underlay(side.other)
    listens = tuple(Opening(protocol, port, peer) for protocol, port in own.listens)
    source = link.inner_ip(side.other) if own.interface else peer
    used = (*(("tcp", step) for step in range(IPERF_SERVERS)), *listening)
    measuring = tuple(Opening(each, link.names.iperf_port + step, source, own.interface) for each, step in used)
    # Echo requests show whether the tunnel carries anything, for as long as it is there.
    alive = Opening("icmp", 0, source, own.interface)
    return (*listens, *own.openings, alive, *(measuring if purpose is Purpose.MEASUREMENT else ()))


def read_firewalls(sessions: SessionPair, *, token: CancelToken) -> dict[Side, Firewall]:
    """Read the rules of both hosts' firewalls. Changes nothing.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    return run_sides(lambda side: read_firewall(sessions.on(side), token=token))


def blocked_openings(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[Blocked, ...]:
    """Return what the firewall of one host drops of what a tunnel needs; nothing where it was not read."""
    firewall = request.firewalls.get(side)
    if firewall is None:
        return ()
    device = underlay_device(request.facts(side), request.link.underlay(side))
    return firewall.blocked(_needed(request, plan, side), device)


def _needed(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[Opening, ...]:
    own, listening = plan.on(side), request.listening.get(side, ())
    if request.shaping is not None and not own.interface:
        # The condition is measured on the bare link, with datagrams of iperf3 in both directions.
        listening = (*(("udp", step) for step in range(IPERF_SERVERS)), *listening)
    return needed_openings(request.link, own, side, request.purpose, listening)


def opened_firewalls(request: DeployRequest, plan: TunnelPlan) -> TunnelPlan:
    """Return a plan with steps that open what is blocked, before any of its programs is started."""
    return replace(plan, a=_opened(request, plan, Side.A), b=_opened(request, plan, Side.B))


def _opened(request: DeployRequest, plan: TunnelPlan, side: Side) -> EndpointPlan:
    own, link = plan.on(side), request.link
    openings = _openings(request, plan, side)
    if not openings:
        return own
    firewall = request.firewalls[side]
    interface = underlay_device(request.facts(side), link.underlay(side))
    steps = opening_steps(
        firewall.owner,
        {opening: firewall.places(opening, interface) for opening in openings},
        interface=interface,
        tag=link.run_dir.rpartition("/")[2],
    )
    # Behind the guard of a session: what lets L2TPv3 in must neither come before it nor outlast it.
    place = max((number for number, step in enumerate(own.steps, start=1) if step.is_repeatable), default=0)
    return replace(own, steps=(*own.steps[:place], *steps, *own.steps[place:]))


def _openings(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[Opening, ...]:
    firewall = request.firewalls.get(side)
    if firewall is not None and side in request.replaced and firewall.owner in _WITHOUT_COMMENTS:
        # What the deployment that is replaced has opened resembles the user's own rules, and goes with it.
        return _needed(request, plan, side)
    return tuple(one.opening for one in blocked_openings(request, plan, side))
