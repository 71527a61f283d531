"""DHCP clients of LAN ports in plans: steps, guards, and refusals."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from app.deployment.lan import interfaces as lan
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.deployment.lan.guard_choice import guard_ports
from app.deployment.lan.interfaces import choose_bridging, lan_interfaces
from app.deployment.lan.messages import (
    CLIENT_ASKS_IPV6,
    CLIENT_FILES_OPEN,
    CLIENT_HOOKS_NAME_PORT,
    CLIENT_MOVES,
    CLIENT_NOT_FOUND,
    CLIENT_OF_ALL,
    CLIENT_PROGRAM_OPEN,
    CLIENT_REASON,
    CLIENTS_HIDDEN,
    GUARD_NO_OWN_DHCP,
    OWN_DHCP_CROSSES,
)
from app.deployment.slots import persistent_link
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.deployment import DeploymentObstacle, DeploymentOptions
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import MessageForm
from support.deploy_world import made_up_facts
from support.message_checks import has_message

if TYPE_CHECKING:
    from app.discovery.pair_discovery import Discovery
    from app.domain.commands import HostSession, SessionPair

LINK = persistent_link(Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0)
MARK = "f00d"
BRIDGING = Bridging("tmlbr0", "eth2", client="dhclient")


class Session:
    """A host that says what it was given."""

    spec = SimpleNamespace(label="gateway-a")

    def __init__(self, *lines: str) -> None:
        self._lines = ("ssh eth0", "underlay eth1", "port eth0 port 1 -", "port eth1 port 1 -", *lines, "finished")

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        del token
        return CommandResult(command.argv, 0, "".join(f"{MARK} {line}\n" for line in self._lines), "", 0.1)


def interfaces(monkeypatch: pytest.MonkeyPatch, *lines: str, own_bridge: str = "") -> tuple[lan.LanInterface, ...]:
    monkeypatch.setattr(lan, "new_id", lambda: MARK)
    session = cast("HostSession", Session(*lines))
    return lan_interfaces(session, made_up_facts(Side.A), "10.99.1.1", token=CancelToken(), own_bridge=own_bridge)


def test_client_moves_once_the_port_is_joined_and_back_once_it_is_parted() -> None:
    hold, join, move = BRIDGING.steps("tml0", "198.19.0.1/24")
    assert join == BRIDGING.step("tml0", "198.19.0.1/24")
    actions = [one.argv[4] for one in (hold.command, hold.undo, move.command, move.health_check) if one]
    assert actions == ["take", "give", "sync", "watch"]
    assert move.undo is None, "the client is heard on the bridge until the port is parted"
    assert replace(BRIDGING, client="").steps("tml0", "198.19.0.1/24") == (join,)


def test_client_of_a_deployment_that_makes_room_counts_as_that_of_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = ("port eth2 port 1 tmlbr0", "port tmlbr0 bridge 1 -", "leased tmlbr0", "client tmlbr0 dhclient -")
    found = interfaces(monkeypatch, *joined, own_bridge="tmlbr0")
    bridging, (note,) = choose_bridging(found, "eth2", "tmlbr0", "gateway-a")
    assert bridging == BRIDGING
    assert has_message(CLIENT_MOVES)(note)


def test_client_of_a_joined_port_that_has_just_died_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = ("port eth2 port 1 tmlbr0", "port tmlbr0 bridge 1 -", "leased tmlbr0")
    found = interfaces(monkeypatch, *joined, own_bridge="tmlbr0")
    with pytest.raises(InvalidOption, check=has_message(CLIENT_NOT_FOUND)):
        choose_bridging(found, "eth2", "tmlbr0", "gateway-a")


def test_client_of_a_bridge_of_the_hosts_own_remains_there(monkeypatch: pytest.MonkeyPatch) -> None:
    found = interfaces(monkeypatch, "port br7 bridge 1 -", "leased br7", "client br7 dhcpcd program")
    assert choose_bridging(found, "br7", "tmlbr0", "gateway-a") == (Bridging("br7", "br7", has_client=True), ())


def test_port_with_an_address_is_refused_where_processes_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ("port eth2 port 1 -", "port eth3 port 1 -", "port tmlbr0 bridge 1 -", "hidden eth2", "hidden tmlbr0")
    with pytest.raises(InvalidOption, check=has_message(CLIENTS_HIDDEN)):
        choose_bridging(interfaces(monkeypatch, *lines), "eth2", "tmlbr0", "gateway-a")
    assert choose_bridging(interfaces(monkeypatch, *lines), "eth3", "tmlbr0", "gateway-a") == (
        Bridging("tmlbr0", "eth3"),
        (),
    )
    replaced = interfaces(monkeypatch, *lines, "port eth4 port 1 tmlbr0", own_bridge="tmlbr0")
    with pytest.raises(InvalidOption, check=has_message(CLIENTS_HIDDEN)):
        choose_bridging(replaced, "eth4", "tmlbr0", "gateway-a")


@pytest.mark.parametrize(
    ("obstacle", "reason"),
    [
        ("program", CLIENT_PROGRAM_OPEN),
        ("files", CLIENT_FILES_OPEN),
        ("all", CLIENT_OF_ALL),
        ("hooks", CLIENT_HOOKS_NAME_PORT),
    ],
)
def test_port_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch, obstacle: str, reason: MessageForm) -> None:
    found = interfaces(monkeypatch, "port eth2 port 1 -", "leased eth2", f"client eth2 dhclient {obstacle}")
    with pytest.raises(InvalidOption, check=has_message(CLIENT_REASON, why=reason(), client="ISC dhclient")):
        choose_bridging(found, "eth2", "tmlbr0", "gateway-a")


@pytest.mark.parametrize("program", ["dhclient", "odhcp6c"])
def test_client_for_ipv6_is_warned_of_and_does_not_keep_the_port_from_being_joined(
    monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    found = interfaces(monkeypatch, "port eth2 port 1 -", f"client eth2 {program} ipv6")
    bridging, (warning,) = choose_bridging(found, "eth2", "tmlbr0", "gateway-a")
    assert bridging == replace(BRIDGING, client="")
    assert has_message(CLIENT_ASKS_IPV6, port="eth2", host="gateway-a")(warning)
    # Beside one for IPv4.
    found = interfaces(
        monkeypatch, "port eth2 port 1 -", f"client eth2 {program} ipv6", "leased eth2", "client eth2 dhclient -"
    )
    bridging, warnings = choose_bridging(found, "eth2", "tmlbr0", "gateway-a")
    assert bridging == BRIDGING
    assert len(warnings) == 2
    # An address with an end has a client for IPv4, which was not found.
    found = interfaces(monkeypatch, "port eth2 port 1 -", f"client eth2 {program} ipv6", "leased eth2")
    with pytest.raises(InvalidOption, check=has_message(CLIENT_NOT_FOUND)):
        choose_bridging(found, "eth2", "tmlbr0", "gateway-a")


@pytest.mark.parametrize("has_nft", [True, False])
def test_without_a_guard_its_requests_would_cross_and_the_port_is_refused(has_nft: bool) -> None:
    tools = {"nft": object()} if has_nft else {}
    check = SimpleNamespace(facts=SimpleNamespace(tools=tools))
    pair = SimpleNamespace(host=lambda _side: SimpleNamespace(label="gateway-a"))
    discovery = cast("Discovery", SimpleNamespace(pair=pair, a=check, b=check))
    sessions = cast("SessionPair", SimpleNamespace(a=Session(), b=Session()))
    ports = {Side.A: BRIDGING}
    found, obstacles = guard_ports(sessions, discovery, DeploymentOptions(), LINK, ports, token=CancelToken())
    if has_nft:
        guard = found[Side.A].guard
        assert guard is not None
        assert guard.keeps_own_requests
        assert has_message(GUARD_NO_OWN_DHCP)(guard.title)
        assert obstacles == ()
        return
    (obstacle,) = obstacles
    assert isinstance(obstacle, DeploymentObstacle)
    assert obstacle.is_blocking
    assert has_message(OWN_DHCP_CROSSES, host="gateway-a")(obstacle.what)


@pytest.mark.parametrize("line", ["client br7 dhclient service", "leased br7", "port eth4 port 1 -"])
def test_requests_of_a_bridge_that_was_there_do_not_cross(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    bridging, _ = choose_bridging(interfaces(monkeypatch, "port br7 bridge 1 -", line), "br7", "tmlbr0", "gateway-a")
    check = SimpleNamespace(facts=SimpleNamespace(tools={"nft": object()}))
    discovery = cast("Discovery", SimpleNamespace(a=check, b=check))
    sessions = cast("SessionPair", SimpleNamespace(a=Session(), b=Session()))
    found, _ = guard_ports(sessions, discovery, DeploymentOptions(), LINK, {Side.A: bridging}, token=CancelToken())
    guard = found[Side.A].guard
    assert guard is not None
    assert guard.keeps_own_requests is ("br7" in line)


def test_guard_of_a_port_without_a_client_is_as_before() -> None:
    plain = LanGuard(1000, blocks_dhcp=False, blocks_router_advertisements=False)
    with_client = replace(plain, keeps_own_requests=True)
    words = [one.step(("tml0", "tmlbr0", "eth2"), LINK, Side.A).command.argv[-1] for one in (plain, with_client)]
    assert words == ["", "own"]
