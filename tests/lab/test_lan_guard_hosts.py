"""Deployments whose joined LANs are joined elsewhere later, on hosts made of namespaces."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from app.domain.hosts import Side
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, NetPair, net_hosts
from support.waiting import wait_until

BRIDGED = ("--bridge", "A=lan0", "--bridge", "B=lan0")
TABLE = "tunnelmark_lan_tml0"


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


def has_table(host: NetHost) -> bool:
    return TABLE in host.run("nft list tables")


def is_parted(host: NetHost) -> bool:
    return has_table(host) and "elements = {" in host.run(f"nft list table bridge {TABLE}")


def status(desk: Desk, pair: NetPair) -> tuple[int, dict[str, Any]]:
    done = desk.tunnelmark("status", pair.name, "--json")
    found: dict[str, Any] = json.loads(done.out)
    return done.status, found


def logs(host: NetHost) -> str:
    return host.run("cat /run/tunnelmark-*/.lasting/log 2> /dev/null || :")


def has_noted_table(host: NetHost) -> bool:
    return "had gone and was made again: Part the LANs" in logs(host)


def restarts(pair: NetPair) -> list[str]:
    """Return what the services have written, where one of them has started its end again."""
    reported = [logs(host) for host in pair.hosts]
    return reported if any("starting the tunnel again" in text for text in reported) else []


def received(host: NetHost) -> int:
    """Return how many frames the LAN port has received."""
    return int(host.run("cat /sys/class/net/lan0/statistics/rx_packets"))


def crosses(pair: NetPair) -> bool:
    ping = "ping -c 1 -W 1 10.77.0.2 > /dev/null && echo yes || echo no"
    return pair.a.in_plant(ping) == "yes\n"


@pytest.mark.full
def test_a_loop_made_later_parts_the_lans_and_they_are_joined_again_when_it_has_gone(
    hosts: NetHosts, desk: Desk
) -> None:
    (pair,) = hosts.pairs
    before = {side: pair.host(side).run("nft list ruleset") for side in Side}
    shown = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED, "--block-dhcp", "--dry-run")
    assert "Firewall: Part the LANs while a loop joins them, at most 1000 broadcasts/s, no DHCP" in shown.out
    done = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED)
    assert done.status == 0, done.err
    assert restarts(pair) == []
    assert crosses(pair)
    hosts.world.run(
        "ip link add cable1 netns plant1 type veth peer name cable2 netns plant2;"
        "for end in 1 2; do ip -n plant$end link set cable$end master port up; done"
    )
    pair.a.in_plant("ping -c 1 -W 1 10.77.0.99 > /dev/null || :")
    wait_until(lambda: any(is_parted(host) for host in pair.hosts), "parted LANs")
    before_s, frames = time.monotonic(), received(pair.a)
    for _ in range(5):
        pair.a.in_plant("ping -c 1 -W 1 10.77.0.99 > /dev/null || :")
    per_s = (received(pair.a) - frames) / (time.monotonic() - before_s)
    assert per_s < 100, "no storm"
    wait_until(lambda: any("own frames come back" in logs(host) for host in pair.hosts), "a line in a log")
    code, seen = status(desk, pair)
    assert code != 0
    assert [seen[side]["is_up"] for side in ("a", "b")] == [True, True]
    parted = next(end for end in (seen["a"], seen["b"]) if end["is_looped"])
    assert parted["looped_since"] is not None
    assert any("are parted since " in one and "own frames come back to" in one for one in seen["sentences"])
    time.sleep(10)
    assert any(is_parted(host) for host in pair.hosts)
    hosts.world.run("ip -n plant1 link del cable1")
    assert not crosses(pair)
    wait_until(lambda: not any(is_parted(host) for host in pair.hosts), "joined LANs")
    wait_until(lambda: crosses(pair), "frames to cross again")
    noticed = [host for host in pair.hosts if "come back:" in logs(host)]
    wait_until(lambda: all("joined again" in logs(host) for host in noticed), "a line in each log")
    assert status(desk, pair)[0] == 0
    assert restarts(pair) == []
    for host in pair.hosts:
        host.run("nft flush ruleset")
        wait_until(partial(has_table, host), "the table made again")
        wait_until(partial(has_noted_table, host), "a line in the log")
    assert restarts(pair) == []
    assert status(desk, pair)[0] == 0
    ended = desk.tunnelmark("undeploy", pair.name)
    assert ended.status == 0, ended.err
    wait_until_nothing_is_left(pair.hosts)
    assert {side: pair.host(side).run("nft list ruleset") for side in Side} == before
