"""Nodes that are virtual machines: their way through tunnels, and four machines as before, also after a kill."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from program import PROGRAM

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from app.domain.node_study import NodeResult
from app.domain.topology import Topology, node_addresses
from app.host.snapshots import SnapshotDepth
from app.lab import Lab, LabManager, LabSpec
from app.measurement.node_machines import NodeMachines
from app.measurement.node_study_run import NodeChoice, NodePart, NodeStudyRun, ProtectedNodes
from app.measurement.tunnels import DeployedTunnels
from app.ranking.node_study import node_settings
from app.tunnel import temporary_group
from app.tunnel.host_settings import HostSettings
from app.tunnel.node_machines import NodesRequest, node_machines
from app.tunnel.nodes import NodeSteps
from support.killing import wait_until_back
from support.lab_deploy import Bench, differences, find_out, inspect
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS, NODE_PROTECTIONS

pytestmark = pytest.mark.full

BACK_S = 240.0
"""Time limit for a busy computer until all hosts are as before after a lease of 60 s, in seconds."""
UP_S = 240.0
STATE = (
    "ip -o addr show | sed 's/valid_lft.*//'; ip -o link show | sed 's/qdisc.* state//; s/qlen.*group//'; "
    "ip route; ip netns list; "
    "nft list tables; cat /proc/sys/net/ipv4/conf/eth*/forwarding /proc/sys/net/ipv4/ip_forward "
    "/proc/sys/net/ipv6/conf/eth*/disable_ipv6 /proc/sys/net/ipv4/tcp_congestion_control "
    "/sys/module/tcp_cubic/parameters/hystart; ls /run | grep tunnelmark || true"
)


@pytest.fixture(scope="module")
def lab_with_nodes(has_qemu: None, lab_manager: LabManager) -> Iterator[Lab]:
    spec = LabSpec(f"nodes-{os.getpid()}", has_nodes=True)
    yield lab_manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    lab_manager.down(spec.name)


@contextmanager
def logged_in(lab: Lab, folder: Path) -> Iterator[tuple[SessionPair, SessionPair]]:
    """Log in to both gateways and both nodes for the length of a block."""
    nodes = lab.pair.nodes
    machines = PairSpec("nodes", nodes[Side.A].host, nodes[Side.B].host, "192.0.2.1", "192.0.2.2")
    for name in ("gateways", "nodes"):
        (folder / name).mkdir()
    with connected(lab, folder / "gateways") as gateways, connected(machines, folder / "nodes") as found:
        yield gateways, found


def answers(node: HostSession, address: str) -> int:
    return sh(node, f"ping -n -c 5 -i 0.2 -W 2 -s 1300 {address}").count("bytes from")


def test_machines_reach_each_other_through_each_tunnel_and_four_hosts_are_as_before(
    lab_with_nodes: Lab, tmp_path: Path
) -> None:
    with logged_in(lab_with_nodes, tmp_path) as (gateways, machines):
        bench = Bench(lab_with_nodes.pair, gateways, find_out(gateways))
        for host, interface in ((gateways.a, "eth2"), (gateways.b, "eth2"), (machines.a, "eth1"), (machines.b, "eth1")):
            # It has its queue from now on. virtio-net announces the link of a restored machine then, and Linux 6.12
            # hangs for good where it is taken down meanwhile.
            sh(host, f"ip link set {interface} up; sleep 2; ip link set {interface} down")
        before = [inspect(one, SnapshotDepth.THOROUGH) for one in (gateways, machines)]
        settings = [sh(one, STATE) for one in (gateways.a, gateways.b, machines.a, machines.b)]
        nodes = lab_with_nodes.pair.nodes
        steps = NodeSteps(Topology.ROUTED_NODES, {side: one.gateway_interface for side, one in nodes.items()})
        requests = [replace(bench.request(name), extension=steps) for name in ("wireguard", "openvpn-tcp", "baseline")]
        with temporary_group(gateways, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
            assert {nth: error.sentence() for nth, error in group.failures.items()} == {}
            tunnels = list(group.tunnels.values())
            wanted = NodesRequest(
                {side: one.interface for side, one in nodes.items()},
                [(one.plan, one.link) for one in tunnels],
                HostSettings("bbr", has_hystart=False),
            )
            with node_machines(machines, wanted, token=CancelToken(), audit=None, lease_s=120):
                for tunnel in tunnels:
                    a, b = (node_addresses(tunnel.link, Topology.ROUTED_NODES, side) for side in Side)
                    interface = tunnel.plan.a.interface or "eth1"
                    count = f"cat /sys/class/net/{interface}/statistics/tx_packets"
                    sent = int(sh(gateways.a, count))
                    assert answers(machines.a, b.node_ip) == 5
                    assert answers(machines.b, a.node_ip) == 5
                    assert int(sh(gateways.a, count)) - sent >= 10, tunnel.plan.solution
        assert [sh(one, STATE) for one in (gateways.a, gateways.b, machines.a, machines.b)] == settings
        after = [inspect(one, SnapshotDepth.THOROUGH) for one in (gateways, machines)]
        assert [differences(*one) for one in zip(before, after, strict=True)] == [[], []]


def test_a_killed_study_leaves_nothing_on_gateways_and_nodes(
    lab_with_nodes: Lab, environment: dict[str, str], tmp_path: Path
) -> None:
    words = ("--nodes", "machines", "--solutions", "wireguard")
    with logged_in(lab_with_nodes, tmp_path) as (gateways, machines):
        hosts = gateways.a, gateways.b, machines.a, machines.b
        before = [sh(one, STATE) for one in hosts]
        with subprocess.Popen(
            [PROGRAM, "study", "run", "satcom-2021", f"lab:{lab_with_nodes.spec.name}", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                CancelToken().wait_for(
                    lambda: process.poll() is not None or "inet 198." in sh(machines.b, "ip -o addr show dev eth1"),
                    timeout_s=UP_S,
                    what="the nodes",
                )
                assert process.poll() is None
            finally:
                process.kill()
        for pair in (gateways, machines):
            wait_until_back(pair, timeout_s=BACK_S)
        assert [sh(one, STATE) for one in hosts] == before


def choice_of(name: str, bench: Bench) -> NodeChoice:
    setting = next(one for one in node_settings() if one.name == name)
    carrier, protection = ADAPTERS[setting.carrier], NODE_PROTECTIONS[setting.protection]
    suite = next(one for one in carrier.suites(*bench.facts) if one.is_default)
    own = protection.suite(*bench.facts, setting.suite)
    assert own is not None
    nodes = ProtectedNodes(protection, own, setting.place)
    return NodeChoice(setting, protection.around(carrier, setting.place), suite, nodes)


@pytest.mark.parametrize("name", ["macsec-over-wireguard", "macsec-plus-wireguard"])
def test_frames_of_bridged_machines_are_protected_and_four_hosts_are_as_before(
    lab_with_nodes: Lab, tmp_path: Path, name: str
) -> None:
    results: list[NodeResult] = []
    with logged_in(lab_with_nodes, tmp_path) as (gateways, machines):
        hosts = gateways.a, gateways.b, machines.a, machines.b
        bench = Bench(lab_with_nodes.pair, gateways, find_out(gateways))
        before = [sh(one, STATE) for one in hosts]
        facts = {side.value: one for side, one in zip(Side, bench.facts, strict=True)}
        link = Link(bench.pair.underlay_a, bench.pair.underlay_b)
        tunnels = DeployedTunnels(bench.pair, gateways, link, facts, (), lambda _: None, minds_firewalls=False)
        nodes = NodeMachines("nodes", bench.pair.nodes, machines, find_out(machines)[0], lambda _: None)
        part = NodePart(rounds=1, pings=20, seconds=1)
        NodeStudyRun(
            *([choice_of(name, bench)], part, frozenset(), gateways, facts, tunnels, ()),
            *(lambda _: None, results.append, CancelToken()),
            machines=nodes,
        ).run()
        assert [sh(one, STATE) for one in hosts] == before
    (found,) = results
    assert found.message == ""
    assert found.has_figures
    assert found.hops is not None
    assert found.hops.is_proof
    assert found.hops.answered == found.hops.sent
    assert {one.accepted > 0 for one in found.hops.injected} == {False}
