"""VXLAN inside WireGuard, whose place a cable takes: what users of a gateway send to the peer's VXLAN goes nowhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.adapter_cases import facts, home, request
from support.net_desk import need_namespaces
from support.net_world import World
from vpn_adapters.registry import ADAPTERS

NO_USER = 65534
_SEND = """
import os, socket, struct, sys
os.setuid(int(sys.argv[4]))
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[4] == "0":
    out.bind(("", 950))
frame = b"\\xff" * 6 + bytes.fromhex("02000000007788b6") + b"local" * 12
try:
    out.sendto(struct.pack("!II", 0x08000000, int(sys.argv[3]) << 8) + frame, (sys.argv[1], int(sys.argv[2])))
except PermissionError:
    print("refused")
"""


@pytest.fixture
def world() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        yield made


def test_a_user_of_a_gateway_puts_no_frame_into_the_other_lan(world: World) -> None:
    adapter = ADAPTERS["wireguard-vxlan"]
    host = facts(home(adapter))
    asked = request(adapter, adapter.suites(host, host)[0])
    link, plan, names = asked.link, adapter.plan(asked), asked.link.names
    carrier = names.wireguard_interface
    world.run(
        f"for side in a b; do ip netns add $side; ip -n $side link set lo up; done;"
        f"ip link add {carrier} netns a type veth peer name {carrier} netns b"
    )
    for side in Side:
        own, peer = link.carrier(side), link.carrier(side.other)
        world.run(
            f"ip -n {side} link set {carrier} mtu 1568 up; ip -n {side} addr add {own} peer {peer}/32 dev {carrier}"
        )
        for step in (plan.on(side).steps[0], plan.on(side).steps[-1]):
            argv = [*world.inside("-n", "-m", "-p"), "ip", "netns", "exec", side.value, *step.command.argv]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr

    def send(user: int) -> str:
        words = (sys.executable, "-c", _SEND, link.carrier(Side.B), str(names.udp_port), str(names.vxlan_id), str(user))
        return world.run('ip netns exec a "$@"', *words)

    assert send(NO_USER) == "refused\n"
    ping = f"ping -c 1 -W 30 {link.inner_ip(Side.B)} > /dev/null && echo answered || :"
    assert world.run(f"ip netns exec a {ping}") == "answered\n"
    assert world.run(f"ip netns exec a setpriv --reuid {NO_USER} --clear-groups sh -c '{ping}'") == "answered\n"
    assert send(0) == "", "root can"
    world.run(f"ip netns exec a nft delete table inet {names.guard_table}")
    assert send(NO_USER) == "", "without the table anybody can"
