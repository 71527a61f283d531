from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.deployment.slots import persistent_link
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite
from app.domain.errors import PrivilegeMissing
from app.domain.hosts import PackageManager, Side, Tool, ToolFlavour
from app.domain.link import STATE_DIR, Link
from app.host.inspection import Inspection, Reach
from app.host.snapshots import HostSnapshot, SnapshotDepth
from app.tunnel import DeployRequest, Obstacle, preflight, preview
from app.tunnel.lock_owner import is_dead, owner_key, owner_text
from app.tunnel.messages import (
    FILE_PRESENT,
    FOLDER_ON_DISK,
    FREE_ONLY_PORT,
    HOST_WORKED_ON,
    INTERFACE_PRESENT,
    LITTLE_SPACE,
    NO_PING_ON_HOST,
    NO_ROUTE_TO_PEER,
    PEER_SILENT,
    PORT_IN_USE,
    SUBNET_IN_USE,
    UNDERLAY_ADDRESS_MISSING,
    UNDERLAY_SUBNET_IN_USE,
)
from app.tunnel.plan import plan_of
from app.tunnel.preflight import obstacles_on
from app.tunnel.request import ReplacedDeployment
from support.adapter_cases import facts
from support.adapter_cases import request as adapter_request
from support.deploy_world import World, make_world, open_tunnel
from support.made_up_vpn import MADE_DIR, MadeUpVpn, link_step, step
from support.message_checks import has_message
from vpn_adapters.ipsec import adapter as ipsec


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def obstacles(world: World, request: DeployRequest | None = None) -> tuple[Obstacle, ...]:
    return preflight(world.sessions, request or world.request, token=CancelToken())


def test_hosts_with_nothing_in_the_way(world: World) -> None:
    assert obstacles(world) == ()
    assert not world.a.state_dir.exists()


def test_a_run_folder_that_outlives_a_restart_is_warned_of(world: World) -> None:
    world.b.mount_run("ext4")
    (found,) = obstacles(world)
    assert (found.side, found.is_blocking) == (Side.B, False)
    assert has_message(FOLDER_ON_DISK, folder="/run", host="gateway-b", storage="ext4")(found.what)
    world.b.mount_run("ramfs")
    assert obstacles(world) == ()


def test_the_mount_that_counts_is_the_longest_and_the_last(world: World) -> None:
    run = world.a.root.resolve() / "run"
    mounts = world.a.root / "mounts"
    for lines, is_warned in (
        (f"/ tmpfs|{run}x tmpfs|{run} ext4", True),
        (f"{run} ext4|{run} tmpfs|/ ext4", False),
        (f"{run}/other ext4|{run.parent} tmpfs", False),
        ("", False),
    ):
        mounts.write_text("".join(f"none {line} rw 0 0\n" for line in lines.split("|")))
        assert bool(obstacles(world)) is is_warned, lines


def test_missing_underlay_address(world: World) -> None:
    request = replace(world.request, link=Link("192.0.2.1", "192.0.2.77"))
    (found,) = obstacles(world, request)
    assert found.side is Side.B
    assert has_message(UNDERLAY_ADDRESS_MISSING, address="192.0.2.77")(found.what)


def test_peer_that_is_silent_in_both_directions_blocks(world: World) -> None:
    for host in world.hosts:
        (host.net / "deaf").touch()
    found = obstacles(world)
    assert [item.is_blocking for item in found] == [True, True]
    assert has_message(PEER_SILENT, host="gateway-a", peer="192.0.2.2")(found[0].what)


def test_a_host_without_ping_is_reported_to_get_one(world: World) -> None:
    for host in world.hosts:
        (host.net / "deaf").touch()
    no_ping = {"ping": Tool("ping", ToolFlavour.MISSING, "")}
    without = replace(world.request.facts_a, tools=no_ping, package_manager=PackageManager.APT)
    found = obstacles(world, replace(world.request, facts_a=without))
    reported = NO_PING_ON_HOST(host="gateway-a", peer="192.0.2.2", package="iputils-ping")
    assert (found[0].what, found[0].hint) == (reported, reported.hint)
    assert has_message(PEER_SILENT, host="gateway-b", peer="192.0.2.1")(found[1].what)


def test_peer_that_is_silent_in_one_direction_is_a_warning(world: World) -> None:
    (world.a.net / "deaf").touch()
    assert [item.is_blocking for item in obstacles(world)] == [False]
    with open_tunnel(world, world.with_vpn(MadeUpVpn(interface="", has_identity=False))) as tunnel:
        assert has_message(PEER_SILENT)(tunnel.warnings[0].what)


def test_no_route_to_the_peer(world: World) -> None:
    (world.a.net / "deaf").touch()
    script = (world.a.root / "bin" / "ip").read_text()
    (world.a.root / "bin" / "ip").write_text(script.replace("exit 0\n", "case $2 in get) exit 2 ;; esac\nexit 0\n"))
    assert any(
        has_message(NO_ROUTE_TO_PEER, peer="192.0.2.2")(item.what) and item.is_blocking for item in obstacles(world)
    )


