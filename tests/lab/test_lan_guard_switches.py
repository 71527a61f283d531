"""The firewall table that guards joined LANs, between two network namespaces and attacked with real frames."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard, guard_table, parse_guard, probed_address
from app.deployment.slots import persistent_link
from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from support.frame_counter import Counter
from support.lab_sessions import until_answered
from support.net_desk import need_namespaces
from support.net_world import World
from support.waiting import PATIENCE_S, wait_until

LINK = persistent_link(Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0)
TABLE, NO_USER = guard_table(LINK), probed_address(LINK)

# Two gateways with a LAN port each; the tunnel is a cable between them, the LANs are bridges with one station each,
# and another cable may join the LANs.
_MAKE = """
for side in a b; do
    ip netns add $side
    ip netns add plant-$side
    ip -n $side link set lo up
    ip -n plant-$side link add port type bridge
    ip -n plant-$side link set port up
    ip link add lan0 netns $side type veth peer name plug netns plant-$side
    ip -n plant-$side link set plug master port up
    ip -n $side link set lan0 up
done
ip link add tml0 netns a type veth peer name tml0 netns b
ip -n a link set tml0 up
ip -n b link set tml0 up
ip link add cable netns plant-a type veth peer name cable netns plant-b
for side in a b; do ip -n plant-$side link set cable master port; done
"""

_SEND = """
import socket, sys, time
device, count, pause, *frames = sys.argv[1:]
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((device, 0))
for _ in range(int(count)):
    for frame in frames:
        out.send(bytes.fromhex(frame))
    if float(pause):
        time.sleep(float(pause))
