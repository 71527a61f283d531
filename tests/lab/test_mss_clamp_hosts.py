"""A deployment that fits TCP to the path, on hosts made of namespaces: from the dry run to the removal."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, NetPair, net_hosts
from support.waiting import wait_until

pytestmark = pytest.mark.full

TABLE = "tunnelmark_mss_tml0"
BRIDGED = ("--bridge", "A=lan0", "--bridge", "B=lan0")
FITTED = ("--mtu", "fit")
# Tinc fragments what does not fit, and tells no sender of it; OpenVPN lowers the MSS by itself.
TINC = ("tinc", "--reason", "the plant has nothing else")
_LEASES_S = 120.0


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


@pytest.fixture
def pair(hosts: NetHosts, desk: Desk) -> Iterator[NetPair]:
    """Both hosts, which a test leaves as they were, rules of the firewall included."""
    (one,) = hosts.pairs
    before = [host.run("nft list ruleset") for host in one.hosts]
    yield one
    wait_until_nothing_is_left(one.hosts, timeout_s=_LEASES_S)
    assert [host.run("nft list ruleset") for host in one.hosts] == before


def deploy(desk: Desk, pair: NetPair, *words: str) -> str:
    """Deploy, and return what was printed."""
    done = desk.tunnelmark("deploy", pair.name, *words)
    assert done.status == 0, done.err
    return done.out


def undeploy(desk: Desk, pair: NetPair) -> str:
    """Remove the deployment, and return what was printed."""
    done = desk.tunnelmark("undeploy", pair.name)
    assert done.status == 0, done.err
    return " ".join((done.out + done.err).split())


def clamps(host: NetHost) -> list[tuple[str, str]]:
    """Return family and name of the tables on a host that clamp the MSS."""
    return re.findall(r"^table (\w+) (tunnelmark_mss_\w+)$", host.run("nft list tables"), re.MULTILINE)


def sizes(host: NetHost) -> list[str]:
    """Return the sizes in the table of a joined host."""
    return re.findall(r"size set (\d+)", host.run(f"nft list table bridge {TABLE}"))


def are_all_clamped(pair: NetPair) -> bool:
    return all(clamps(host) == [("bridge", TABLE)] for host in pair.hosts)


def fragments(host: NetHost) -> int:
    """Return how many fragments a host has made. Source: RFC 4293, ipFragCreates."""
    names, values = (line.split() for line in host.run("grep ^Ip: /proc/net/snmp").splitlines())
    return int(values[names.index("FragCreates")])


def listens(host: NetHost) -> bool:
    """Whether a server of iperf3 listens in the plant of a host."""
    return host.in_plant("ss -Htln 'sport = :5201'").strip() != ""


def fragments_of_transfer(pair: NetPair) -> int:
    """Send TCP in both directions between the plants, and return how many fragments that took."""
    was = sum(map(fragments, pair.hosts))
    for way in ("", "-R"):
        wait_until(lambda: not listens(pair.b), "the end of the former server")
        pair.b.in_plant("iperf3 -s -1 -D --logfile /dev/null")
        wait_until(lambda: listens(pair.b), "a server")
        pair.a.in_plant(f"iperf3 -c 10.77.0.2 -n 1M -M 1460 {way}")
    return sum(map(fragments, pair.hosts)) - was


def found(desk: Desk, pair: NetPair) -> tuple[int, dict[str, dict[str, object]]]:
    """Return the exit status of `status`, and what fits TCP to the path, by side."""
    done = desk.tunnelmark("status", pair.name, "--json")
    data = json.loads(done.out)
    return done.status, {side.value: data[side.value]["clamp"] for side in Side}


def test_tcp_between_joined_lans_is_not_fragmented_until_the_tunnel_is_removed(desk: Desk, pair: NetPair) -> None:
    deploy(desk, pair, *TINC, *BRIDGED)
    assert fragments_of_transfer(pair) > 100
    assert deploy(desk, pair, *TINC, *BRIDGED, *FITTED).count("Clamp TCP's MSS to ") == 2
    assert are_all_clamped(pair)
    assert fragments_of_transfer(pair) == 0
    was = [fragments(host) for host in pair.hosts]
    pair.a.in_plant("ping -c 2 -i 0.2 -M do -s 1472 10.77.0.2")
    assert all(now > former for now, former in zip(map(fragments, pair.hosts), was, strict=True))

    (wanted,) = {tuple(sizes(host)) for host in pair.hosts}
    there = {"mss_ipv4_bytes": int(wanted[0]), "mss_ipv6_bytes": int(wanted[1]), "is_there": True, "has_nft": True}
    wait_until(lambda: found(desk, pair) == (0, {"a": there, "b": there}), "a healthy tunnel")
    # Gone on one host, made with another size by hand on the other one.
    pair.a.run(f"nft delete table bridge {TABLE}")
    pair.b.run(f"nft list table bridge {TABLE} | sed s/{wanted[0]}/1200/g > /run/other")
    changed = pair.b.run(f"nft delete table bridge {TABLE}; nft -f /run/other; nft list table bridge {TABLE}")
    assert "size set 1200" in changed
    pair.b.run("rm /run/other")
    wait_until(lambda: are_all_clamped(pair) and all(tuple(sizes(host)) == wanted for host in pair.hosts), "made anew")
    wait_until(lambda: found(desk, pair) == (0, {"a": there, "b": there}), "a healthy tunnel")
    restarts = pair.b.run("cat /run/tunnelmark-*/.lasting/restarts 2> /dev/null || :").split()
    assert set(restarts) <= {"0"}, "the tunnel went on"
    undeploy(desk, pair)


def mtu(host: NetHost) -> int:
    """Return the MTU of a host's tunnel."""
    return int(host.run("cat /sys/class/net/tml0/mtu"))


