"""Every script for hosts is run in every shell that /bin/sh is on gateways; other tests choose one, see `shell_of`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from app.deployment.lan.interfaces import lan_interfaces
from app.deployment.messages import ROUTES_UNKNOWN
from app.deployment.single_host_rollback import roll_back_one
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.deployment import DeploymentState
from app.domain.errors import CommandFailed, DeadlineExceeded
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.script_files import host_script
from app.domain.solutions import Suite
from app.storage import Store
from app.tunnel import recover, temporary_group
from support.deploy_world import RUN_DIR, World, assert_untouched, build_and_vanish, let_leases_end, open_tunnel
from support.deployment_world import (
    DEPLOYED_LINKS,
    current,
    deploy_and_confirm,
    deployment_world,
    remove,
    started_tunnel,
    state_of,
)
from support.instance_vpn import InstanceVpn, failing_vpn
from support.made_up_deployment import deploy_and_keep, save_facts
from support.made_up_host import UNDERLAYS, LocalHost
from support.made_up_vpn import MadeUpVpn, daemon_step, link_step
from support.message_checks import has_message
from support.slow_removal import kill_removal, removing
from support.tunnel_state import still_up
from support.waiting import INSPECTIONS_S, wait_until

ON_REAL_NETWORKS = {
    *("join.sh", "part.sh", "lan-client.sh"),
    *("lan-guard.sh", "lan-unguard.sh", "lan-probe.sh", "lan-unprobe.sh"),
}
"""Move addresses and routes, and make firewall tables: tests of hosts that are network namespaces run them."""


def headline(name: str) -> str:
    """Return the first line that says what a script is for; no two scripts have the same one."""
    return next(line for line in host_script(name).splitlines() if line.startswith("# "))


def main_scripts() -> set[str]:
    """Return the scripts that are run by themselves, and not included by others."""
    folder = resources.files("resources").joinpath("templates", "host")
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()}
    included = {name for text in texts.values() for name in re.findall(r"^# @include (\S+)", text, re.MULTILINE)}
    return set(texts) - included | {"unlock.sh"}  # is included as the text of a file


class Recorder:
    """Record of all that is run as a script on a host: what comes over the connection, and what its own scripts start.

    Args:
        host: The host; its shell is watched from now on.
    """

    def __init__(self, host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> None:
        self._over_connection: list[str] = []
        self._started = host.root / "started"
        run = host.run

        def recording(command: Command, **more: object) -> CommandResult:
            self._over_connection += [*command.argv, (command.stdin or b"").decode()]
            return run(command, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(host, "run", recording)
        shell = host.root / "bin" / "sh"
        shell.unlink()
        shell.write_text(
            f'#!/bin/dash\n[ ! -f "$1" ] || sed -n 2p "$1" >> "{self._started}"\nexec {" ".join(host.shell)} "$@"\n'
        )
        shell.chmod(0o755)

    def has_seen(self, name: str) -> bool:
        """Whether a script was run."""
        line = headline(name)
        return any(line in text for text in (*self._over_connection, self._started.read_text()))


@pytest.fixture(params=["busybox sh", pytest.param("dash", marks=pytest.mark.full)])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path / "world", request.param) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path, world: World) -> Iterator[Store]:
    with Store.open(tmp_path / "t.db") as opened:
        save_facts(world, opened)
        yield opened


def build_switch_and_undo(world: World) -> None:
    """Build a tunnel, renew its lease, switch its suite, and undo it; let another one's lease end."""
    steps = (link_step("tmk0"), replace(daemon_step(RUN_DIR), depends_on_suite=True))
    lease = world.a.state_dir / "lease"
    for host in world.hosts:
        host.hold_clock()  # the short lease does not end because this computer is busy
    with open_tunnel(world, world.with_vpn(MadeUpVpn(steps=dict.fromkeys(Side, steps))), lease_s=6) as tunnel:
        before = lease.read_text()
        tunnel.switch(Suite("weak", "Weak"), token=CancelToken())
        world.a.move_clock(1)
        wait_until(lambda: lease.read_text() != before, "a renewal")
        assert still_up(tunnel)
    assert_untouched(world)
    for host in world.hosts:
        host.follow_clock()


