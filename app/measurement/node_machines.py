"""Nodes behind both gateways as measurements use them: namespaces on the gateways, or machines of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from app.discovery.host import discover_pair
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import InvalidOption
from app.domain.hosts import HostFacts, HostSpec, NodeHost, PairSpec, Side
from app.domain.link import Link
from app.domain.topology import NodeKind, Topology, node_addresses
from app.host.node_session import NodeSession
from app.measurement.interfaces import Tunnel
from app.measurement.messages.studies import NO_NODE_MACHINES
from app.measurement.node_needs import NodeNeeds, refuse_needed_by_gateways, refuse_needed_by_nodes
from app.measurement.tunnels import LEASE_S
from app.tunnel.host_settings import HostSettings
from app.tunnel.node_machines import BridgedNodes, NodesRequest, node_machines


@dataclass(frozen=True, slots=True)
class NodeMachines:
    """Machines behind both gateways of a pair.

    Attributes:
        pair: The pair's name.
        nodes: The machines, by side.
        sessions: Connections to them.
        facts: What was found on A's.
        audit: Writes down every command that changes one of them.
    """

    pair: str
    nodes: Mapping[Side, NodeHost]
    sessions: SessionPair
    facts: HostFacts
    audit: Callable[[AuditEntry], None]

    def joined(
        self,
        tunnels: Sequence[Tunnel],
        settings: HostSettings,
        *,
        token: CancelToken,
        bridged: BridgedNodes | None = None,
    ) -> AbstractContextManager[None]:
        """Return a context in which the machines are nodes of tunnels that are up.

        Args:
            tunnels: At least one; their gateways' interfaces towards the machines are part of their plans already.
            settings: Settings of both machines.
            bridged: What bridged nodes need, which have one tunnel; None for routed ones.
        """
        interfaces = {side: node.interface for side, node in self.nodes.items()}
        built = [(one.plan, one.link) for one in tunnels]
        request = NodesRequest(interfaces, built, settings, self.pair, bridged)
        return node_machines(self.sessions, request, token=token, audit=self.audit, lease_s=LEASE_S)


def log_in_to_nodes(
    pair: PairSpec,
    connect: Callable[[PairSpec], SessionPair],
    needs: NodeNeeds,
    *,
    token: CancelToken,
    audit: Callable[[AuditEntry], None],
) -> NodeMachines:
    """Log in to the machines behind both gateways of a pair, and refuse them where they do not do. Changes nothing.

    Args:
        connect: Logs in to both hosts of a pair, or gives the connections that there are.
        needs: Needs of the study.
        audit: Writes down every command that changes one of the machines.

    Raises:
        InvalidOption: The pair names none.
        PackageMissing: A machine lacks a program.
        PreflightRefused: The interface of one, or of a gateway towards one, is needed for SSH or a default route.
        CommandFailed: One of these hosts does not say what its interface is needed for.
    """
    nodes = pair.nodes
    if not nodes:
        raise InvalidOption(NO_NODE_MACHINES(pair=pair.name))
    sessions = connect(replace(pair, a=nodes[Side.A].host, b=nodes[Side.B].host))
    facts = discover_pair(sessions, {}, token=token, programs=needs.names)
    needs.check(nodes, dict(zip(Side, facts, strict=True)))
    refuse_needed_by_nodes(nodes, sessions, token=token)
    refuse_needed_by_gateways(pair, connect(pair), token=token)
    return NodeMachines(pair.name, nodes, sessions, facts[0], audit)


def lans_of(machines: NodeMachines | None) -> Mapping[Side, str]:
    """Return the gateways' interfaces towards nodes that are machines, by side; none for namespaces."""
    if machines is None:
        return {}
    return {side: node.gateway_interface for side, node in machines.nodes.items()}


def node_sessions(
    sessions: SessionPair, link: Link, topology: Topology, machines: NodeMachines | None = None
) -> SessionPair:
    """Return sessions whose commands run on both nodes of a tunnel.

    Args:
        sessions: Connections to the gateways, on which the nodes are namespaces where there are no machines.
    """
    if machines is not None:
        return machines.sessions
    a, b = (node_addresses(link, topology, side).namespace for side in Side)
    return SessionPair(NodeSession(sessions.a, a), NodeSession(sessions.b, b))


def hosts_of(pair: PairSpec, nodes: NodeKind) -> tuple[HostSpec, ...]:
    """Return the hosts that work with a kind of nodes holds."""
    return pair.hosts if nodes is NodeKind.MACHINES else (pair.a, pair.b)
