"""Frames of nodes protected by MACsec: room for it, secrets that cross only where they have to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.adapters import Adapter, PublicIdentity, TunnelPlan
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.node_protection import ProtectedPlace
from app.domain.topology import Topology, node_mac
from app.tunnel.nodes import NodeSteps
from support.adapter_cases import facts, request
from support.message_checks import has_message
from vpn_adapters.macsec import suites
from vpn_adapters.macsec.nodes import protection
from vpn_adapters.registry import ADAPTERS, NODE_PROTECTIONS
from vpn_adapters.shared.messages import NOT_FOR_NODES

HOSTS = facts(), facts()
L2TP = ADAPTERS["l2tp"]
SUITE = "gcm-aes-128"


def around(place: ProtectedPlace) -> Adapter:
    return NODE_PROTECTIONS["macsec"].around(L2TP, place)


def plan_of(place: ProtectedPlace) -> TunnelPlan:
    adapter = around(place)
    asked = replace(
        request(adapter, adapter.suites(*HOSTS)[0]), identity_a=PublicIdentity(), identity_b=PublicIdentity()
    )
    suite = protection.suite(*HOSTS, SUITE)
    assert suite is not None
    plan = NodeSteps(Topology.BRIDGED_NODES).extend(adapter.plan(asked), asked.link)
    return protection.extend(plan, asked.link, suite, place, {})


def test_between_nodes_tunnel_and_cable_have_room_and_nodes_have_as_much_as_without() -> None:
    plan = plan_of(ProtectedPlace.NODES)
    for side in Side:
        tunnel, node, protected = plan.on(side).steps[-3:]
        assert "1532" in tunnel.command.argv
        assert "1532" in node.command.argv
        assert "1500" in protected.command.argv
    assert plan.inner_mtu_bytes == plan_of(ProtectedPlace.LANS).inner_mtu_bytes == 1500


def test_the_secret_of_nodes_crosses_once_and_that_of_a_lan_never() -> None:
    for place, crossing, made in ((ProtectedPlace.NODES, 1, (1, 0)), (ProtectedPlace.LANS, 0, (1, 1))):
        adapter = around(place)
        asked = request(adapter, adapter.suites(*HOSTS)[0])
        recipes = [adapter.identity(asked, side) for side in Side]
        assert (len(recipes[0].shared), len(recipes[1].shared)) == (crossing, 0)
        assert tuple(len(one.steps) for one in recipes) == made


def test_in_each_lan_the_gateways_end_is_removed_with_its_guard() -> None:
    step = plan_of(ProtectedPlace.LANS).a.steps[-1]
    assert step.undo is not None
    upper, table = step.undo.argv[-2:]
    assert (upper, table) == ("tmk0lan", "tunnelmark_guard_lan")
    assert {upper, table} < set(step.command.argv)
    between = plan_of(ProtectedPlace.NODES).a.steps[-1]
    assert between.undo is not None
    assert between.undo.argv[-2:] == ("", "")


LANS = {Side.A: "eth2", Side.B: "lan9"}


@pytest.mark.parametrize("place", [ProtectedPlace.NODES, ProtectedPlace.LANS])
def test_of_machines_the_gateway_protects_its_lan_alone_and_each_machine_has_its_gateways_secret(
    place: ProtectedPlace,
) -> None:
    adapter = around(place)
    asked = request(adapter, adapter.suites(*HOSTS)[0])
    suite = protection.suite(*HOSTS, SUITE)
    assert suite is not None
    before = NodeSteps(Topology.BRIDGED_NODES, LANS).extend(adapter.plan(asked), asked.link)
    plan = protection.extend(before, asked.link, suite, place, LANS)
    for side in Side:
        own = plan.on(side).steps[len(before.on(side).steps) :]
        part = protection.machine(asked.link, suite, place, side, "ens4")
        (step,), (secret,) = part.steps, part.secrets
        lower, name, _, mac, peer, *ways = step.command.argv[-7:]
        assert (lower, name, mac) == ("ens4", protection.interface, node_mac(side))
        assert step.undo is not None
        assert step.undo.argv[-3:] == (protection.interface, "ens4", "tunnelmark_guard_lan")
        made = [word for one in adapter.identity(asked, Side.A).steps for word in one.command.argv]
        assert secret.path in made
        if place is ProtectedPlace.NODES:
            assert own == ()
            assert (peer, ways) == (node_mac(side.other), [f"{side}-to-{side.other}", f"{side.other}-to-{side}"])
        else:
            (gateway,) = own
            assert gateway.command.argv[-5:] == (LANS[side], "tmk0lan", peer, node_mac(side), plan.on(side).interface)
            assert ways == ["to-gateway", "to-node"]
            assert "1500" in gateway.command.argv
            assert "1500" in step.command.argv


def test_nothing_is_done_on_machines_without_protection() -> None:
    asked = request(L2TP, L2TP.suites(*HOSTS)[0])
    suite = protection.suite(*HOSTS, SUITE)
    assert suite is not None
    assert protection.machine(asked.link, suite, ProtectedPlace.NOWHERE, Side.A, "ens4").steps == ()


def test_suites_whose_keys_are_agreed_or_have_long_numbers_are_not_for_nodes() -> None:
    offered = suites.offered(*HOSTS)
    assert {one.name for one in offered if protection.suite(*HOSTS, one.name)} == {"gcm-aes-128", "gcm-aes-256"}
    other = next(one for one in offered if protection.suite(*HOSTS, one.name) is None)
    with pytest.raises(InvalidPlan, check=has_message(NOT_FOR_NODES)):
        protection.extend(plan_of(ProtectedPlace.NODES), request(L2TP, other).link, other, ProtectedPlace.NODES, {})