"""
STATION = "020000000901"
LAST = "the last one"


def ethernet(target: str, kind: str, body: bytes, vlan: int = 0, *, source: str = STATION) -> str:
    tag = f"8100{vlan:04x}" if vlan else ""
    return target + source + tag + kind + body.hex()


def udp4(ports: tuple[int, int], word: str) -> bytes:
    data = word.encode().ljust(64, b".")
    length = len(data) + 8
    packet = bytearray(bytes.fromhex(f"4500{length + 20:04x}00000000401100000a4d00090a4d00ff"))
    total = sum(int.from_bytes(packet[n : n + 2], "big") for n in range(0, 20, 2))
    packet[10:12] = (~((total & 0xFFFF) + (total >> 16)) & 0xFFFF).to_bytes(2, "big")
    return bytes(packet) + b"".join(one.to_bytes(2, "big") for one in (*ports, length, 0)) + data


def ipv6(kind: int, body: bytes) -> bytes:
    head = bytes.fromhex(f"60000000{len(body):04x}{kind:02x}ff")
    return head + bytes.fromhex("fe80" + "00" * 13 + "09" + "ff02" + "00" * 13 + "01") + body


def icmp6(kind: int, word: str) -> bytes:
    return bytes([kind, 0, 0, 0]) + bytes(12) + word.encode()


BROADCAST, ALL_NODES = "ffffffffffff", "333300000001"
IPV4, IPV6 = "0800", "86dd"


def first_piece(kind: int, body: bytes) -> bytes:
    return ipv6(44, bytes([kind, 0, 0, 1]) + bytes(4) + body)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        yield made


@pytest.fixture
def hosts(world: World) -> Iterator[World]:
    world.run(_MAKE)
    yield world
    world.run("for one in a b plant-a plant-b; do ip netns del $one; done; rm -f /run/tunnelmark-*")


def run(world: World, side: Side, argv: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*world.inside("-n", "-m", "-p"), "ip", "netns", "exec", side.value, *argv],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def steps(side: Side, guard: LanGuard | None) -> list[PlanStep]:
    return bridge_steps(side, Bridging("tmlbr0", "lan0", guard=guard), LINK)


def bridge_steps(side: Side, bridging: Bridging, link: Link) -> list[PlanStep]:
    join, probes = bridging.step("tml0", link.inner(side)), bridging.probe_steps("tml0", link, side)
    return [*bridging.guard_steps("tml0", link, side), join, *probes]


def join(world: World, guard: LanGuard | None) -> None:
    for side in Side:
        world.run(f"ip -n {side.value} addr add {LINK.inner(side)} dev tml0")
        for step in steps(side, guard):
            run(world, side, step.command.argv)
    # Stations learn nothing of each other; what is sent first crosses a bridge that knows no sender yet.
    assert answers(world, Side.A)


def answers(world: World, side: Side) -> bool:
    # Single pings may be lost where the switches learn anew; the supervisor restarts nothing before 20 s of silence.
    pings = until_answered(LINK.inner_ip(side.other), "-I tmlbr0", tries=20)
    return world.run(f"ip netns exec {side.value} sh -c '{pings}' && echo yes || echo no") == "yes\n"


def probe(world: World, side: Side) -> None:
    # While the kernel still waits for an answer to the probe that was sent when the LANs were joined, it asks no more.
    world.run(f"ip -n {side.value} neigh del {NO_USER} dev tmlbr0 2> /dev/null || :")
    world.run(f"ip netns exec {side.value} ping -c 1 -W 1 -I tmlbr0 {NO_USER} > /dev/null || :")


def send(world: World, side: Side, *frames: str, count: int = 1, pause_s: float = 0.0) -> None:
    words = ("ip", "netns", "exec", f"plant-{side.value}", sys.executable, "-c", _SEND, "port", str(count))
    world.run('"$@"', *words, str(pause_s), *frames)


def cross(world: World, side: Side, frames: dict[str, str]) -> set[str]:
    """Send frames from one LAN, and return which of them reached the other one.

    A guard lets the last one pass: when that has arrived, so has whatever was sent before and passes as well.
    """
    counter = Counter(world, side.other, *frames, last=LAST)
    send(world, side, *frames.values(), ethernet(BROADCAST, "88b5", LAST.encode().ljust(50)))
    return {name for name, count in zip(frames, counter.read(), strict=True) if count}


def is_parted(world: World, side: Side) -> bool:
    return parse_guard(world.run(f"ip netns exec {side.value} nft list table bridge {TABLE}")).is_looped


def cable(world: World, state: str) -> None:
    for side in Side:
        world.run(f"ip -n plant-{side.value} link set cable {state}")
    # The kernel takes up to a second until a switch forwards by a port that has come up.
    until_s = time.monotonic() + PATIENCE_S
    while state == "up" and not all(is_forwarding(world, side) for side in Side):
        assert time.monotonic() < until_s
        time.sleep(0.05)


def is_forwarding(world: World, side: Side) -> bool:
    return "state forwarding" in world.run(f"bridge -n plant-{side.value} link show dev cable")


PLAIN = LanGuard(1000, blocks_dhcp=False, blocks_router_advertisements=False)
STRICT = LanGuard(0, blocks_dhcp=True, blocks_router_advertisements=True)


def filtered_frames() -> dict[str, str]:
    frames = {}
    for name, vlan in (("untagged", 0), ("tagged", 7)):
        solicit = bytes.fromhex("0222022300400000") + f"solicit-{name}".encode().ljust(56)
        options = bytes([58, 0, 1, 4, 0, 0, 0, 0])
        hidden = bytes([58, 5, 1, 44]) + f"hidden-{name}".encode().ljust(44, b"\0")
        frames |= {
            f"discover-{name}": ethernet(BROADCAST, IPV4, udp4((68, 67), f"discover-{name}"), vlan),
            f"offer-{name}": ethernet(BROADCAST, IPV4, udp4((67, 68), f"offer-{name}"), vlan),
            f"solicit-{name}": ethernet("333300010002", IPV6, ipv6(17, solicit), vlan),
            f"router-{name}": ethernet(ALL_NODES, IPV6, ipv6(58, icmp6(134, f"router-{name}")), vlan),
            f"redirect-{name}": ethernet(ALL_NODES, IPV6, ipv6(58, icmp6(137, f"redirect-{name}")), vlan),
            # Behind a header of destination options; in a first piece; and hidden in a later one (RFC 7113 section 3).
            f"behind-{name}": ethernet(ALL_NODES, IPV6, ipv6(60, options + icmp6(134, f"behind-{name}")), vlan),
            f"piece-{name}": ethernet(ALL_NODES, IPV6, first_piece(58, icmp6(134, f"piece-{name}".ljust(32))), vlan),
            f"hidden-{name}": ethernet(ALL_NODES, IPV6, first_piece(60, hidden), vlan),
        }
    return frames


def other_frames() -> dict[str, str]:
    frames = {}
    for name, vlan in (("untagged", 0), ("tagged", 7)):
        frames |= {
            f"solicitation-{name}": ethernet(ALL_NODES, IPV6, ipv6(58, icmp6(133, f"solicitation-{name}")), vlan),
            f"goose-{name}": ethernet("010ccd010001", "88b8", f"goose-{name}".encode().ljust(50), vlan),
            f"udp-{name}": ethernet(BROADCAST, IPV4, udp4((5000, 6768), f"udp-{name}"), vlan),
        }
    return frames


@pytest.mark.parametrize("side", list(Side))
def test_dhcp_and_router_advertisements_cross_only_where_they_are_let(hosts: World, side: Side) -> None:
    filtered, other = filtered_frames(), other_frames()
    join(hosts, PLAIN)
    assert cross(hosts, side, filtered | other) == {*filtered, *other}
    for one in Side:
        run(hosts, one, ("nft", "delete", "table", "bridge", TABLE))
        run(hosts, one, steps(one, STRICT)[0].command.argv)
    assert cross(hosts, side, filtered | other) == set(other)
    # Each host by itself, as the other one may have no nft: on the way in, and on the way out.
    for one in Side:
        run(hosts, one, ("nft", "delete", "table", "bridge", TABLE))
        assert cross(hosts, side, filtered | other) == set(other), f"without the table of {one}"
        run(hosts, one, steps(one, STRICT)[0].command.argv)


REMEMBERED_S = 15
"""For so long a hastened guard remembers a loop: long enough for a busy computer to find it remembered."""


def hastened(step: PlanStep) -> tuple[str, ...]:
    """Return a guard's command with a shorter time until the LANs are joined again."""
    return tuple(word.replace("timeout 30s", f"timeout {REMEMBERED_S}s") for word in step.command.argv)