@pytest.mark.parametrize(
    "line",
    [
        "inet 198.18.0.9/24 scope global",
        "inet 198.18.0.0/15 scope global",
        "inet 198.18.0.9/24 brd 198.18.0.255 scope global",  # one cause, one obstacle
    ],
)
def test_address_in_the_tunnels_subnet(world: World, line: str) -> None:
    path = world.b.net / "addresses"
    path.write_text(path.read_text() + f"4: eth5    {line} eth5\n")
    (found,) = obstacles(world)
    assert found.side is Side.B
    assert has_message(SUBNET_IN_USE, host="gateway-b")(found.what)
    assert found.hint == found.what.hint


def test_no_hint_removes_the_address_by_which_the_hosts_reach_each_other(world: World) -> None:
    path = world.a.net / "addresses"
    path.write_text(path.read_text() + "4: eth5    inet 192.0.2.1/24 scope global eth5\n")
    link = replace(world.request.link, inner_a="192.0.2.121/30", inner_b="192.0.2.122/30")
    found = [one for one in obstacles(world, replace(world.request, link=link)) if "192.0.2.0/24" in one.what]
    assert Side.A in {one.side for one in found}
    for one in found:
        assert has_message(UNDERLAY_SUBNET_IN_USE)(one.what)
        assert one.hint == one.what.hint


def test_default_route_is_no_clash(world: World) -> None:
    path = world.a.net / "routes"
    path.write_text(path.read_text() + "0.0.0.0/0 via 192.0.2.254 dev eth1\n")
    assert obstacles(world) == ()


def test_route_into_the_tunnels_subnet(world: World) -> None:
    path = world.a.net / "routes"
    path.write_text(path.read_text() + "198.18.0.0/16 via 192.0.2.254 dev eth1\n")
    assert [item.side for item in obstacles(world)] == [Side.A]


def test_names_that_are_taken(world: World) -> None:
    (world.a.net / "links" / "tmk0").touch()
    (world.a.net / "links" / "tmkwg0").touch()
    assert [item.what for item in obstacles(world)] == [INTERFACE_PRESENT(interface="tmk0", host="gateway-a")]
    both = MadeUpVpn(steps={side: (link_step("tmkwg0"), link_step("tmk0")) for side in Side})
    assert len(obstacles(world, world.with_vpn(both))) == 2


def test_files_that_are_there(world: World) -> None:
    world.a.path(MADE_DIR).mkdir()
    world.a.path(f"{MADE_DIR}/there").symlink_to("nowhere")
    files = {Side.A: (FileToWrite(f"{MADE_DIR}/there", b""), FileToWrite(f"{MADE_DIR}/free", b""))}
    (found,) = obstacles(world, world.with_vpn(MadeUpVpn(files=files)))
    assert has_message(FILE_PRESENT, path=f"{MADE_DIR}/there")(found.what)


def test_little_space(world: World) -> None:
    request = replace(world.request, facts_b=replace(world.request.facts_b, disk_free_mib={"/run": 0, "/": 900}))
    (found,) = obstacles(world, request)
    assert (found.side, has_message(LITTLE_SPACE, folder="/run")(found.what)) == (Side.B, True)


def test_missing_rights(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_words: object, **_named: object) -> None:
        raise PrivilegeMissing("plain may not do that.", hint="Allow sudo.")

    monkeypatch.setattr(world.a, "run", refuse)
    assert obstacles(world)[0] == Obstacle(Side.A, "plain may not do that.", "Allow sudo.")


def test_lock(world: World) -> None:
    with open_tunnel(world):
        found = obstacles(world)
    assert any(has_message(HOST_WORKED_ON, host="gateway-a")(item.what) for item in found)


def test_preview_shows_every_file_and_command_with_its_undo_and_touches_nothing(world: World) -> None:
    items = preview(world.request)
    on_a = [item for item in items if item.side == "a"]
    assert [item.kind for item in on_a] == ["command", "undo", "command", "undo", "file", *["command", "undo"] * 2]
    assert on_a[1].text == f"sh {STATE_DIR}/undo.sh"
    assert on_a[4].text == "peer <public-of-b>\n"
    assert on_a[5].text == "ip link add tmk0"
    assert on_a[6].text == "ip link del tmk0"
    assert world.a.commands == []


def test_preview_never_shows_what_goes_to_stdin(world: World) -> None:
    made = step("Keep", "cat", "true")
    vpn = MadeUpVpn(steps={Side.A: (replace(made, command=replace(made.command, stdin=b"hunter2")),)})
    text = repr(preview(world.with_vpn(vpn)))
    assert "hunter2" not in text
    assert "a secret that is never shown" in text


def test_owner_is_reported_and_known_again() -> None:
    assert owner_text().isprintable()
    assert not is_dead(owner_key())
    computer, pid, _ = owner_key().split(":")
    assert is_dead(f"{computer}:{pid}:1")
    assert is_dead(f"{computer}:999999999:1")
    assert not is_dead("another computer:999999999:1")
    assert not is_dead("")


