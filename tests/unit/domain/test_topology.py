"""Addresses of nodes: those of one tunnel are those of no other, nor of the tunnels themselves."""

from __future__ import annotations

import ipaddress
from itertools import combinations

import pytest

from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.link import MAX_INSTANCES, Link
from app.domain.messages.inputs import NO_NODE_IN_TOPOLOGY, NODES_NOT_ROUTABLE
from app.domain.topology import Topology, node_addresses
from support.message_checks import has_message

LINK = Link("192.0.2.1", "192.0.2.2")


def test_routed_nodes_of_all_tunnels_have_networks_of_their_own() -> None:
    links = [LINK.instance(number) for number in range(MAX_INSTANCES)]
    nodes = [node_addresses(link, Topology.ROUTED_NODES, side) for link in links for side in Side]
    networks = [ipaddress.IPv4Network(one.network) for one in nodes]
    networks += [network for link in links for network in link.own_networks]
    assert not any(one.overlaps(other) for one, other in combinations(networks, 2))
    for one in nodes:
        assert ipaddress.IPv4Address(one.node_ip) in ipaddress.IPv4Network(one.network)
        gateway = ipaddress.IPv4Interface(one.gateway)
        assert gateway.ip in ipaddress.IPv4Network(one.network)
        assert one.node_ip != str(gateway.ip)
    assert len({one.namespace for one in nodes}) == MAX_INSTANCES
    assert all(len(one.namespace) <= 15 for one in nodes)


def test_bridged_nodes_are_in_the_network_of_the_tunnel() -> None:
    a, b = (node_addresses(LINK, Topology.BRIDGED_NODES, side) for side in Side)
    assert (a.node, b.node) == ("198.18.0.10/24", "198.18.0.11/24")
    assert a.network == b.network == "198.18.0.0/24"


def test_a_pair_has_no_nodes_and_foreign_networks_no_routed_ones() -> None:
    with pytest.raises(InvalidOption, check=has_message(NO_NODE_IN_TOPOLOGY)):
        node_addresses(LINK, Topology.PAIR, Side.A)
    foreign = Link("192.0.2.1", "192.0.2.2", inner_a="10.9.0.1/24", inner_b="10.9.0.2/24")
    with pytest.raises(InvalidOption, check=has_message(NODES_NOT_ROUTABLE)):
        node_addresses(foreign, Topology.ROUTED_NODES, Side.A)
