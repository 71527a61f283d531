"""Keepalive of deployments on hosts made of namespaces: what an idle tunnel costs, and that it comes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.link import Link
from app.host.snapshots import SnapshotDepth
from support.bare_tunnel import build, ping, tunnels_made
from support.lab_deploy import wait_until_as_before
from support.lab_deployment import Desk, desk_for
from support.lab_sessions import sh
from support.net_bench import NetBench
from support.net_desk import wait_until_nothing_is_left
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS

IDLE_S, CYCLE_S = 30.0, 60.0
"""So long bytes are counted; in a cycle each supervisor of a metered tunnel asks once, or twice."""
QUIET_S = 12.0
"""Longer than any pause of a supervisor that asks often."""
NOTICED_S = 150.0
"""Within this a lost tunnel is back: a minute, B's patience and its start, on a busy computer."""


def datagrams(host: HostSession) -> int:
    """Return how many datagrams of UDP a host has sent. Source: RFC 4113, udpOutDatagrams."""
    names, values = (line.split() for line in sh(host, "grep ^Udp: /proc/net/snmp").splitlines())
    return int(values[names.index("OutDatagrams")])


def sent_within(hosts: Sequence[HostSession], for_s: float) -> list[int]:
    """Return how many datagrams of UDP each host sends in some seconds."""
    before = [datagrams(host) for host in hosts]
    CancelToken().sleep(for_s)
    return [datagrams(host) - former for host, former in zip(hosts, before, strict=True)]


def sent_bytes(host: HostSession) -> int:
    """Return how many bytes a host has sent on the underlay, which nothing but tunnels uses; see `net_hosts`."""
    return int(sh(host, "cat /sys/class/net/eth1/statistics/tx_bytes"))


def test_a_metered_vpn_sends_almost_nothing_by_itself_while_frames_cross_as_before(net: NetBench) -> None:
    hosts = (net.sessions.a, net.sessions.b)
    with tunnels_made(net.sessions, net.facts, Link(*net.hosts.addresses)) as make:
        tunnel = make(ADAPTERS["openvpn-udp"])
        tunnel.request = replace(tunnel.request, keepalive=Keepalive.METERED)
        build(tunnel)
        # A wired one's sides send one every 2 s each. On a busy computer, acknowledgements of its start may be late.
        wait_until(lambda: sum(sent_within(hosts, 5.0)) < 4, "5 s without keepalive")
        after = [datagrams(host) for host in hosts]
        assert ping(hosts[0], tunnel.plan.probe_address_b) >= 10
        assert all(now >= former + 10 for now, former in zip(map(datagrams, hosts), after, strict=True))


@pytest.mark.full
@pytest.mark.parametrize("name", ["openvpn-tcp", "tinc", "ssh"])
def test_the_other_vpns_of_user_space_send_less_as_well(name: str, net: NetBench) -> None:
    hosts = (net.sessions.a, net.sessions.b)
    sent = {}
    for keepalive in Keepalive:
        with tunnels_made(net.sessions, net.facts, Link(*net.hosts.addresses)) as make:
            tunnel = make(ADAPTERS[name])
            tunnel.request = replace(tunnel.request, keepalive=keepalive)
            build(tunnel)
            assert ping(hosts[0], tunnel.plan.probe_address_b) >= 10
            CancelToken().sleep(15)  # tinc finds out the path's MTU
            before = sum(map(sent_bytes, hosts))
            CancelToken().sleep(15)
            sent[keepalive] = sum(map(sent_bytes, hosts)) - before
    print(f"{name}: {sent}")
    assert sent[Keepalive.METERED] < sent[Keepalive.WIRED] / 3


@pytest.fixture
def desk(net: NetBench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Every test leaves both hosts as they were."""
    before = net.inspect(SnapshotDepth.THOROUGH)
    with desk_for(net.pair, tmp_path_factory.mktemp("desk")) as opened:
        yield opened
        if opened.status().state is not None:
            assert opened.undeploy().state is DeploymentState.REMOVED
    wait_until_nothing_is_left(net.hosts.hosts)
    wait_until_as_before(net.sessions, before)


def underlay_bytes(desk: Desk) -> int:
    return sum(sent_bytes(desk.host(side)) for side in Side)


def sent_while_idle(desk: Desk, for_s: float = IDLE_S) -> int:
    before = underlay_bytes(desk)
    CancelToken().sleep(for_s)
    return underlay_bytes(desk) - before


def wait_until_asked_rarely(desk: Desk) -> None:
    """Wait until the supervisors of a metered tunnel send nothing for longer than those of a wired one would."""

    def is_quiet() -> bool:
        before = underlay_bytes(desk)
        CancelToken().sleep(QUIET_S)
        return underlay_bytes(desk) - before < 200  # ARP alone

    CancelToken().wait_for(is_quiet, timeout_s=180, what="rare questions")


@pytest.mark.full
def test_an_idle_metered_deployment_costs_less_than_a_third_and_comes_back(desk: Desk) -> None:
    assert desk.deploy("openvpn-udp").state is DeploymentState.CONFIRMED
    desk.wait_until_healthy()
    CancelToken().sleep(5)  # a status is read with pings
    wired = sent_while_idle(desk)

    metered = desk.deploy("openvpn-udp", DeploymentOptions(keepalive=Keepalive.METERED))
    assert (metered.state, metered.options.keepalive) == (DeploymentState.CONFIRMED, Keepalive.METERED)
    desk.wait_until_healthy()
    assert "idle_s=55" in sh(desk.host(Side.A), f"cat /etc/tunnelmark/{metered.slot}/{metered.id}/about.sh")
    CancelToken().sleep(5)
    settling = sent_while_idle(desk)
    assert settling > wired / 2, "until it has answered for a while it is asked as often"
    wait_until_asked_rarely(desk)
    rare = sent_while_idle(desk, CYCLE_S) * IDLE_S / CYCLE_S
    print(f"sent in {IDLE_S:g} s by both hosts: wired {wired} B, settling {settling} B, metered {rare:g} B")
    assert 0 < rare < wired / 3

    # A's supervisor sees its own daemon's end at once; B's hears of it with its next question.
    assert sh(desk.host(Side.A), "pkill -KILL -x openvpn; echo $?").strip() == "0"
    took_s = desk.wait_until_healthy(NOTICED_S)
    print(f"healthy {took_s:.0f} s after A's daemon was killed")
    assert desk.status().a.restarts >= 1
    # B's hangs: nothing of it ends.
    assert sh(desk.host(Side.B), "pkill -STOP -x openvpn; echo $?").strip() == "0"
    took_s = desk.wait_until_healthy(NOTICED_S)
    print(f"healthy {took_s:.0f} s after B's daemon was stopped")
    assert desk.status().b.restarts >= 1
