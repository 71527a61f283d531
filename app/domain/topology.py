"""Topology of a measurement: between the hosts of a pair, or between one node behind each of them."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from enum import StrEnum

from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.link import INNER_SUBNET, Link
from app.domain.messages.inputs import NO_NODE_IN_TOPOLOGY, NODES_NOT_ROUTABLE

_LAST_BYTE = {Side.A: 0x0A, Side.B: 0x0B}
_HALF = 1 << 16
"""Addresses of one half of the benchmark network. Source: RFC 2544 section C.2.2, 198.18.0.0/15."""


class Topology(StrEnum):
    """Places between which is measured."""

    PAIR = "pair"
    ROUTED_NODES = "nodes-routed"  # each node in a network of its own, which its gateway routes
    BRIDGED_NODES = "nodes-bridged"  # both nodes in one network, which the tunnel and two bridges join


class NodeKind(StrEnum):
    """Kind of the nodes behind both gateways."""

    NAMESPACES = "namespaces"  # network namespaces on the gateways
    MACHINES = "machines"  # hosts of their own, which the pair names


class ProxyPlace(StrEnum):
    """Place at which a performance-enhancing proxy splits TCP connections, named as in the satellite study."""

    NONE = "none"
    OUTSIDE = "A"  # between the tunnel and the link: it splits the tunnel's own connection
    INSIDE = "B"  # between the node and the tunnel: it splits the connections of nodes


@dataclass(frozen=True, slots=True)
class NodeAddresses:
    """Addresses of the node behind one gateway.

    Attributes:
        namespace: Network namespace on the gateway; the gateway's interface towards the node has the same name.
        node: The node's address, with prefix length.
        gateway: The gateway's address towards it, with prefix length; empty for bridged nodes.
    """

    namespace: str
    node: str
    gateway: str

    @property
    def node_ip(self) -> str:
        """The node's address without prefix length."""
        return self.node.partition("/")[0]

    @property
    def network(self) -> str:
        """The node's network."""
        return str(ipaddress.IPv4Interface(self.node).network)


def node_mac(side: Side) -> str:
    """Return the hardware address of a bridged node: locally administered."""
    return f"02:74:6d:00:00:{_LAST_BYTE[side]:02x}"


def node_addresses(link: Link, topology: Topology, side: Side) -> NodeAddresses:
    """Return the addresses of the node behind one gateway of a tunnel.

    A routed node's network is in that half of the benchmark network which the tunnel's own is not in, so that each
    tunnel of a group has networks of its own.

    Raises:
        InvalidOption: There is no node in this topology.
    """
    namespace = f"{link.names.ethernet_interface}node"
    inner = ipaddress.IPv4Interface(link.inner(side))
    if topology is Topology.BRIDGED_NODES:
        own = int(inner.network.network_address) + _LAST_BYTE[side]
        return NodeAddresses(namespace, f"{ipaddress.IPv4Address(own)}/{inner.network.prefixlen}", "")
    if topology is not Topology.ROUTED_NODES:
        raise InvalidOption(NO_NODE_IN_TOPOLOGY(topology=topology))
    base = int(INNER_SUBNET.network_address)
    block = int(inner.network.network_address) - base
    if not 0 <= block < INNER_SUBNET.num_addresses:
        raise InvalidOption(NODES_NOT_ROUTABLE(network=inner.network, inner_subnet=INNER_SUBNET))
    own = base + (block ^ _HALF) // 256 * 256 + (0 if side is Side.A else 128)
    gateway, node = ipaddress.IPv4Address(own + 1), ipaddress.IPv4Address(own + 2)
    return NodeAddresses(namespace, f"{node}/25", f"{gateway}/25")
