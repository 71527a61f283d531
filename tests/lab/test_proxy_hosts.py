"""Proxies and settings of hosts made of namespaces: connections are really split, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import InvalidPlan, ProbeFailed
from app.domain.hosts import Side
from app.domain.link import WORKLOAD_PORT_STEP
from app.domain.messages import MessageForm
from app.domain.topology import ProxyPlace, Topology, node_addresses
from app.host.node_session import NodeSession
from app.measurement.application_run import set_congestion
from app.measurement.messages.studies import NODE_CONGESTION_REFUSED
from app.probes.iperf_server import IperfServer
from app.probes.transfer import Transferred, TransferRequest, transfer
from app.probes.workloads import WORKLOADS, WorkloadPath, two_flows
from app.probes.workloads.two_flows import FlowTimes, measure_flows
from app.tunnel import ActiveTunnel, plan_of, temporary_group
from app.tunnel.host_settings import CONGESTION_FILE
from app.tunnel.messages import PROXY_ON_BRIDGE, PROXY_WITHOUT_NODES, PROXY_WITHOUT_TCP
from app.tunnel.proxy import proxy_log
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_deploy import with_nodes
from support.lab_sessions import sh
from support.message_checks import has_message
from support.net_bench import NetBench
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("net_unchanged")

LEASE_S = 60
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""
BACK_S = 240.0
"""Time limit for a busy computer until both hosts are as before, in seconds."""
SIZE_BYTES = 3_000_000
STATE = f"cat {CONGESTION_FILE}; nft list tables; ip netns list; pgrep perl || :"


def move(net: NetBench, tunnel: ActiveTunnel) -> Transferred:
    """Move bytes from node B to node A."""
    a, b = (node_addresses(tunnel.link, Topology.ROUTED_NODES, side) for side in Side)
    nodes = SessionPair(NodeSession(net.sessions.a, a.namespace), NodeSession(net.sessions.b, b.namespace))
    token = CancelToken()
    with IperfServer(nodes.b, b.node_ip, tunnel.link.names.iperf_port, limit_s=240, token=token) as server:
        server.wait_until_listening()
        request = TransferRequest(a.node_ip, b.node_ip, server.ports[0], SIZE_BYTES, "cubic", 200)
        done = transfer(nodes.a, request, token=token)
        server.stop()
    return done


def splits(net: NetBench, tunnel: ActiveTunnel) -> list[list[str]]:
    log = sh(net.sessions.b, f"cat {proxy_log(tunnel.link)}")
    return [line.split() for line in log.splitlines()]


def up(net: NetBench, wanted: Mapping[str, ProxyPlace]) -> list:  # type: ignore[type-arg]
    return [with_nodes(net.request(name), "nodes-routed", place, "reno") for name, place in wanted.items()]


def test_a_proxy_inside_splits_the_nodes_and_one_outside_the_tunnel(net: NetBench) -> None:
    requests = up(net, {"openvpn-udp": ProxyPlace.INSIDE, "openvpn-tcp": ProxyPlace.OUTSIDE})
    requests.append(with_nodes(net.request("baseline"), "nodes-routed", ProxyPlace.INSIDE, "reno"))
    with temporary_group(net.sessions, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert not group.failures, [error.context for error in group.failures.values()]
        outside = splits(net, group.tunnels[1])
        assert [words[0] for words in outside] == ["split"]
        assert outside[0][3:] == ["reno", "reno"], "that of the gateways, from the beginning"
        assert outside[0][2] == f"{net.pair.underlay_a}:{group.tunnels[1].link.names.tcp_port}"
        for position in (0, 1, 2):
            done = move(net, group.tunnels[position])
            assert done.seconds is not None
            assert done.received_bytes >= SIZE_BYTES
            assert done.congestion == "cubic"
        for position in (0, 2):
            found = splits(net, group.tunnels[position])
            assert len(found) == 2  # iperf3's control connection, and that of the bytes
            assert all(words[3:] == ["reno", "reno"] for words in found)
        assert splits(net, group.tunnels[1]) == outside
        inside = splits(net, group.tunnels[0])
        port = group.tunnels[0].link.names.iperf_port + WORKLOAD_PORT_STEP
        asked = sh(
            net.sessions.b, f"timeout 20 bash -c 'exec 3<>/dev/tcp/{net.pair.underlay_b}/{port} && cat <&3' ; echo $?"
        )
        assert asked.split()[-1] == "0", "a connection that no rule sent to the proxy ends at once"
        assert splits(net, group.tunnels[0]) == inside


def test_a_proxy_with_its_own_congestion_control_leaves_that_of_the_host_and_of_the_tunnel(net: NetBench) -> None:
    before = sh(net.sessions.b, f"cat {CONGESTION_FILE}")
    assert before.strip() != "reno"
    places = (ProxyPlace.INSIDE, ProxyPlace.OUTSIDE)
    requests = [with_nodes(net.request("openvpn-tcp"), "nodes-routed", place, "", "reno") for place in places]
    with temporary_group(net.sessions, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert not group.failures, [error.context for error in group.failures.values()]
        assert sh(net.sessions.b, f"cat {CONGESTION_FILE}") == before
        inside, outside = group.tunnels[0], group.tunnels[1]
        done = move(net, inside)
        assert (done.seconds is not None, done.congestion) == (True, "cubic")
        for tunnel in (inside, outside):
            found = splits(net, tunnel)
            assert found
            assert all(words[3:] == ["reno", "reno"] for words in found), found
        own = sh(net.sessions.b, f"ss -tinH dport = :{inside.link.names.tcp_port}")
        assert own.strip()
        assert "reno" not in own, "the connection of the tunnel itself is not the proxy's"


def test_applications_run_between_nodes_and_a_proxy_inside_splits_their_connections(
    net: NetBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_flows, "_EDGE_S", 2.0)  # seconds of iperf3 may end late on a busy computer
    before = sh(net.sessions.b, f"cat {CONGESTION_FILE}")
    request = with_nodes(net.request("openvpn-udp"), "nodes-routed", ProxyPlace.INSIDE)
    token = CancelToken()
    with temporary_group(net.sessions, [request], token=token, on_stage=lambda *_: None, lease_s=240) as group:
        assert not group.failures, [error.context for error in group.failures.values()]
        tunnel = group.tunnels[0]
        a, b = (node_addresses(tunnel.link, Topology.ROUTED_NODES, side) for side in Side)
        nodes = SessionPair(NodeSession(net.sessions.a, a.namespace), NodeSession(net.sessions.b, b.namespace))
        for node in (nodes.a, nodes.b):
            set_congestion(node, "reno", token=token)
            assert sh(node, f"cat {CONGESTION_FILE}").strip() == "reno"
        assert sh(net.sessions.b, f"cat {CONGESTION_FILE}") == before, "the gateway has its own"
        with pytest.raises(ProbeFailed, check=has_message(NODE_CONGESTION_REFUSED, congestion="nothing")):
            set_congestion(nodes.a, "nothing", token=token)
        port, underlay = tunnel.link.names.iperf_port, (net.pair.underlay_a, net.pair.underlay_b)
        path = WorkloadPath(nodes, a.node_ip, b.node_ip, underlay, "", port, 0.0, token)
        assert WORKLOADS["web-page"].run(path)["page"] > 0
        assert {words[2] for words in splits(net, tunnel)} == {f"{b.node_ip}:{port + 2}"}
        assert WORKLOADS["voice"].run(path)["mos"] >= 1
        assert 0 <= measure_flows(path, FlowTimes(6, 2, 4))["second-share"] <= 100
        assert {words[2] for words in splits(net, tunnel)} == {f"{b.node_ip}:{port + nth}" for nth in range(3)}


def test_a_setting_remains_until_the_last_tunnel_that_needs_it_has_gone(net: NetBench) -> None:
    before = sh(net.sessions.a, f"cat {CONGESTION_FILE}")
    assert before.strip() != "reno"
    good = with_nodes(net.request("openvpn-udp"), "nodes-routed", "none", "reno")
    sh(net.sessions.b, "ip netns add tmk1node")  # so that the second one fails
    try:
        failing = with_nodes(net.request("openvpn-tcp"), "nodes-routed", "none", "reno")
        with temporary_group(
            net.sessions, [good, failing], token=CancelToken(), on_stage=lambda *_: None, lease_s=120
        ) as group:
            assert list(group.failures) == [1]
            assert sh(net.sessions.a, f"cat {CONGESTION_FILE}").strip() == "reno"
    finally:
        sh(net.sessions.b, "ip netns del tmk1node")
    assert sh(net.sessions.a, f"cat {CONGESTION_FILE}") == before


@pytest.mark.parametrize(
    ("solution", "topology", "place", "why"),
    [
        ("openvpn-tcp", "nodes-bridged", "B", PROXY_ON_BRIDGE),
        ("openvpn-udp", "nodes-routed", "A", PROXY_WITHOUT_TCP),
        ("openvpn-tcp", "pair", "B", PROXY_WITHOUT_NODES),
    ],
)
def test_a_proxy_that_cannot_be_sound_is_refused(
    net: NetBench, solution: str, topology: str, place: str, why: MessageForm
) -> None:
    with pytest.raises(InvalidPlan, check=has_message(why)):
        plan_of(with_nodes(net.request(solution), topology, place))


def test_killed_with_proxies_the_hosts_roll_back_when_the_lease_ends(net: NetBench, tmp_path: Path) -> None:
    before = [sh(host, STATE) for host in (net.sessions.a, net.sessions.b)]
    kill_tunnelmark(
        net, tmp_path, "standing", "openvpn-udp:nodes-routed:B:reno,openvpn-tcp:nodes-routed:A:reno", LEASE_S
    )
    assert [sh(host, STATE) for host in (net.sessions.a, net.sessions.b)] != before
    assert len(sh(net.sessions.b, "pgrep perl").split()) == 2
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)
    wait_until(lambda: [sh(host, STATE) for host in (net.sessions.a, net.sessions.b)] == before, "hosts as before")