def join_hastened(world: World, guard: LanGuard) -> None:
    join(world, guard)
    for side in Side:
        run(world, side, ("nft", "delete", "table", "bridge", TABLE))
        run(world, side, hastened(steps(side, guard)[0]))


def bystanders(world: World, side: Side) -> list[str]:
    """Return the port at which the switch of a LAN expects each gateway."""
    shown = world.run(f"bridge -n plant-{side.value} fdb show br port dynamic")
    own = {one: world.run(f"ip netns exec {one.value} cat /sys/class/net/lan0/address").strip() for one in Side}
    return [f"{one} at {line.split()[2]}" for line in shown.splitlines() for one, mac in own.items() if mac in line]


@pytest.mark.parametrize("probing", [pytest.param((Side.A,), marks=pytest.mark.full), tuple(Side)])
def test_a_loop_parts_the_lans_until_it_has_gone_and_the_hosts_go_on_to_answer(
    hosts: World, probing: tuple[Side, ...]
) -> None:
    join_hastened(hosts, LanGuard(0, blocks_dhcp=False, blocks_router_advertisements=False))
    cable(hosts, "up")
    for side in probing:
        probe(hosts, side)
    assert {side: is_parted(hosts, side) for side in probing} == dict.fromkeys(probing, True)
    # For longer than the set remembers a loop: what comes back keeps it there.
    counter, words = Counter(hosts, Side.B, "storm"), []
    until_s = time.monotonic() + 1.3 * REMEMBERED_S
    while time.monotonic() < until_s:
        send(hosts, Side.A, ethernet(BROADCAST, "88b5", b"storm".ljust(50)), count=10)
        for side in probing:
            probe(hosts, side)
        words += [answers(hosts, side) for side in Side]
    assert words == [True] * len(words)
    assert counter.read() == [5 * len(words)], "each of ten frames comes once, over the cable"
    assert any(is_parted(hosts, side) for side in Side)
    assert bystanders(hosts, Side.A).count("A at cable") == 0
    cable(hosts, "down")
    wait_until(lambda: not any(is_parted(hosts, side) for side in Side), "joined LANs")
    assert cross(hosts, Side.A, {"again": ethernet(BROADCAST, "88b5", b"again".ljust(50))}) == {"again"}


