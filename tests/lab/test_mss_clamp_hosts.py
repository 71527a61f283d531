"""A deployment that fits TCP to the path, on hosts made of namespaces: from the dry run to the removal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, net_hosts
from support.waiting import wait_until

TABLE = "tunnelmark_mss_tml0"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts"), has_lan=True) as started:
        yield started


@pytest.fixture(scope="module")
def desk(hosts: NetHosts, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    opened = Desk(hosts, tmp_path_factory.mktemp("desk"))
    opened.know(hosts.pairs[0])
    return opened


def fragments(host: NetHost) -> int:
    """Return how many fragments a host has made. Source: RFC 4293, ipFragCreates."""
    names, values = (line.split() for line in host.run("grep ^Ip: /proc/net/snmp").splitlines())
    return int(values[names.index("FragCreates")])


@pytest.mark.full
def test_tcp_between_joined_lans_is_not_fragmented_until_the_tunnel_is_removed(hosts: NetHosts, desk: Desk) -> None:
    (pair,) = hosts.pairs
    before = {side: pair.host(side).run("nft list ruleset") for side in Side}
    words = ("deploy", pair.name, "openvpn-udp", "--bridge", "A=lan0", "--bridge", "B=lan0", "--mtu", "fit")
    done = desk.tunnelmark(*words)
    assert done.status == 0, done.err
    assert done.out.count("Clamp TCP's MSS to ") == 2
    assert all(TABLE in host.run("nft list tables") for host in pair.hosts)
    pair.b.in_plant("iperf3 -s -1 -D --logfile /dev/null")
    was = [fragments(host) for host in pair.hosts]
    pair.a.in_plant("iperf3 -c 10.77.0.2 -n 2M -M 1460")
    assert [fragments(host) for host in pair.hosts] == was
    pair.a.in_plant("ping -c 2 -i 0.2 -M do -s 1472 10.77.0.2")
    assert all(now > former for now, former in zip(map(fragments, pair.hosts), was, strict=True))
    for host in pair.hosts:
        host.run(f"nft delete table bridge {TABLE}")
    wait_until(lambda: all(TABLE in host.run("nft list tables") for host in pair.hosts), "made again", timeout_s=15)
    ended = desk.tunnelmark("undeploy", pair.name)
    assert ended.status == 0, ended.err
    wait_until_nothing_is_left(pair.hosts)
    assert {side: pair.host(side).run("nft list ruleset") for side in Side} == before
