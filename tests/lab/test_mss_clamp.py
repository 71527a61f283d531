"""Clamp of TCP's MSS between namespaces: no fragments outside, and frames of full size still cross."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.deployment.lan.clamp import MssClamp, clamp_table
from app.deployment.slots import persistent_link
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, Link
from app.domain.script_files import bare_script
from app.domain.solutions import Suite
from support.lab_sessions import answered_pings
from support.net_desk import need_namespaces
from support.net_world import World

LINK = persistent_link(Link("10.97.0.1", "10.97.0.2"), "0123456789abcdef", 0)
# IPv4 and UDP before the frame. Source: RFC 791 section 3.1, RFC 768.
LARGEST_BYTES = 1500 - 20 - 8
PLAN = TunnelPlan(
    solution="frames-in-udp",
    suite=Suite("none", "none"),
    a=EndpointPlan((), (), "tml0"),
    b=EndpointPlan((), (), "tml0"),
    probe_address_a="198.19.0.1",
    probe_address_b="198.19.0.2",
    inner_mtu_bytes=1500,
    overhead_bytes=1500 + ETHERNET_HEADER_BYTES - LARGEST_BYTES,
    largest_unfragmented_frame_bytes=LARGEST_BYTES,
)

# Two gateways whose tunnel is frames in UDP over a cable; behind each is a station.
_MAKE = """
ip netns add a; ip netns add b
ip link add u0 netns a type veth peer name u0 netns b
for side in a b; do
    case $side in a) n=1 ;; b) n=2 ;; esac
    ip netns add plant-$side
    ip -n $side link set lo up
    ip -n $side addr add 10.97.0.$n/24 dev u0
    ip -n $side link set u0 up
    ip -n $side tuntap add dev tml0 mode tap
    ip -n $side link set tml0 up
    ip link add lan0 netns $side type veth peer name port netns plant-$side
    ip -n $side link set lan0 up
    ip -n plant-$side link set lo up
    ip -n plant-$side addr add 10.96.0.$n/24 dev port
    ip -n plant-$side addr add fd96::$n/64 dev port nodad
    ip -n plant-$side link set port up
done
"""
_BRIDGE = """
for side in a b; do
    ip -n $side link add tmlbr0 type bridge
    for port in tml0 lan0; do ip -n $side link set $port master tmlbr0; done
    ip -n $side link set tmlbr0 up
done
"""
_ROUTE = """
for side in a b; do
    case $side in a) n=1 ;; b) n=2 ;; esac
    ip -n $side addr add 198.19.0.$n/24 dev tml0
done
"""
# A tunnel like those of most VPNs: it reports no MTU to who sends (the kernel's VXLAN does, on a bridge).
_RELAY = """
import fcntl, os, select, socket, struct, sys
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", b"tml0", 0x1002))  # TUNSETIFF, IFF_TAP | IFF_NO_PI
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.setsockopt(socket.IPPROTO_IP, 10, 0)  # IP_MTU_DISCOVER, IP_PMTUDISC_DONT
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
wire.bind((sys.argv[1], 5000))
wire.connect((sys.argv[2], 5000))
print("ready", flush=True)
while True:
    ready, _, _ = select.select((0, tap, wire), (), ())
    if 0 in ready:
        break
    try:
        if tap in ready:
            wire.send(os.read(tap, 2000))
        if wire in ready:
            os.write(tap, wire.recv(2000))
    except ConnectionRefusedError:
        pass  # the other relay has not begun yet
"""
_SERVE = """
import socket, sys
with socket.create_server((sys.argv[1], 5001), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET) as one:
    print("ready", flush=True)
    peer, _ = one.accept()
    total = 0
    while data := peer.recv(65536):
        total += len(data)
    peer.sendall(total.to_bytes(4, "big") + bytes(400_000))
"""
_SEND = """
import socket, sys
with socket.create_connection((sys.argv[1], 5001), timeout=120) as peer:
    peer.sendall(bytes(400_000))
    peer.shutdown(socket.SHUT_WR)
    answer = b""
    while data := peer.recv(65536):
        answer += data
print(int.from_bytes(answer[:4], "big"), len(answer) - 4)
"""

# An IPv4 SYN to port 5001 with an MSS of 1460. Source: RFC 791 section 3.1, RFC 9293 section 3.1 and 3.2.
_SYN = "0800" + "4500002c000040004006" + "2609" + "0a600001" + "0a600002"
_SYN += "30391389" + "0000000100000000" + "6002fffb" + "0000" + "0000" + "020405b4"
_SEND_FRAME = """
import socket, sys
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
    out.bind(("port", 0))
    out.send(bytes.fromhex(sys.argv[1]))
"""
# The kernel takes the tag out of what it hands over.
_TAKE_SYN = """
import socket
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as taken:
    taken.bind(("port", 3))
    taken.settimeout(120)
    print("ready", flush=True)
    while True:
        frame = taken.recv(2000)
        if frame[6:12] == bytes.fromhex("020000000901"):
            print(int.from_bytes(frame[-2:], "big"), flush=True)
            break