def bridge_addresses(world: World) -> None:
    """The deployment is in a bridge with a LAN port, whose address is on the bridge now; WireGuard is below it."""
    path = world.a.net / "addresses"
    lines = (
        "4: tmlbr0    inet 198.19.0.1/24 scope global tmlbr0",
        "4: tmlbr0    inet 10.77.0.101/24 scope global tmlbr0",
        "5: tmlwg0    inet 198.19.1.1/32 scope global tmlwg0",
    )
    path.write_text(path.read_text() + "".join(f"{line}\n" for line in lines))
    (world.a.net / "links" / "tml0").touch()


def replacement(world: World, room: ReplacedDeployment, link: Link) -> DeployRequest:
    both = MadeUpVpn(interface="tml0", steps={side: (link_step("tml0"),) for side in Side})
    return replace(world.with_vpn(both), link=link, state_dir=STATE_DIR, replaced={Side.A: room})


def test_what_makes_room_is_not_in_the_way_of_what_takes_its_place(world: World) -> None:
    bridge_addresses(world)
    link = persistent_link(world.request.link, "0" * 16, 0)
    assert obstacles(world, replacement(world, ReplacedDeployment(link), link)) == ()
    without_room = replace(replacement(world, ReplacedDeployment(link), link), replaced={})
    assert {one.is_blocking for one in obstacles(world, without_room)} == {True}


def test_the_guard_route_of_what_makes_room_is_not_in_the_way(world: World) -> None:
    link = persistent_link(world.request.link, "0" * 16, 0)
    path = world.a.net / "routes"
    path.write_text(path.read_text() + f"unreachable {link.carrier_b} metric 4278198272\n")
    steps = {side: (step("Name the peer", f"echo {link.carrier(side.other)}", "true"),) for side in Side}
    request = replace(world.with_vpn(MadeUpVpn(interface="tml0", steps=steps)), link=link, state_dir=STATE_DIR)
    assert obstacles(world, replace(request, replaced={Side.A: ReplacedDeployment(link)})) == ()
    (found,) = obstacles(world, request)
    assert has_message(SUBNET_IN_USE, network=f"{link.carrier_b}/32")(found.what)


def test_a_replacements_addresses_must_not_lie_in_the_network_of_the_plant(world: World) -> None:
    bridge_addresses(world)
    occupied = persistent_link(world.request.link, "0" * 16, 0)
    link = persistent_link(world.request.link, "1" * 16, 0, inner_a="10.77.0.7/24", inner_b="10.77.0.8/24")
    (found,) = obstacles(world, replacement(world, ReplacedDeployment(occupied), link))
    assert found.is_blocking
    assert has_message(SUBNET_IN_USE, network="10.77.0.0/24")(found.what)


def test_where_it_is_not_known_what_makes_room_is_made_of_all_is_a_warning(world: World) -> None:
    bridge_addresses(world)
    link = persistent_link(world.request.link, "0" * 16, 0)
    found = obstacles(world, replacement(world, ReplacedDeployment(None), link))
    assert len(found) > 1
    assert not any(one.is_blocking for one in found)


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize("port", [500, 4500])
def test_ipsec_is_refused_where_its_fixed_ports_are_in_use(world: World, side: Side, port: int) -> None:
    listens = (
        ipsec.plan(adapter_request(ipsec, *ipsec.suites(facts("debian-13"), facts("debian-13"))[:1])).on(side).listens
    )
    plan = plan_of(world.request)
    plan = replace(plan, a=replace(plan.a, listens=listens), b=replace(plan.b, listens=listens))
    snapshot = HostSnapshot(SnapshotDepth.QUICK, {"socket": {f"udp 0.0.0.0 port {port}": ""}})
    inspections = {side: Inspection(snapshot, None, Reach.ANSWERS, (), "")}
    found = [one for one in obstacles_on(side, world.request, plan, inspections) if has_message(PORT_IN_USE)(one.what)]
    in_use = PORT_IN_USE(port=port, protocol="udp", host=f"gateway-{side}")
    assert [(one.side, one.is_blocking, one.what) for one in found] == [(side, True, in_use)]
    assert has_message(FREE_ONLY_PORT)(found[0].hint)


def test_only_the_ports_of_what_makes_room_are_free_for_what_comes_next(world: World) -> None:
    link = persistent_link(world.request.link, "0" * 16, 0)
    port = ("udp", link.names.udp_port)
    snapshot = HostSnapshot(SnapshotDepth.QUICK, {"socket": {f"udp 0.0.0.0 port {port[1]}": ""}})
    inspections = {Side.A: Inspection(snapshot, None, Reach.ANSWERS, (), "")}

    def found(room: ReplacedDeployment) -> list[str]:
        request = replacement(world, room, link)
        plan = plan_of(request)
        plan = replace(plan, a=replace(plan.a, listens=(port,)))
        return [
            one.what for one in obstacles_on(Side.A, request, plan, inspections) if has_message(PORT_IN_USE)(one.what)
        ]

    assert found(ReplacedDeployment(link, (port,))) == []
    # Another VPN on the port that this slot has for OpenVPN, where WireGuard is deployed.
    assert found(ReplacedDeployment(link, (("udp", link.names.wireguard_port),))) == [
        PORT_IN_USE(port=port[1], protocol="udp", host="gateway-a")
    ]
