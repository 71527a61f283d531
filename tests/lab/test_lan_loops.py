"""The test whether two LANs are joined already, between two real network namespaces."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from app.deployment.lan.loop_test import LoopTest, are_joined
from app.deployment.lan.messages import PORT_FAULT, PORT_NO_LINK, PORT_ROUTED
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from support.message_checks import has_message
from support.net_desk import need_namespaces
from support.net_world import World
from support.waiting import wait_until

# Two hosts with a LAN port each; the LANs are two bridges, which a cable may join.
_HOSTS = """
for side in a b; do
    ip netns add "$side"
    ip link add "lan-$side" type bridge
    ip link set "lan-$side" up
    ip link add "plug-$side" type veth peer name lan0 netns "$side"
    ip link set "plug-$side" master "lan-$side" up
    ip -n "$side" link set lo up
    ip -n "$side" link set lan0 up
done
ip link add cable-a type veth peer name cable-b
ip link set cable-a master lan-a
ip link set cable-b master lan-b
"""


@dataclass(frozen=True)
class Spec:
    label: str


@dataclass
class Host:
    """A network namespace, as far as a session is used."""

    world: World
    name: str

    @property
    def spec(self) -> Spec:
        return Spec(self.name)

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        argv = [*self.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", self.name, *command.argv]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
        return CommandResult(command.argv, done.returncode, done.stdout, done.stderr, 0.0)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        made.run(_HOSTS)
        yield made


@pytest.fixture(autouse=True)
def as_before(world: World) -> Iterator[None]:
    yield
    world.run("ip link set cable-a down; ip link set cable-b down; ip -n a link set lan0 up; ip -n b link set lan0 up")


def found(world: World) -> LoopTest:
    sessions = SessionPair(Host(world, "a"), Host(world, "b"))  # type: ignore[arg-type]  # the part that is used
    return are_joined(sessions, "lan0", "lan0", token=CancelToken())


def plug_in(world: World) -> None:
    """Join both LANs, and wait until both switches forward by the cable; the kernel takes up to a second for that."""
    forwarding = "bridge link show | grep -c 'cable-.* state forwarding' || :"
    world.run("ip link set cable-a up; ip link set cable-b up")
    wait_until(lambda: world.run(forwarding).strip() == "2", "switches that forward")


def test_lans_that_are_apart_and_lans_that_are_joined(world: World) -> None:
    assert found(world) == LoopTest(is_joined=False)
    plug_in(world)
    assert found(world) == LoopTest(is_joined=True)


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_port_that_is_down_but_cabled_says_nothing(world: World, side: str) -> None:
    plug_in(world)
    world.run(f"ip -n {side} link set lan0 down")
    answer = found(world)
    assert answer.is_joined is None
    assert has_message(PORT_FAULT, port="lan0", host=side, why=PORT_NO_LINK())(answer.why)


def test_a_port_without_a_cable_says_nothing(world: World) -> None:
    world.run("ip link set plug-a down")
    try:
        assert found(world).is_joined is None
    finally:
        world.run("ip link set plug-a up")


def test_a_router_behind_the_port_does_not_hide_the_other_way(world: World) -> None:
    plug_in(world)
    world.run("ip -n a addr add 10.77.0.1/24 dev lan0; ip -n a route add default via 10.77.0.254 dev lan0")
    try:
        answer = found(world)
    finally:
        with suppress(AssertionError):
            world.run("ip -n a route del default; ip -n a addr del 10.77.0.1/24 dev lan0")
    assert answer.is_joined is None
    assert has_message(PORT_ROUTED)(answer.why)
