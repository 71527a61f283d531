"""Nodes that are machines of their own: what is done on gateways and on the machines, and that each of it is undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.adapters import PlanStep, SharedSecret, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, FileToWrite, SessionPair
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.node_protection import MachineProtection
from app.domain.topology import Topology, node_addresses, node_mac
from app.tunnel.host_settings import CONGESTION_FILE, HYSTART_FILE, HostSettings
from app.tunnel.node_machines import BridgedNodes, NodesRequest, give_secrets
from app.tunnel.nodes import NodeSteps, node_mtu_bytes
from app.tunnel.preflight import remote_hosts
from support.adapter_cases import facts, request
from vpn_adapters.registry import ADAPTERS

LANS = {Side.A: "eth2", Side.B: "lan9"}
INTERFACES = {Side.A: "eth1", Side.B: "ens4"}


def plan_of(solution: str, number: int = 0) -> tuple[TunnelPlan, Link]:
    adapter = ADAPTERS[solution]
    asked = request(adapter, adapter.suites(facts(), facts())[0])
    link = asked.link.instance(number)
    return adapter.plan(replace(asked, link=link)), link


@pytest.mark.parametrize("side", list(Side))
def test_a_gateway_routes_the_machine_behind_its_interface_and_forwards_there_alone(side: Side) -> None:
    plan, link = plan_of("baseline")
    steps = NodeSteps(Topology.ROUTED_NODES, LANS).extend(plan, link).on(side).steps
    take_up, forward, route = (step.command.argv for step in steps)
    own, peer = (node_addresses(link, Topology.ROUTED_NODES, one) for one in (side, side.other))
    assert take_up[-2:] == (LANS[side], str(node_mtu_bytes(plan)))
    single, *others = NodeSteps(Topology.ROUTED_NODES, LANS, is_gro_off=True).extend(plan, link).on(side).steps
    assert single.command.argv == (*take_up, "single")
    assert (single.undo, others) == (steps[0].undo, list(steps[1:]))
    assert forward[-3:] == (f"/proc/sys/net/ipv4/conf/{LANS[side]}/forwarding", "1", "")
    assert route[-6:-1] == (LANS[side], own.gateway, peer.network, link.underlay(side.other), "")
    assert not any("netns" in word for step in steps for word in step.command.argv)
    assert all(step.undo is not None for step in steps)


def test_namespaces_are_made_where_no_interface_is_named() -> None:
    plan, link = plan_of("baseline")
    (step,) = NodeSteps(Topology.ROUTED_NODES).extend(plan, link).a.steps
    assert "netns" in step.command.argv[2]


def test_a_gateway_bridges_its_interface_towards_the_machine_with_the_tunnel() -> None:
    plan, link = plan_of("wireguard")
    own = NodeSteps(Topology.BRIDGED_NODES, LANS).extend(plan, link).b
    take_up, bridge = own.steps[len(plan.b.steps) :]
    assert take_up.command.argv[-2:] == ("lan9", "0")
    assert bridge.command.argv[-6:-1] == (
        *("lan9", own.interface, plan.b.interface, link.inner(Side.B)),
        str(plan.inner_mtu_bytes),
    )
    assert take_up.undo is not None
    assert bridge.undo is not None


def test_a_bridged_machine_has_the_address_of_a_node_and_then_its_protection() -> None:
    tunnel, gateways = plan_of("wireguard"), SessionPair(None, None)  # type: ignore[arg-type]
    protect = PlanStep("Protect it", Command(("true",)), Command(("true",)))
    parts = {side: MachineProtection((protect,)) for side in Side}
    nodes = NodesRequest(INTERFACES, [tunnel], bridged=BridgedNodes(gateways, parts))
    take_up, address, last = nodes.steps(Side.B)
    own = node_addresses(tunnel[1], Topology.BRIDGED_NODES, Side.B)
    assert take_up.command.argv[-2:] == ("ens4", "0")
    assert address.command.argv[-5:-1] == ("ens4", own.node, str(tunnel[0].inner_mtu_bytes), node_mac(Side.B))
    assert last is protect
    assert own.node_ip in nodes.words(Side.B)


class Gateway:
    """A gateway or a node of which only the secret counts."""

    def __init__(self, secret: str = "") -> None:
        self.spec, self.secret = SimpleNamespace(label="gateway"), secret
        self.files: list[FileToWrite] = []

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        return CommandResult(command.argv, 0, f"{self.secret}\n", "", 0.0)

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        self.files += files


def test_each_machine_gets_the_secret_of_its_own_gateway() -> None:
    gateways: Any = SessionPair(Gateway("of-a"), Gateway("of-b"))  # type: ignore[arg-type]
    machines: Any = SessionPair(Gateway(), Gateway())  # type: ignore[arg-type]
    secret = SharedSecret("Secret", Command(("cat", "x")), "/run/tunnelmark/tunnel/secret")
    bridged = BridgedNodes(gateways, {side: MachineProtection((), (secret,)) for side in Side})
    give_secrets(remote_hosts(machines, "/run/tunnelmark"), bridged, token=CancelToken())
    written = [[(one.path, one.content, one.mode) for one in host.files] for host in (machines.a, machines.b)]
    assert written == [[(secret.path, b"of-a\n", 0o600)], [(secret.path, b"of-b\n", 0o600)]]


@pytest.mark.parametrize("side", list(Side))
def test_a_machine_gets_settings_once_and_for_each_tunnel_an_address_and_a_route(side: Side) -> None:
    tunnels = [plan_of("baseline"), plan_of("wireguard", 1)]
    nodes = NodesRequest(INTERFACES, tunnels, HostSettings("bbr", has_hystart=False))
    *own, congestion, hystart = nodes.steps(side)
    assert congestion.command.argv[-3:] == (CONGESTION_FILE, "bbr", "tcp_bbr")
    assert hystart.command.argv[-3:] == (HYSTART_FILE, "0", "")
    assert len(own) == 4
    for number, (plan, link) in enumerate(tunnels):
        take_up, address = own[2 * number : 2 * number + 2]
        node, peer = (node_addresses(link, Topology.ROUTED_NODES, one) for one in (side, side.other))
        mtu = str(node_mtu_bytes(plan))
        assert take_up.command.argv[-2:] == (INTERFACES[side], mtu)
        assert address.command.argv[-6:-1] == (INTERFACES[side], node.node, node.gateway, mtu, peer.network)
        assert {node.node_ip, node.network, peer.network} <= set(nodes.words(side))
    assert len({step.command.argv[-5:] for step in own}) == len(own), "no tunnel has what another one has"
    assert all(step.undo is not None and step.command.is_root and step.undo.is_root for step in nodes.steps(side))
