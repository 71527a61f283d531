"""Conditions that hosts of the user's own make themselves while a group of tunnels between them is up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.conditions import Condition
from app.domain.errors import CommandFailed, PreflightRefused
from app.domain.hosts import Side
from app.domain.solutions import BASELINE, Suite
from app.host.parallel import on_both
from app.host.remote_host import printable
from app.measurement.interfaces import Tunnel, Tunnels
from app.measurement.link_conditions import check_rtt
from app.measurement.messages.studies import HOST_CANNOT_SHAPE, HOST_NOT_SHAPED, NODES_NOT_SHAPED, SHAPING_REMAINS
from app.measurement.tunnels import DeployedTunnels
from app.probes.bare_link import echoes
from app.probes.counters import underlay_device
from app.tunnel.messages import UNDERLAY_NOT_FOUND
from app.tunnel.shaping import can_shape

Networks: TypeAlias = Mapping[Side, tuple[str, ...]]
"""Networks of nodes by the side that they are behind."""

_NODE_PINGS, _NODE_INTERVAL_S = 40, 0.05


@dataclass(frozen=True, slots=True)
class HostShaping:
    """Shaping of what both hosts send to each other, by a member of the group of tunnels that it is for.

    That member is the bare link: it is built last and undone first, so that no tunnel is built or removed under the
    condition, and it ends with the group's lease, journal and undo script.

    Attributes:
        bare: Adapter and suite of the bare link.
        under: Returns what builds groups under a condition, which packets to some networks are under as well.
    """

    bare: tuple[Adapter, Suite]
    under: Callable[[Condition, Networks], Tunnels]

    @classmethod
    def of(
        cls,
        adapters: Mapping[str, Adapter],
        discovery: Discovery,
        tunnels: DeployedTunnels,
        sessions: SessionPair,
        *,
        token: CancelToken,
    ) -> HostShaping:
        """Return the shaping of a pair's hosts, which are asked whether they can.

        Args:
            tunnels: Builds tunnels without a condition.
            sessions: Connections to both hosts.

        Raises:
            PreflightRefused: A host cannot shape what it sends; nothing was changed.
        """

        def ask(side: Side, child: CancelToken) -> None:
            device = underlay_device(discovery.facts[side.value], discovery.link.underlay(side))
            session = sessions.on(side)
            if not device:
                address = discovery.link.underlay(side)
                raise PreflightRefused(UNDERLAY_NOT_FOUND(host=session.spec.label, address=address))
            asked = session.run(can_shape(device), token=child)
            if not asked.is_ok:
                why = printable(asked.stderr, limit=200)
                raise PreflightRefused(HOST_CANNOT_SHAPE(host=session.spec.label, why=why))

        on_both(ask, token=token)
        bare, facts = adapters[BASELINE], discovery.facts
        suite = bare.suites(facts[Side.A.value], facts[Side.B.value])[0]

        def under(condition: Condition, networks: Networks) -> Tunnels:
            return replace(tunnels, shaping=condition, shaped_networks=networks)

        return cls((bare, suite), under)


@dataclass(frozen=True, slots=True)
class ShapedLink:
    """The link between two hosts that shape what they send to each other.

    Attributes:
        direct_ms: Round-trip time without the condition, in ms.
        member: The group's member that makes it.
    """

    direct_ms: float
    member: Tunnel

    def deviation(self, condition: Condition, sessions: SessionPair, *, token: CancelToken) -> str:
        """Return which host does not make the condition any more, as a sentence; empty where both do."""
        return why_unshaped(self.member.plan, condition, sessions, token=token)

    def deviation_of_nodes(self, condition: Condition, node: HostSession, peer: str, *, token: CancelToken) -> str:
        """Return why packets between nodes that no VPN carries are not under the condition; empty where they are.

        They take no less time than those between the hosts. More is that of the networks behind the hosts.

        Args:
            node: Session of A's node.
            peer: Address of B's node.

        Raises:
            ProbeFailed: It does not answer.
        """
        found = echoes(node, peer, count=_NODE_PINGS, interval_s=_NODE_INTERVAL_S, token=token)
        rtt = check_rtt(condition, found, self.direct_ms)
        if rtt.measured >= rtt.low:
            return ""
        return NODES_NOT_SHAPED(condition=condition.name, rtt_ms=rtt.measured, least_ms=rtt.low)


def why_unshaped(plan: TunnelPlan, condition: Condition, sessions: SessionPair, *, token: CancelToken) -> str:
    """Return which host does not make a condition any more, as a sentence; empty where both do.

    Args:
        plan: Of a tunnel with that condition: the first step of each host makes it.
    """
    for side in Side:
        session, check = sessions.on(side), plan.on(side).steps[0].health_check
        if check is not None and not session.run(check, token=token).is_ok:
            return HOST_NOT_SHAPED(host=session.spec.label, condition=condition.name)
    return ""


def stop_shaping(plan: TunnelPlan, sessions: SessionPair, *, token: CancelToken) -> None:
    """Remove the condition from both hosts for the rest of a tunnel's time; its own undo finds nothing left then.

    Args:
        plan: As for `why_unshaped`.

    Raises:
        CommandFailed: A host did not remove it.
    """
    on_both(lambda side, child: _stop(plan, sessions, side, child), token=token)


def _stop(plan: TunnelPlan, sessions: SessionPair, side: Side, token: CancelToken) -> None:
    session, undo = sessions.on(side), plan.on(side).steps[0].undo
    if undo is not None:
        done = session.run(undo, token=token)
        if not done.is_ok:
            raise CommandFailed(SHAPING_REMAINS(host=session.spec.label, why=printable(done.stderr, limit=200)))
