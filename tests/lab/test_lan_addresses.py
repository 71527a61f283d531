"""A LAN port's addresses and routes move to a bridge and back, and are nowhere lost on the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clients import DhcpClient
from app.deployment.lan.guard import LanGuard
from app.deployment.lan.interfaces import judge_interface, parse_lan
from app.deployment.lan.messages import CLIENT_KEPT_RUNNING, CLIENT_NOT_FOUND, CLIENT_REASON, SSH_RUNS_OVER
from app.deployment.slots import persistent_link
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import host_script
from support.message_checks import has_message
from support.net_desk import need_namespaces
from support.net_world import World
from support.waiting import wait_until

BRIDGE, TUNNEL, PORT, INNER = "tmlbr0", "tml0", "lan0", "198.19.0.1/24"
LINK = persistent_link(Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0)
SAVED = f"/run/tunnelmark-{BRIDGE}.lan"
STEP = Bridging(BRIDGE, PORT).step(TUNNEL, INNER)

_MAKE = f"""
ip netns add host
ip netns exec host ip link set lo up
ip -n host link add {PORT} type veth peer name behind
ip -n host link set behind up
ip -n host link add {TUNNEL} type veth peer name far
ip -n host link set far up
ip -n host addr add {INNER} dev {TUNNEL}
ip -n host link set {TUNNEL} up
"""
# Two addresses of one subnet, the first with a broadcast address of its own; a label; a peer; one without a route of
# its own; one for this link alone; one that was lent. Routes through a router, and with a source.
_PORT = f"""
ip -n host link set {PORT} {{state}}
ip -n host addr add 10.77.0.101/24 brd 10.77.0.127 dev {PORT}
ip -n host addr add 10.77.0.111/24 dev {PORT} label {PORT}:1
ip -n host addr add 10.88.0.1/24 brd + noprefixroute dev {PORT}
ip -n host addr add 10.89.0.1 peer 10.89.0.2/32 dev {PORT}
ip -n host addr add 169.254.7.7/16 scope link dev {PORT}
ip -n host addr add 10.91.0.1/24 brd + valid_lft 3000 preferred_lft 2000 dev {PORT}
"""
_ROUTES = f"""
ip -n host route add 192.0.2.0/24 via 10.77.0.254 dev {PORT}
ip -n host route add 198.51.100.0/24 dev {PORT} src 10.77.0.111 metric 50
"""
ADDRESSES = ("10.77.0.101/24", "10.77.0.111/24", "10.88.0.1/24", "10.89.0.1", "169.254.7.7/16", "10.91.0.1/24")
# An ip that ends its caller, when it has been called so often.
_KILLER = """#!/bin/sh
count=$(cat /run/killer/count)
echo "$((count - 1))" > /run/killer/count
if [ "$count" -eq 0 ]; then kill -9 0; fi
exec /usr/sbin/ip "$@"
"""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        made.run('mkdir /run/killer; printf %s "$1" > /run/killer/ip; chmod 755 /run/killer/ip', _KILLER)
        yield made


@pytest.fixture
def host(world: World, request: pytest.FixtureRequest) -> Iterator[World]:
    state = getattr(request, "param", "up")
    world.run(_MAKE + _PORT.format(state=state) + (_ROUTES if state == "up" else ""))
    yield world
    world.run(f"ip netns del host; rm -f {SAVED}*")


def run(world: World, argv: tuple[str, ...], *, calls: int | None = None) -> int:
    """Run a step's command on the host; where `calls` is given, kill it at that call of ip."""
    words = [*world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "host", "setsid", "-w"]
    if calls is not None:
        world.run(f"echo {calls} > /run/killer/count")
        words += ["env", "PATH=/run/killer:/usr/sbin:/usr/bin:/sbin:/bin"]
    done = subprocess.run([*words, *argv], capture_output=True, text=True, check=False)
    if calls is None:
        assert done.returncode == 0, done.stderr
    return done.returncode


def addresses(world: World, device: str) -> list[str]:
    text = world.run(f"ip -n host -o -4 addr show dev {device} 2> /dev/null || :")
    return [line.partition("\\ ")[0].split(maxsplit=3)[3].strip() for line in text.splitlines()]


def inspect(world: World) -> tuple[list[str], list[str], str]:
    """Return the port's addresses in their order, its routes, and whether it is up; and that nothing else is left."""
    assert world.run(f"ls {SAVED}* 2> /dev/null || :") == ""
    assert BRIDGE not in world.run("ip -n host -o link show")
    routes = world.run("ip -n host -4 route show")
    state = world.run(f"ip netns exec host cat /sys/class/net/{PORT}/flags")
    return addresses(world, PORT), sorted(routes.splitlines()), str(int(state, 16) & 1)


