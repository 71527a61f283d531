"""Nodes behind gateways made of namespaces: they reach each other through the tunnel, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed, InvalidPlan
from app.domain.hosts import Side
from app.domain.hubs import clients_network
from app.domain.topology import Topology, node_addresses
from app.host.node_session import NodeSession
from app.tunnel import ActiveTunnel, plan_of, temporary_group, temporary_tunnel
from app.tunnel.hub_clients import HubClients
from app.tunnel.messages import BARE_LINK_BRIDGED
from app.tunnel.node_machines import NodesRequest, node_machines
from app.tunnel.nodes import NodeSteps, node_mtu_bytes
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_deploy import MACHINES, as_machines
from support.lab_sessions import sh
from support.message_checks import has_message
from support.net_bench import NetBench
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("net_unchanged")

LEASE_S = 60
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""
BACK_S = 240.0
"""Time limit for a busy computer until both hosts are as before, in seconds."""


def node(net: NetBench, tunnel: ActiveTunnel, topology: Topology, side: Side) -> NodeSession:
    session = net.sessions.a if side is Side.A else net.sessions.b
    return NodeSession(session, node_addresses(tunnel.link, topology, side).namespace)


def answers(net: NetBench, tunnel: ActiveTunnel, topology: Topology) -> int:
    """Return how many requests of node A, as large as fits, node B answered."""
    target = node_addresses(tunnel.link, topology, Side.B).node_ip
    # With -w, ping waits for late answers, and ends when as many have come.
    argv = ("ping", "-n", "-c", "5", "-i", "0.2", "-w", "60", "-s", "1300", target)
    done = node(net, tunnel, topology, Side.A).run(Command(argv, timeout_s=120.0), token=CancelToken())
    return done.stdout.count("bytes from")


def frames(net: NetBench, tunnel: ActiveTunnel) -> int:
    name = tunnel.link.names.ethernet_interface
    return int(sh(net.sessions.a, f"cat /sys/class/net/{name}/statistics/tx_packets"))


def test_nodes_of_several_tunnels_reach_each_other_each_through_its_own(net: NetBench) -> None:
    topologies = {
        "openvpn-udp": Topology.ROUTED_NODES,
        "openvpn-tcp": Topology.BRIDGED_NODES,
        "baseline": Topology.ROUTED_NODES,
    }
    requests = [replace(net.request(name), extension=NodeSteps(one)) for name, one in topologies.items()]
    with temporary_group(net.sessions, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert {position: (error.sentence(), error.context) for position, error in group.failures.items()} == {}
        for position, topology in enumerate(topologies.values()):
            tunnel = group.tunnels[position]
            before = frames(net, tunnel) if tunnel.plan.a.interface else 0
            assert answers(net, tunnel, topology) >= 5
            if tunnel.plan.a.interface:
                assert frames(net, tunnel) - before >= 5


def test_the_bare_link_has_no_bridged_nodes(net: NetBench) -> None:
    with pytest.raises(InvalidPlan, check=has_message(BARE_LINK_BRIDGED)):
        plan_of(replace(net.request("baseline"), extension=NodeSteps(Topology.BRIDGED_NODES)))


def test_a_namespace_of_another_program_remains(net: NetBench) -> None:
    sh(net.sessions.b, "ip netns add tmk0node")
    try:
        request = replace(net.request("openvpn-udp"), extension=NodeSteps(Topology.ROUTED_NODES))
        with (
            pytest.raises(CommandFailed, match="Make the node"),
            temporary_tunnel(net.sessions, request, token=CancelToken(), on_stage=lambda *_: None, lease_s=60),
        ):
            pass
        assert "tmk0node" in sh(net.sessions.b, "ip netns list")
        assert "tmk0node" not in sh(net.sessions.a, "ip netns list")
    finally:
        sh(net.sessions.b, "ip netns del tmk0node")


def test_what_others_have_remains_where_a_hubs_clients_cannot_be_made(net: NetBench) -> None:
    request = net.request("baseline")
    plan = HubClients(3).extend(plan_of(request), request.link)
    network = clients_network(request.link)
    theirs = f"ip route add {network} via {request.link.underlay(Side.B)}", "ip netns add tmk0c2"
    for host, own, make, there, end in (
        (net.sessions.a, plan.a.steps[0], theirs[0], f"ip route show {network}", f"ip route del {network}"),
        (net.sessions.b, plan.b.steps[0], theirs[1], "ip netns list", "ip netns del tmk0c2"),
    ):
        sh(host, f"mkdir -p {request.link.run_dir} && {make}")
        try:
            before = sh(host, there)
            assert not host.run(own.command, token=CancelToken()).is_ok
            assert host.run(own.undo, token=CancelToken()).is_ok  # type: ignore[arg-type]
            assert sh(host, there) == before != ""
        finally:
            sh(host, end)
        assert host.run(own.command, token=CancelToken()).is_ok
        assert host.run(own.undo, token=CancelToken()).is_ok  # type: ignore[arg-type]
        sh(host, "rm -r /run/tunnelmark")


def test_killed_with_nodes_the_hosts_roll_back_when_the_lease_ends(net: NetBench, tmp_path: Path) -> None:
    settings = "cat /proc/sys/net/ipv4/conf/eth1/forwarding /proc/sys/net/ipv4/ip_forward; ip netns list"
    before = [sh(host, settings) for host in (net.sessions.a, net.sessions.b)]
    kill_tunnelmark(net, tmp_path, "standing", "openvpn-udp:nodes-bridged,baseline:nodes-routed", LEASE_S)
    assert sh(net.sessions.a, "ip netns list").split() != []
    sh(net.sessions.a, "ip netns exec tmk1node sh -c 'sleep 600 > /dev/null 2>&1 &'")  # it must not keep the namespace
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)
    assert [sh(host, settings) for host in (net.sessions.a, net.sessions.b)] == before


MACHINE = (
    "ip -o addr show dev lan0; ip -o link show dev lan0; ip route show table main; "
    "sysctl net.ipv4.tcp_congestion_control"
)


@pytest.fixture
def machines(net: NetBench) -> Iterator[NodesRequest]:
    """Both hosts as if they were machines behind gateways, with an interface towards these."""
    hosts = net.sessions.a, net.sessions.b
    for host in hosts:
        sh(host, "ip link add lan0 type veth peer name lan1; ip link set lan1 up; ip link set lan0 up")
        sh(host, "ip link set lan0 down")  # it has its queue from now on
    yield as_machines(net)
    for host in hosts:
        sh(host, "ip link del lan0")


def machine(net: NetBench) -> list[str]:
    return [sh(host, MACHINE) for host in (net.sessions.a, net.sessions.b)]


def test_machines_are_nodes_of_several_tunnels_and_as_before_afterwards(net: NetBench, machines: NodesRequest) -> None:
    before = machine(net)
    with node_machines(net.sessions, machines, token=CancelToken(), audit=None, lease_s=60):
        wait_until(lambda: "state UP" in machine(net)[0], "the interface, whose state the kernel reports later")
        a, _ = machine(net)
        assert "tcp_congestion_control = reno" in a
        for plan, link in machines.tunnels:
            own, peer = (node_addresses(link, Topology.ROUTED_NODES, side) for side in Side)
            gateway = own.gateway.partition("/")[0]
            mtu_bytes = node_mtu_bytes(plan)
            assert f"inet {own.node} " in a
            assert f"{peer.network} via {gateway} dev lan0 src {own.node_ip} mtu {mtu_bytes}" in a
    assert machine(net) == before


def test_a_machine_that_has_the_address_already_keeps_it(net: NetBench, machines: NodesRequest) -> None:
    _, link = machines.tunnels[1]
    own = node_addresses(link, Topology.ROUTED_NODES, Side.B).node
    sh(net.sessions.b, f"ip addr add {own} dev lan0")
    before = machine(net)
    with (
        pytest.raises(CommandFailed, match="is already there"),
        node_machines(net.sessions, machines, token=CancelToken(), audit=None, lease_s=60),
    ):
        pass
    assert machine(net) == before
    assert own in before[1]


def test_killed_with_machines_they_roll_back_when_the_lease_ends(
    net: NetBench, machines: NodesRequest, tmp_path: Path
) -> None:
    before = machine(net)
    assert machines.interfaces[Side.A] in before[0]
    kill_tunnelmark(net, tmp_path, "standing", MACHINES, LEASE_S)
    assert machine(net) != before
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)
    assert machine(net) == before