def pinged(pair: NetPair, mtu_bytes: int) -> tuple[bool, int]:
    """Ping through the tunnel with packets of one size that may not be fragmented.

    Returns:
        Whether the kernel sends them, and how many outer fragments it took.
    """
    was = sum(map(fragments, pair.hosts))
    payload = mtu_bytes - 28  # RFC 791, RFC 792
    peer = pair.b.run("ip -4 -o addr show dev tml0").split()[3].partition("/")[0]
    out = pair.a.run(f"ping -c 3 -i 0.2 -W 2 -M do -s {payload} {peer} 2>&1 || :")
    return "3 received" in out and "too long" not in out, sum(map(fragments, pair.hosts)) - was


def test_between_gateways_no_frame_is_fragmented_and_the_mtu_is_set_again(desk: Desk, pair: NetPair) -> None:
    deploy(desk, pair, *TINC)
    assert [mtu(host) for host in pair.hosts] == [1500, 1500]
    crossed, made = pinged(pair, 1500)
    assert crossed
    assert made >= 6, "both ways"
    done = desk.tunnelmark("deploy", pair.name, *TINC, *FITTED)
    assert done.status == 0, done.err
    printed = " ".join((done.out + done.err).split())
    (fitted,) = {mtu(host) for host in pair.hosts}
    assert 1280 <= fitted < 1500
    assert printed.count(f"Set the MTU of tml0 to {fitted} bytes") == 2
    assert f"Frames of {fitted + 14} bytes, the largest that fit the path, cross in one packet each" in printed
    assert pinged(pair, fitted) == (True, 0)
    assert pinged(pair, fitted + 1) == (False, 0), "the kernel tells the sender"

    pair.a.run("ip link set dev tml0 mtu 1500")
    wait_until(lambda: mtu(pair.a) == fitted, "the MTU set again")
    wait_until(lambda: found(desk, pair)[0] == 0, "a healthy tunnel")
    restarts = pair.a.run("cat /run/tunnelmark-*/.lasting/restarts 2> /dev/null || :").split()
    assert set(restarts) <= {"0"}, "the tunnel was not restarted"

    # On a joined LAN devices send 1514 bytes whatever the tunnel's MTU is.
    deploy(desk, pair, *TINC, *BRIDGED, *FITTED)
    assert [mtu(host) for host in pair.hosts] == [1500, 1500]
    undeploy(desk, pair)


def test_a_host_without_nft_is_shown_and_its_table_is_named_at_the_removal(desk: Desk, pair: NetPair) -> None:
    # Without the guard of joined LANs, for whose table a supervisor takes the tunnel down.
    deploy(desk, pair, *TINC, *FITTED)
    pair.a.run("mount --bind /dev/null /usr/sbin/nft")
    try:
        status, clamp = found(desk, pair)
        assert status == 1
        assert [(one["is_there"], one["has_nft"]) for one in clamp.values()] == [(False, False), (True, True)]
        shown = " ".join(desk.tunnelmark("status", pair.name).out.split())
        assert "TCP NOT FITTED TO THE PATH" in shown
        assert "it has no nft any more" in shown
        removed = undeploy(desk, pair)
    finally:
        pair.a.run("umount /usr/sbin/nft")
    assert f"run 'nft delete table inet {TABLE}', or restart the host" in removed
    assert [clamps(host) for host in pair.hosts] == [[("inet", TABLE)], []]
    pair.a.run(f"nft delete table inet {TABLE}")


def test_killed_during_the_deployment_it_leaves_no_table(desk: Desk, pair: NetPair) -> None:
    with desk.start("deploy", pair.name, *TINC, *BRIDGED, *FITTED) as process:
        wait_until(lambda: are_all_clamped(pair), "the tables")
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert are_all_clamped(pair), "the hosts have not rolled back yet"
    wait_until(lambda: not any(map(clamps, pair.hosts)), "the rollback by the hosts themselves", timeout_s=_LEASES_S)


def test_a_replacement_leaves_exactly_its_own_table(desk: Desk, pair: NetPair) -> None:
    deploy(desk, pair, *TINC, *BRIDGED, *FITTED)
    former = sizes(pair.a)
    deploy(desk, pair, "openvpn-udp", *BRIDGED, *FITTED)
    assert are_all_clamped(pair)
    assert sizes(pair.a) == sizes(pair.b) != former
    # With addresses instead of LAN ports, the table is of another family; and without the option there is none.
    deploy(desk, pair, "openvpn-udp", *FITTED)
    assert [clamps(host) for host in pair.hosts] == [[("inet", TABLE)]] * 2
    deploy(desk, pair, "openvpn-udp")
    assert [clamps(host) for host in pair.hosts] == [[], []]
    undeploy(desk, pair)


def test_after_a_loss_of_power_the_table_comes_back_with_the_tunnel(desk: Desk, pair: NetPair) -> None:
    deploy(desk, pair, *TINC, *BRIDGED, *FITTED)
    wanted = sizes(pair.a)
    for host in pair.hosts:
        host.power_off()
    for side in Side:
        pair.power_on(side)
    wait_until(lambda: are_all_clamped(pair), "the tables after the start")
    assert [sizes(host) for host in pair.hosts] == [wanted, wanted]
    wait_until(lambda: found(desk, pair)[0] == 0, "a healthy tunnel")
    assert fragments_of_transfer(pair) == 0
    undeploy(desk, pair)