def test_broadcasts_are_limited_in_both_directions_and_multicasts_are_not(hosts: World) -> None:
    join(hosts, LanGuard(500, blocks_dhcp=False, blocks_router_advertisements=False))
    frames = [ethernet(BROADCAST, "88b5", b"flood".ljust(50)), ethernet("010ccd010001", "88b8", b"goose".ljust(50))]
    for side in Side:
        counter = Counter(hosts, side.other, "flood", "goose")
        began_s = time.monotonic()
        # Not all at once: the kernel's own queues have room for a thousand frames that wait for a busy processor.
        send(hosts, side, *(100 * frames), count=60, pause_s=0.01)
        took_s = time.monotonic() - began_s
        # The host itself is flooded, and goes on to answer.
        assert answers(hosts, side)
        flooded, goosed = counter.read()
        assert 5_000 < goosed <= 6_000
        assert 500 <= flooded <= 500 + 500 * (took_s + 1)
        assert flooded < 5_000
        tables = [hosts.run(f"ip netns exec {one.value} nft list table bridge {TABLE}") for one in Side]
        assert sum(parse_guard(text).limited_frames for text in tables) >= 5_000 - flooded


def test_probes_that_another_user_forges_do_not_circulate(hosts: World) -> None:
    join(hosts, LanGuard(0, blocks_dhcp=False, blocks_router_advertisements=False))
    cable(hosts, "up")
    for side in Side:
        probe(hosts, side)
    assert all(is_parted(hosts, side) for side in Side)
    sender, target = (bytes(map(int, one.split("."))) for one in (LINK.inner_ip(Side.A), NO_USER))
    body = bytes.fromhex("0001080006040001") + bytes.fromhex(STATION) + sender + bytes(6) + target + b"forged"
    counter = Counter(hosts, Side.B, "forged")
    began_s = time.monotonic()
    send(hosts, Side.A, ethernet(BROADCAST, "0806", body), count=200)
    time.sleep(2)
    took_s = time.monotonic() - began_s
    assert 200 <= counter.read()[0] <= 200 + 20 * (took_s + 1), "ten per second may cross on each host, and no more"