"""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        yield made


@pytest.fixture
def hosts(world: World) -> Iterator[World]:
    world.run(_MAKE)
    relays = [
        subprocess.Popen(
            argv_in(world, side.value, sys.executable, "-c", _RELAY, LINK.underlay(side), LINK.underlay(side.other)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for side in Side
    ]
    assert [one.stdout.readline() for one in relays if one.stdout is not None] == ["ready\n"] * 2
    yield world
    for one in relays:
        one.communicate(timeout=120)
    world.run("for one in a b plant-a plant-b; do ip netns del $one; done")


def argv_in(world: World, namespace: str, *argv: str) -> list[str]:
    return [*world.inside("-n", "-m", "-p"), "ip", "netns", "exec", namespace, *argv]


def run(world: World, command: Command | None) -> None:
    assert command is not None
    for side in Side:
        done = subprocess.run(argv_in(world, side.value, *command.argv), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def clamp_step(*, is_bridged: bool) -> PlanStep:
    clamp = MssClamp.of(PLAN, is_bridged=is_bridged)
    assert clamp is not None
    return clamp.step("tml0", LINK)


def fragments(world: World) -> int:
    """Return how many fragments both gateways have made. Source: RFC 4293, ipFragCreates."""
    text = world.run("for side in a b; do ip netns exec $side grep ^Ip: /proc/net/snmp; done")
    lines = [line.split() for line in text.splitlines()]
    return sum(int(values[names.index("FragCreates")]) for names, values in zip(lines[::2], lines[1::2], strict=True))


def fragments_of_transfer(world: World, address: str, *, client: str = "plant-a", server: str = "plant-b") -> int:
    """Send TCP in both directions of one connection, and return how many fragments that took."""
    before = fragments(world)
    with subprocess.Popen(
        argv_in(world, server, sys.executable, "-c", _SERVE, address), stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        assert serving.stdout.readline() == "ready\n"
        argv = argv_in(world, client, sys.executable, "-c", _SEND, address)
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=240)
        assert done.stdout == "400000 400000\n", done.stderr
    return fragments(world) - before


def test_tcp_of_joined_lans_is_not_fragmented_and_frames_of_full_size_still_cross(hosts: World) -> None:
    hosts.run(_BRIDGE)
    addresses = {"IPv4": "10.96.0.2", "IPv6": "fd96::2"}
    assert all(fragments_of_transfer(hosts, one) > 100 for one in addresses.values())
    step = clamp_step(is_bridged=True)
    run(hosts, step.command)
    run(hosts, step.command)
    run(hosts, step.health_check)
    assert {name: fragments_of_transfer(hosts, one) for name, one in addresses.items()} == dict.fromkeys(addresses, 0)
    assert fragments_of_transfer(hosts, "10.96.0.1", client="plant-b", server="plant-a") == 0
    before = fragments(hosts)
    pings = answered_pings("10.96.0.2", "-M do -s 1472", count=2)
    hosts.run(f"ip netns exec plant-a sh -c '{pings}'")
    assert fragments(hosts) - before >= 2 * 2 * 2
    run(hosts, step.undo)
    run(hosts, step.undo)
    assert clamp_table(LINK) not in hosts.run("for side in a b; do ip netns exec $side nft list ruleset; done")
    assert fragments_of_transfer(hosts, addresses["IPv4"]) > 100


def test_tcp_within_a_vlan_is_clamped_too(hosts: World) -> None:
    hosts.run(_BRIDGE)
    step = clamp_step(is_bridged=True)
    run(hosts, step.command)
    argv = argv_in(hosts, "plant-b", sys.executable, "-c", _TAKE_SYN)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as taking:
        assert taking.stdout is not None
        assert taking.stdout.readline() == "ready\n"
        hosts.run(
            'ip netns exec plant-a "$@"',
            sys.executable,
            "-c",
            _SEND_FRAME,
            "ffffffffffff020000000901" + "8100004d" + _SYN,
        )
        assert taking.stdout.readline() == f"{LARGEST_BYTES - 4 - 14 - 40}\n"


@pytest.mark.full
def test_a_path_that_drops_large_packets_without_an_answer_is_found(hosts: World) -> None:
    chain = "{ type filter hook ingress device u0 priority 0; }"
    for words in ("table netdev hole", f"chain netdev hole in {chain}", "rule netdev hole in ip length > 1400 drop"):
        hosts.run('ip netns exec b nft add "$1"', words)
    sizes = [str(size - 28) for size in (576, 9216, 1500, 1501)]
    argv = argv_in(hosts, "a", "sh", "-c", bare_script("probes/path-mtu.sh"), "tunnelmark", "", "10.97.0.2", *sizes)
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout == f"payload {1400 - 28}\n", done.stderr


def test_one_gateway_with_the_table_is_enough_for_both_directions(hosts: World) -> None:
    hosts.run(_BRIDGE)
    command = clamp_step(is_bridged=True).command
    subprocess.run(argv_in(hosts, "a", *command.argv), check=True)
    assert fragments_of_transfer(hosts, "10.96.0.2") == 0
    assert fragments_of_transfer(hosts, "10.96.0.1", client="plant-b", server="plant-a") == 0


def test_tcp_of_a_tunnel_with_addresses_is_not_fragmented(hosts: World) -> None:
    hosts.run(_ROUTE)
    assert fragments_of_transfer(hosts, "198.19.0.2", client="a", server="b") > 100
    step = clamp_step(is_bridged=False)
    run(hosts, step.command)
    run(hosts, step.health_check)
    assert fragments_of_transfer(hosts, "198.19.0.2", client="a", server="b") == 0
    assert fragments_of_transfer(hosts, "198.19.0.1", client="b", server="a") == 0
    run(hosts, step.undo)
    assert fragments_of_transfer(hosts, "198.19.0.2", client="a", server="b") > 100
