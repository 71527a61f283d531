"""Reports to the user where a host is not as before."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.events import Decision, DeploymentEvent, DeploymentNote, DeploymentStage, DeploymentStageStarted
from app.deployment.host_changes import lost_on_the_way, reported_differences
from app.deployment.messages import HOST_ADDRESS_GONE, NOT_AS_IT_WAS, ROUTE_GONE
from app.deployment.slots import persistent_link, slot_dir
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.deployment import DeploymentOptions
from app.domain.errors import CommandFailed
from app.domain.hosts import PairSpec, Side
from app.domain.link import Link
from app.domain.script_files import host_script
from app.host.messages import PART_IS_NEW
from app.host.snapshots import HostSnapshot, SnapshotDepth
from app.storage import Store
from support.deployment_world import deployment_world
from support.made_up_deployment import Answers, Operations, deploy, deploy_and_keep, save_facts
from support.made_up_vpn import MadeUpVpn, step

LINK = persistent_link(Link("192.0.2.1", "192.0.2.2"), "0" * 16, 0)
PAIR = cast("PairSpec", SimpleNamespace(host=lambda side: SimpleNamespace(label=f"gateway-{side.value}")))
JOINED = {
    "interface": {"lan0": "<UP> mtu 1500 master tmlbr0 state UP", "tml0": "<UP> master tmlbr0", "tmlbr0": "<UP>"},
    "address": (
        "eth1 inet 192.0.2.1/24 brd 192.0.2.255 scope global eth1",
        "tmlbr0 inet 10.77.0.101/24 brd 10.77.0.127 scope global tmlbr0",
        "tmlbr0 inet 10.77.0.111/24 scope global secondary tmlbr0",
        "tmlbr0 inet 198.19.0.1/24 scope global tmlbr0",
        "tmlbr0 inet6 fe80::1/64 scope link",
    ),
    "route": (
        "default via 192.0.2.254 dev eth1",
        "198.51.100.0/24 via 10.77.0.254 dev tmlbr0",
        "10.77.0.0/24 dev tmlbr0 proto kernel scope link src 10.77.0.101",
        "198.19.0.0/24 dev tmlbr0 proto kernel scope link src 198.19.0.1",
        "unreachable 198.19.1.2 metric 4000",
        "fe80::/64 dev tmlbr0 proto kernel metric 256",
    ),
}
PARTED = (
    "eth1 inet 192.0.2.1/24 brd 192.0.2.255 scope global eth1",
    "lan0 inet 10.77.0.101/24 brd 10.77.0.127 scope global lan0",
    "lan0 inet 10.77.0.111/24 scope global secondary lan0:1",
)
ROUTES = ("default via 192.0.2.254 dev eth1", "198.51.100.0/24 via 10.77.0.254 dev lan0")


def snapshot(**parts: object) -> HostSnapshot:
    found = {
        name: lines if isinstance(lines, dict) else dict.fromkeys(cast("tuple[str, ...]", lines), "")
        for name, lines in parts.items()
    }
    return HostSnapshot(SnapshotDepth.QUICK, found)


def lost(after: HostSnapshot) -> tuple[str, ...]:
    return lost_on_the_way(PAIR, LINK, {Side.A: snapshot(**JOINED)}, {Side.A: after})


def test_nothing_is_reported_where_the_lan_port_has_everything_back() -> None:
    assert lost(snapshot(interface={"lan0": "<UP>"}, address=PARTED, route=ROUTES)) == ()


def test_an_address_or_a_route_that_did_not_come_back_is_reported() -> None:
    assert lost(snapshot(interface={"lan0": "<UP>"}, address=PARTED[:2], route=ROUTES[:1])) == (
        f"gateway-a: {HOST_ADDRESS_GONE(address='10.77.0.111/24', device='lan0')}",
        f"gateway-a: {ROUTE_GONE(route='198.51.100.0/24 via 10.77.0.254 dev lan0')}",
    )


def test_hosts_that_could_not_be_inspected_say_nothing() -> None:
    assert lost_on_the_way(PAIR, LINK, {}, {Side.A: snapshot()}) == ()


def test_interfaces_of_what_was_started_again_are_no_difference() -> None:
    found = (
        "gateway-a: The interface tml0 was `a` and is now `b`.",
        "gateway-a: The address lan0 inet 10.0.0.1 is gone.",
    )
    assert len(reported_differences(found, is_replacing=False)) == 2
    (one,) = reported_differences(found, is_replacing=True)
    assert one == NOT_AS_IT_WAS(what=found[1])


def test_a_user_learns_what_is_otherwise_on_a_host_after_a_deployment_that_failed(tmp_path: Path) -> None:
    route = "10.5.0.0/16 via 192.0.2.9 dev eth1"
    events: list[DeploymentEvent] = []
    with deployment_world(tmp_path / "world") as world, Store.open(tmp_path / "t.db") as store:
        routes = str(world.a.net / "routes")
        other_user = step("Meanwhile somebody adds a route", 'echo "$2" >> "$1"', None, routes, route)
        vpn = MadeUpVpn(interface="tml0", steps={Side.A: (other_user, step("Fail", "exit 1", None))})
        with pytest.raises(CommandFailed):
            deploy(world, store, events, vpn=vpn)
    reported = [event.text for event in events if isinstance(event, DeploymentNote) and event.is_warning]
    assert reported == [NOT_AS_IT_WAS(what=f"gateway-a: {PART_IS_NEW(kind='route', name=route)}")]


def test_removing_speaks_of_no_keys_and_of_nothing_lost(tmp_path: Path) -> None:
    events: list[DeploymentEvent] = []
    with deployment_world(tmp_path / "world") as world, Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        Operations(world, store).undeploy(one.pair, token=CancelToken(), emit=events.append)
    stages = [event.stage for event in events if isinstance(event, DeploymentStageStarted)]
    assert list(dict.fromkeys(stages)) == [DeploymentStage.PREPARE, DeploymentStage.ARM, DeploymentStage.ROLLBACK]
    assert [event.text for event in events if isinstance(event, DeploymentNote)] == []


_WARNED = "gateway-a: lan0 has no DHCP client any more."


def warned(events: list[DeploymentEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, DeploymentNote) and event.is_warning]


@pytest.mark.parametrize(
    "way",
    [
        *("failed", "removed on one host"),
        *(pytest.param(way, marks=pytest.mark.full) for way in ("removed", "stopped and removed")),
    ],
)
def test_what_a_rollback_warns_of_is_reported_though_it_succeeds(tmp_path: Path, way: str) -> None:
    warning = step("Join", ":", "echo 'tunnelmark: warning: lan0 has no DHCP client any more.' >&2")
    failing = (step("Fail", "exit 1", None),) if way == "failed" else ()
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (warning, *failing)})
    events: list[DeploymentEvent] = []
    with deployment_world(tmp_path / "world") as world, Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        if way == "failed":
            with pytest.raises(CommandFailed):
                deploy(world, store, events, vpn=vpn)
            assert warned(events) == [_WARNED]
            return
        options = DeploymentOptions(confirm_within_s=30.0)
        one = deploy(world, store, vpn=vpn, options=options, user=Answers(Decision.CONFIRM))
        services = Operations(world, store)
        if way == "stopped and removed":
            # A service manager has taken it down before, and has the warnings.
            stop = Command(("sh", f"{slot_dir(one.slot)}/start.sh", "stop"), timeout_s=30.0, is_root=True)
            assert "lan0 has no DHCP client" in world.hosts[0].run(stop, token=CancelToken()).stdout
        if way != "removed on one host":
            services.undeploy(one.pair, token=CancelToken(), emit=events.append)
            assert warned(events) == [_WARNED]
        else:
            services.undeploy_one(one.pair, Side.A, token=CancelToken(), emit=events.append)
            assert "lan0 has no DHCP client any more." in warned(events)[0]


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=["dash", "busybox"])
def test_only_warnings_of_our_own_scripts_are_passed_on(tmp_path: Path, shell: tuple[str, ...]) -> None:
    log = tmp_path / "log"
    log.write_text(f"warning: of another program\ntunnelmark: warning: lan0 has no client %s\n{'x' * 5000}\n")
    script = host_script("process.sh") + 'print_warnings "$1" "    warning: "; print_warnings "$1.none" "x"; echo on'
    done = subprocess.run([*shell, "-c", script, "sh", str(log)], capture_output=True, text=True, check=True)
    assert done.stdout == "    warning: lan0 has no client %s\non\n"