def test_one_forged_frame_parts_the_lans_for_a_while(hosts: World) -> None:
    join_hastened(hosts, PLAIN)
    own = hosts.run("ip netns exec b cat /sys/class/net/tmlbr0/address").strip().replace(":", "")
    send(hosts, Side.A, ethernet(BROADCAST, "88b5", b"forged".ljust(50), source=own))
    wait_until(lambda: is_parted(hosts, Side.B), "parted LANs")
    # A searches for B in its own LAN, where the forged frame came from, until it hears of B.
    assert answers(hosts, Side.B)
    assert answers(hosts, Side.A)
    wait_until(lambda: not is_parted(hosts, Side.B), "joined LANs")


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")])
def test_undoing_and_making_again_leave_the_ruleset_as_it_was(hosts: World, shell: tuple[str, ...]) -> None:
    for side in Side:
        before = hosts.run(f"ip netns exec {side.value} nft list ruleset")
        hosts.run(f"ip -n {side.value} addr add {LINK.inner(side)} dev tml0")
        made = steps(side, STRICT)
        for step in made:
            run(hosts, side, step.command.argv)
            if step.health_check is not None:
                run(hosts, side, step.health_check.argv)
        guard = made[0]
        assert guard.undo is not None
        run(hosts, side, (*shell, *guard.undo.argv[1:]))
        run(hosts, side, (*shell, *guard.command.argv[1:]))
        run(hosts, side, ("nft", "flush", "ruleset"))
        with pytest.raises(AssertionError):
            run(hosts, side, guard.health_check.argv if guard.health_check is not None else ())
        for _ in range(2):  # It may be there: a present table that could not be listed in time is made again.
            run(hosts, side, guard.command.argv)
        for step in [step for step in reversed(made) if step.undo is not None]:
            for _ in range(2):
                run(hosts, side, step.undo.argv if step.undo is not None else ())
        assert hosts.run(f"ip netns exec {side.value} nft list ruleset") == before


FULL = persistent_link(
    Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0, inner_a="10.9.0.1/30", inner_b="10.9.0.2/30"
)


def own_bridge(world: World, side: Side) -> None:
    """Make a bridge of the host's own that takes the tunnel's address when joined; its router is behind it."""
    name, number = side.value, 1 + list(Side).index(side)
    world.run(
        f"ip -n {name} link add br0 type bridge; ip -n {name} link set lan0 address 0a:00:00:00:00:0{number};"
        f"ip -n {name} link set lan0 master br0; ip -n {name} link set br0 up;"
        f"ip -n {name} link set tml0 address 02:00:00:00:00:0{number};"
        f"ip -n {name} addr add 10.77.0.{number}/24 dev br0; ip -n {name} route add default via 10.77.0.254;"
        f"ip -n {name} addr add {FULL.inner(side)} dev tml0"
    )


def test_a_bridge_that_was_there_keeps_its_address_and_finds_a_loop_when_it_is_joined(hosts: World) -> None:
    cable(hosts, "up")
    bridging = Bridging("br0", "br0", guard=PLAIN)
    made = {side: bridge_steps(side, bridging, FULL) for side in Side}
    routes = {}
    for side in Side:
        own_bridge(hosts, side)
        routes[side] = hosts.run(f"ip -n {side.value} -4 route show dev br0")
        address = f"ip netns exec {side.value} cat /sys/class/net/br0/address"
        before = hosts.run(address).strip()
        # The guard is there before the VPN's program has made the tunnel's interface.
        hosts.run(f"ip -n {side.value} link set tml0 down; ip -n {side.value} link set tml0 name later")
        run(hosts, side, made[side][0].command.argv)
        hosts.run(f"ip -n {side.value} link set later name tml0; ip -n {side.value} link set tml0 up")
        for step in made[side][1:]:
            run(hosts, side, step.command.argv)
        assert hosts.run(address).strip() == before
        assert not before.startswith("02:"), "the tunnel's would not have been taken anyway"
    # B was the last to join, and only its own probe tells of the loop.
    wait_until(lambda: is_parted(hosts, Side.B), "the loop that B finds")
    for side in Side:
        # Without a route of its own a probe would ask for the router, and the other host would not let it pass.
        routed = hosts.run(f"ip -n {side.value} route get {probed_address(FULL)}")
        assert routed.startswith(f"{probed_address(FULL)} dev br0 src {FULL.inner_ip(side)} ")
        for step in reversed(made[side]):
            if step.undo is not None:
                run(hosts, side, step.undo.argv)
        assert hosts.run(f"ip -n {side.value} -4 route show dev br0") == routes[side]
