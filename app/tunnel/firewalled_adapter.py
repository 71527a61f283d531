"""Any adapter, with steps that open the hosts' firewalls for what its tunnel needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.discovery.firewall import Firewall, read_firewall
from app.domain.adapters import EndpointPlan, PlanRequest, Purpose, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_both
from app.domain.firewall import Blocked, Opening, Owner
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.tunnel.firewall import opening_steps
from app.tunnel.request import DeployRequest
from app.tunnel.wrapped_adapter import WrappedAdapter

IPERF_SERVERS = 2
"""One for each direction, on ports that follow each other."""

_WITHOUT_COMMENTS = (Owner.FIREWALLD,)
"""Owners whose rules do not show in the kernel who added them."""


def needed_openings(link: Link, own: EndpointPlan, side: Side, purpose: Purpose) -> tuple[Opening, ...]:
    """Return everything that has to get through one host's firewall, from its peer alone.

    Args:
        link: What the tunnel is built on.
        own: The plan of this end.
        side: The host.
        purpose: What the tunnel is for.

    Returns:
        The ports that the end listens on, what its adapter declares besides, and what measures the tunnel.
    """
    peer = link.underlay(side.other)
    listens = tuple(Opening(protocol, port, peer) for protocol, port in own.listens)
    source = link.inner_ip(side.other) if own.interface else peer
    ports = range(link.names.iperf_port, link.names.iperf_port + IPERF_SERVERS)
    measuring = tuple(Opening("tcp", port, source, own.interface) for port in ports)
    # Echo requests show whether the tunnel carries anything, for as long as it is there.
    alive = Opening("icmp", 0, source, own.interface)
    return (*listens, *own.openings, alive, *(measuring if purpose is Purpose.MEASUREMENT else ()))


def read_firewalls(sessions: SessionPair, *, token: CancelToken) -> dict[Side, Firewall]:
    """Read the rules of both hosts' firewalls. Changes nothing.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    a, b = run_both(lambda: read_firewall(sessions.a, token=token), lambda: read_firewall(sessions.b, token=token))
    return {Side.A: a, Side.B: b}


def underlay_interface(facts: HostFacts, address: str) -> str:
    """Return the name of the interface that has an address; empty where none has it."""
    return next((nic.name for nic in facts.nics if any(one.partition("/")[0] == address for one in nic.addresses)), "")


def blocked_openings(request: DeployRequest, plan: TunnelPlan, side: Side) -> tuple[Blocked, ...]:
    """Return what the firewall of one host drops of what a tunnel needs; nothing where it was not read."""
    firewall = request.firewalls.get(side)
    if firewall is None:
        return ()
    needed = needed_openings(request.link, plan.end(side), side, request.purpose)
    return firewall.blocked(needed, underlay_interface(request.facts(side), request.link.underlay(side)))


def with_firewalls(request: DeployRequest, firewalls: Mapping[Side, Firewall], *, may_open: bool) -> DeployRequest:
    """Return a request that knows the hosts' firewalls.

    Args:
        request: What is to be built.
        firewalls: What was read on the hosts.
        may_open: Whether the user agreed that they are opened for the tunnel: its plan then begins with steps that do
            so. Else what is blocked is an obstacle.
    """
    known = replace(request, firewalls=firewalls)
    if not may_open:
        return known
    return replace(known, adapter=FirewalledAdapter(request.adapter, known))


@dataclass(frozen=True)
class FirewalledAdapter(WrappedAdapter):
    """Implements `Adapter`.

    Attributes:
        request: What is built with it, with the hosts' firewalls.
    """

    request: DeployRequest = field(repr=False)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return the VPN's plan; what is blocked is opened before any of its programs is started."""
        plan = self.inner.plan(request)
        return replace(plan, a=self._end(plan, Side.A), b=self._end(plan, Side.B))

    def _end(self, plan: TunnelPlan, side: Side) -> EndpointPlan:
        own, link = plan.end(side), self.request.link
        openings = self._openings(plan, side)
        if not openings:
            return own
        firewall = self.request.firewalls[side]
        interface = underlay_interface(self.request.facts(side), link.underlay(side))
        steps = opening_steps(
            firewall.owner,
            {opening: firewall.places(opening, interface) for opening in openings},
            interface=interface,
            tag=link.run_dir.rpartition("/")[2],
        )
        # Behind the guard of a session: what lets L2TPv3 in must neither come before it nor stay after it.
        place = max((number for number, step in enumerate(own.steps, start=1) if step.is_repeatable), default=0)
        return replace(own, steps=(*own.steps[:place], *steps, *own.steps[place:]))

    def _openings(self, plan: TunnelPlan, side: Side) -> tuple[Opening, ...]:
        request = self.request
        firewall = request.firewalls.get(side)
        if firewall is not None and side in request.makes_room and firewall.owner in _WITHOUT_COMMENTS:
            # What the deployment that is replaced has opened looks like the user's own rules, and goes with it.
            return needed_openings(request.link, plan.end(side), side, request.purpose)
        return tuple(one.opening for one in blocked_openings(request, plan, side))
