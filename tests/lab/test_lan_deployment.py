"""Deployment on LAN ports that have addresses of their own, on hosts made of namespaces."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Mapping

import pytest

from app.domain.hosts import Side
from app.domain.link_protocols import BETWEEN_LANS, ProtocolVerdict
from app.host.snapshots import HostSnapshot, compare_snapshots
from support.lab_sessions import answered_pings, until_answered
from support.lan_connection import segments
from support.lan_frames import groups_between_lans, protocols_between_lans
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHosts, NetPair, net_hosts
from support.waiting import wait_until

BRIDGED = ("--bridge", "A=lan0", "--bridge", "B=lan0")
OLD = ("--reason", "the plant has nothing else")


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


def inspect(pair: NetPair) -> Mapping[Side, HostSnapshot]:
    return {side: pair.host(side).inspect() for side in Side}


def differences(pair: NetPair, before: Mapping[Side, HostSnapshot]) -> list[str]:
    return [text for side, after in inspect(pair).items() for text in compare_snapshots(before[side], after)]


def addresses(pair: NetPair, side: Side, device: str) -> list[str]:
    return pair.host(side).run(f"ip -o -4 addr show dev {device} | sed 's/.* inet \\([^ ]*\\) .*/\\1/'").split()


def check_protocols(pair: NetPair) -> None:
    """Check which link-layer protocols cross joined LANs, and that a bridge can be set to forward the others."""
    for sender in Side:
        assert protocols_between_lans(pair, sender) == BETWEEN_LANS
    assert groups_between_lans(pair, Side.A) == {0x00}
    for host in pair.hosts:
        host.run("ip link set dev tmlbr0 type bridge group_fwd_mask 0x4000")
    assert set(protocols_between_lans(pair, Side.A).values()) == {ProtocolVerdict.CROSSES}
    assert groups_between_lans(pair, Side.A) == {0x00, 0x0E}


def fragments(pair: NetPair) -> int:
    """Return how many IPv4 fragments both hosts have made."""
    lines = [host.run("grep ^Ip: /proc/net/snmp").splitlines() for host in pair.hosts]
    return sum(int(figures.split()[names.split().index("FragCreates")]) for names, figures in lines)


def check_fragments(hosts: NetHosts, pair: NetPair) -> None:
    """Check that connections between the LANs make no fragments, and that frames of full size still cross."""
    address = pair.hosts[0].in_plant("ip -o -4 addr show dev port").split()[3].partition("/")[0]
    before = fragments(pair)
    for size in segments(hosts.world, "plant1", "plant2", address, size=1_000_000):
        assert 1_300 < size < 1_448
    assert fragments(pair) == before
    pair.hosts[1].in_plant(answered_pings(address, "-M do -s 1472", count=2))
    assert fragments(pair) >= before + 8, "two requests and two replies, in two pieces each"


def test_lans_are_joined_only_while_they_are_apart_and_every_address_is_reached_and_comes_back(
    hosts: NetHosts, desk: Desk
) -> None:
    (pair,) = hosts.pairs
    before = inspect(pair)
    own = {side: addresses(pair, side, "lan0") for side in Side}
    assert [len(one) for one in own.values()] == [2, 2]
    done = desk.tunnelmark("deploy", pair.name, "openvpn-udp")
    assert done.status == 0, done.err
    # Meanwhile a user joins the LANs: a deployment without them is not replaced by one that would make a loop.
    hosts.world.run(
        "ip link add cable1 netns plant1 type veth peer name cable2 netns plant2;"
        "for end in 1 2; do ip -n plant$end link set cable$end master port up; done"
    )
    refused = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED)
    hosts.world.run("ip -n plant1 link del cable1")
    assert refused.status not in (0, 70)
    reported = " ".join(refused.err.split())
    assert "joined already" in reported
    assert "without any tunnel" in reported
    assert "would make a loop" in reported
    wait_until(lambda: desk.tunnelmark("status", pair.name).status == 0, "what was there, which goes on")
    replaced = desk.tunnelmark("deploy", pair.name, "tinc", *BRIDGED, *OLD, "--mtu", "fit")
    assert replaced.status == 0, replaced.err
    for side in Side:
        assert addresses(pair, side, "lan0") == []
        assert set(own[side]) < set(addresses(pair, side, "tmlbr0"))
        for address in own[side]:
            # From the LAN behind it, and through the tunnel from the other one.
            for host in pair.hosts:
                host.in_plant(until_answered(address.partition("/")[0]))
    check_fragments(hosts, pair)
    check_protocols(pair)
    ended = desk.tunnelmark("undeploy", pair.name)
    assert ended.status == 0, ended.err
    wait_until(lambda: differences(pair, before) == [], "both hosts as before")
    wait_until_nothing_is_left(pair.hosts)


def knock(pair: NetPair, nth: int, port: int) -> bool:
    """Whether a connection from the LAN of a host to A's LAN address is answered, by a refusal."""
    address = addresses_of_lan(pair)
    script = f"import socket\ns = socket.socket()\ns.settimeout(1)\nprint(s.connect_ex(('{address}', {port})))"
    return pair.hosts[nth].in_plant(f'{sys.executable} -c "{script}"').strip() == str(errno.ECONNREFUSED)