def promote(world: World, value: int) -> None:
    world.run(f"ip netns exec host sh -c 'echo {value} > /proc/sys/net/ipv4/conf/all/promote_secondaries'")


@pytest.mark.parametrize("promoting", [0, 1])
def test_addresses_and_routes_move_to_the_bridge_and_back_as_they_were(host: World, promoting: int) -> None:
    promote(host, promoting)
    before = inspect(host)
    assert len(before[0]) == len(ADDRESSES)
    assert STEP.undo is not None
    run(host, STEP.command.argv)
    assert addresses(host, PORT) == []
    bridged = addresses(host, BRIDGE)
    assert f"10.77.0.101/24 brd 10.77.0.127 scope global {BRIDGE}" in bridged
    assert f"10.77.0.111/24 scope global secondary {BRIDGE}" in bridged
    assert {one.split()[0] for one in bridged} == {*ADDRESSES, INNER}
    assert f"10.91.0.1/24 brd 10.91.0.255 scope global {BRIDGE}" in bridged
    routes = host.run("ip -n host -4 route show")
    assert f"192.0.2.0/24 via 10.77.0.254 dev {BRIDGE}" in routes
    assert f"198.51.100.0/24 dev {BRIDGE} scope link src 10.77.0.111 metric 50" in routes
    assert f"dev {PORT} " not in routes
    # What a user adds meanwhile is not lost.
    host.run(f"ip -n host addr add 10.90.0.1/24 brd + dev {BRIDGE}")
    run(host, STEP.undo.argv)
    assert "10.90.0.1/24 brd 10.90.0.255 scope global lan0" in addresses(host, PORT)
    host.run(f"ip -n host addr del 10.90.0.1/24 dev {PORT}; ip -n host addr add {INNER} dev {TUNNEL}")
    assert inspect(host) == before
    run(host, STEP.undo.argv)
    host.run(f"ip -n host addr del {INNER} dev {TUNNEL}; ip -n host addr add {INNER} dev {TUNNEL}")
    assert inspect(host) == before


@pytest.mark.parametrize("host", ["down"], indirect=True)
def test_a_port_that_was_down_is_down_again(host: World) -> None:
    before = inspect(host)
    assert before[2] == "0"
    assert STEP.undo is not None
    run(host, STEP.command.argv)
    assert host.run(f"ip -n host -o link show dev {PORT} up") != ""
    run(host, STEP.undo.argv)
    host.run(f"ip -n host addr add {INNER} dev {TUNNEL}")
    assert inspect(host) == before


@pytest.mark.parametrize("promoting", [0, pytest.param(1, marks=pytest.mark.full)])
def test_wherever_it_is_killed_no_address_is_lost_and_all_comes_back(host: World, promoting: int) -> None:
    promote(host, promoting)
    before = inspect(host)
    assert STEP.undo is not None
    for join_calls in range(100):
        has_joined = run(host, STEP.command.argv, calls=join_calls) == 0
        found = {one.split()[0] for device in (PORT, BRIDGE) for one in addresses(host, device)}
        assert found >= set(ADDRESSES), f"killed at call {join_calls}"
        run(host, STEP.undo.argv)
        host.run(f"ip -n host addr replace {INNER} dev {TUNNEL}")
        assert inspect(host) == before, f"killed at call {join_calls}"
        if has_joined:
            assert join_calls > len(ADDRESSES)
            break
    for part_calls in range(100):
        run(host, STEP.command.argv)
        has_parted = run(host, STEP.undo.argv, calls=part_calls) == 0
        found = {one.split()[0] for device in (PORT, BRIDGE) for one in addresses(host, device)}
        assert found >= set(ADDRESSES), f"killed at call {part_calls}"
        run(host, STEP.undo.argv)
        host.run(f"ip -n host addr replace {INNER} dev {TUNNEL}")
        assert inspect(host) == before, f"killed at call {part_calls}"
        if has_parted:
            break


def test_a_bridge_of_another_user_is_not_touched(host: World) -> None:
    host.run(f"ip -n host link add {BRIDGE} type bridge")
    with pytest.raises(AssertionError, match="is there already"):
        run(host, STEP.command.argv)
    assert STEP.undo is not None
    run(host, STEP.undo.argv)
    assert host.run(f"ip -n host -o link show dev {BRIDGE}") != ""
    assert len(addresses(host, PORT)) == len(ADDRESSES)