def build_side_by_side(world: World) -> None:
    """Build two tunnels side by side, of which one fails and is undone alone; ask for the other one's processes."""
    requests = [world.with_vpn(vpn) for vpn in (InstanceVpn(), failing_vpn())]
    with temporary_group(world.sessions, requests, token=CancelToken(), on_stage=lambda *_: None) as group:
        assert (list(group.tunnels), list(group.failures)) == ([0], [1])
        assert all(host.links == {"eth1", "tmk0"} for host in world.hosts)
        assert group.tunnels[0].daemon_pids(Side.A)
    assert_untouched(world)


def deploy_replace_and_remove(world: World) -> None:
    """Deploy, fail to replace it in the very moment of confirming, and remove it on both hosts."""
    first, outcome = deploy_and_confirm(world)
    assert outcome.is_complete
    with started_tunnel(world) as one:
        one.confirmer.install(token=CancelToken())
        begin_undo = world.b.path(f"{STATE_DIR}/undo-begun").touch
        world.b.on_run = lambda command: begin_undo() if is_commit(command) else None
        assert one.confirmer.commit(token=CancelToken()).hosts
        world.b.on_run = None
    # What starts it again does so beside the work that has ended.
    with suppress(DeadlineExceeded):
        wait_until(
            lambda: all(is_up(host, first) for host in world.hosts),
            "the first deployment on both hosts",
            interval_s=INSPECTIONS_S,
        )
    assert all(is_up(host, first) for host in world.hosts), [described(host) for host in world.hosts]
    assert remove(world).is_complete
    assert_untouched(world)


def is_up(host: LocalHost, deployment_id: str) -> bool:
    """Whether a deployment is confirmed on a host, and is up."""
    return (current(host), host.links, state_of(host).is_on_host) == (deployment_id, DEPLOYED_LINKS, True)


def described(host: LocalHost) -> tuple[object, ...]:
    """Return what is on a host, and what its supervisors wrote down."""
    logs = {str(path): path.read_text()[-500:] for path in (host.root / "run").glob("*/.lasting/[!f]*")}
    return current(host), host.links, state_of(host), host.processes(), logs


def is_commit(command: Command) -> bool:
    return headline("commit.sh").encode() in (command.stdin or b"")


def remove_on_one_host(world: World, store: Store, gate: Path) -> None:
    """Remove on A alone: killed in the middle, freed after its lease, and done once more."""
    with removing(world, store, gate) as (one, work):
        kill_removal(world.a)
        (world.a.state_dir / "lease").write_text(f"{1:<10}\n")
        assert recover(world.sessions, token=CancelToken()).a.is_clean
        with pytest.raises(CommandFailed):
            work.result(timeout=120)
    half = roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
    assert (half.state, world.a.links) == (DeploymentState.HALF_CONFIRMED, {"eth1"})


def inspect_interfaces(world: World) -> None:
    """Ask A for its interfaces; the made-up network does not say which one the connection runs over."""
    with pytest.raises(CommandFailed, check=has_message(ROUTES_UNKNOWN)):
        lan_interfaces(world.a, world.request.facts_a, UNDERLAYS[Side.A], token=CancelToken())


def test_every_script_is_run_in_every_shell(
    world: World, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorders = [Recorder(host, monkeypatch) for host in world.hosts]
    build_switch_and_undo(world)
    build_side_by_side(world)
    build_and_vanish(world, lease_s=30)
    let_leases_end(world)
    for host in world.hosts:
        host.follow_clock()
    deploy_replace_and_remove(world)
    inspect_interfaces(world)
    deploy_and_keep(world, store)
    remove_on_one_host(world, store, tmp_path / "gate")
    unseen = {name for name in main_scripts() if not any(recorder.has_seen(name) for recorder in recorders)}
    assert unseen == ON_REAL_NETWORKS


def test_scripts_can_be_reported_by_their_first_lines() -> None:
    names = main_scripts()
    assert len({headline(name) for name in names}) == len(names)