def addresses_of_lan(pair: NetPair) -> str:
    """Return the first address of A's LAN, on whatever interface it is now."""
    found = {one for device in ("lan0", "tmlbr0") for one in addresses_or_none(pair, device)}
    return next(one.partition("/")[0] for one in sorted(found) if one.startswith("10.77.0.10"))


def addresses_or_none(pair: NetPair, device: str) -> list[str]:
    has_it = pair.host(Side.A).run(f"ls /sys/class/net/{device} 2> /dev/null || :")
    return addresses(pair, Side.A, device) if has_it else []


RULES = """table inet plant {
    set lans { type ifname; elements = { "lan0" }
    }
    chain in {
        type filter hook input priority 0; policy accept;
        iifname "lan0" tcp dport 8080 drop
        iifname @lans tcp dport 8081 drop
    }
}
"""


@pytest.mark.full
def test_rules_that_name_a_port_wait_for_a_person_or_are_moved_and_come_back(hosts: NetHosts, desk: Desk) -> None:
    (pair,) = hosts.pairs
    a = pair.host(Side.A)
    load = f"cat > /run/plant.nft << 'END'\n{RULES}END\nnft -f /run/plant.nft"
    a.run(load)
    before, plant = a.run("nft -s list ruleset"), a.run("nft -s list table inet plant")
    assert [knock(pair, 0, port) for port in (8080, 8081)] == [False, False]
    wait_until(lambda: knock(pair, 0, 8082), "an answer of the port without a rule")
    waiting = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED)
    assert waiting.status != 0, waiting.err
    assert "2 rules name the LAN port lan0" in " ".join(waiting.err.split())
    assert "--move-lan-rules" in waiting.err
    assert "Confirm it with" in waiting.err, waiting.err
    confirmed = desk.tunnelmark("confirm", pair.name)
    assert confirmed.status == 0, confirmed.err
    wait_until(lambda: all(knock(pair, nth, 8080) for nth in (0, 1)), "answers beside the rules")
    moving = ("deploy", pair.name, "openvpn-udp", *BRIDGED, "--move-lan-rules")
    shown = desk.tunnelmark(*moving, "--dry-run")
    assert 'nft: rule in inet plant in: iifname "tmlbr0" tcp dport 8080 drop' in " ".join(shown.out.split())
    assert a.run("nft -s list table inet plant") == plant
    moved = desk.tunnelmark(*moving)
    assert moved.status == 0, moved.err
    closed = [(nth, port) for nth in (0, 1) for port in (8080, 8081)]
    assert [knock(pair, *one) for one in closed] == [False] * 4
    wait_until(lambda: knock(pair, 1, 8082), "an answer of the port without a rule")
    # A reload of the firewall.
    a.run("nft flush ruleset; nft -f /run/plant.nft")
    listed = 'until nft list ruleset | grep -q "lan 2\\""; do sleep 0.2; done'
    a.run(f"timeout 120 sh -c '{listed}'")
    assert [knock(pair, *one) for one in closed] == [False] * 4
    ended = desk.tunnelmark("undeploy", pair.name)
    assert ended.status == 0, ended.err
    assert a.run("nft -s list ruleset") == before
    a.run("nft flush ruleset; rm /run/plant.nft")
    wait_until_nothing_is_left(pair.hosts)