# A router advertisement as a router of the other plant sends it (RFC 4861 sections 4.2 and 4.6.2), three times.
_ADVERTISE = """
import socket, struct, time
advertisement = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 1800, 0, 0)
prefix = struct.pack("!BBBBIII16s", 3, 4, 64, 0xC0, 3600, 3600, 0, socket.inet_pton(socket.AF_INET6, "2001:db8:77::"))
out = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex("far"))
for _ in range(3):
    out.sendto(advertisement + prefix, ("ff02::1", 0))
    time.sleep(0.2)
"""


def test_the_bridge_is_not_configured_by_what_the_other_side_announces(host: World) -> None:
    def announced() -> str:
        # Its address is used once it has been found to be no other host's.
        tentative = "ip -n host addr show dev far | grep -q tentative"
        host.run(f"n=0; while {tentative} && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done")
        host.run('ip netns exec host "$1" -c "$2"', sys.executable, _ADVERTISE)
        return host.run(f"ip -n host -6 addr show dev {BRIDGE}; ip -n host -6 route show default dev {BRIDGE}")

    run(host, STEP.command.argv)
    shown = announced()
    assert "inet6 fe80:" in shown
    assert "2001:db8:77:" not in shown
    assert "default via" not in shown
    conf = f"/proc/sys/net/ipv6/conf/{BRIDGE}"
    host.run(f"ip netns exec host sh -c 'echo 1 > {conf}/accept_ra; echo 1 > {conf}/autoconf'")
    wait_until(lambda: all(one in announced() for one in ("2001:db8:77:", "default via")), "what is announced")


def test_a_bridge_that_was_there_is_not_configured_by_what_the_other_side_announces(host: World) -> None:
    bridging = Bridging("br0", "br0", guard=LanGuard(0, blocks_dhcp=False, blocks_router_advertisements=False))
    host.run("ip -n host link add br0 type bridge; ip -n host link set lan0 master br0; ip -n host link set br0 up")
    (guard,) = bridging.guard_steps(TUNNEL, LINK, Side.A)
    run(host, guard.command.argv)
    run(host, bridging.step(TUNNEL, INNER).command.argv)

    def announced(far: str) -> str:
        tentative = f"ip -n host addr show dev {far} | grep -q tentative"
        host.run(f"n=0; while {tentative} && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done")
        host.run('ip netns exec host "$1" -c "$2"', sys.executable, _ADVERTISE.replace('"far"', f'"{far}"'))
        return host.run("ip -n host -6 addr show dev br0; ip -n host -6 route show default dev br0")

    assert "2001:db8:77:" not in announced("far")
    # A router of its own LAN still does, and so does that of the other one without the table.
    wait_until(lambda: "2001:db8:77:" in announced("behind"), "what its own router announces")
    assert guard.undo is not None
    host.run("ip -n host addr flush dev br0 scope global; ip -n host -6 route flush default")
    run(host, guard.undo.argv)
    wait_until(lambda: "2001:db8:77:" in announced("far"), "what is announced")


def test_a_port_whose_lent_address_nothing_known_renews_is_not_joined(host: World) -> None:
    # A lent address on one port; on another one a client that no server has answered yet.
    host.run("ip -n host link add lan1 type veth peer name behind1; ip -n host link set lan1 up")
    client = "ip netns exec host setsid /run/udhcpc -f -s /bin/true -i lan1 > /dev/null 2>&1 &"
    host.run(f"ln -sf /bin/busybox /run/udhcpc; {client} until pgrep -x udhcpc; do sleep 0.1; done")
    host.run("ip -n host link add lan2 type veth peer name behind2; ip -n host addr add 10.92.0.1/24 dev lan2")
    connection = "SSH_CONNECTION=10.92.0.9 5000 10.92.0.1 22"
    inside = [*host.inside("-n", "-m", "-p"), "ip", "netns", "exec", "host", "env", connection]
    words = [*inside, "sh", "-s", "mark", INNER]
    done = subprocess.run(words, input=host_script("lan.sh"), capture_output=True, text=True, check=True)
    found = parse_lan(done.stdout, "mark")
    assert found is not None
    assert found.leased == {PORT}
    assert found.clients == {"lan1": (DhcpClient("udhcpc", "service"),)}
    assert has_message(CLIENT_NOT_FOUND)(judge_interface(PORT, found, None, "gateway-a").refusal)
    refusal = judge_interface("lan1", found, None, "gateway-a").refusal
    assert has_message(CLIENT_REASON, why=CLIENT_KEPT_RUNNING(), client="BusyBox udhcpc")(refusal)
    assert has_message(SSH_RUNS_OVER)(judge_interface("lan2", found, None, "gateway-a").refusal)
    host.run("pkill -x udhcpc; rm /run/udhcpc")
