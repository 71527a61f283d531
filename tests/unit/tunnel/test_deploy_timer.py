"""Rollback of hosts by themselves once their leases are no longer renewed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.domain.adapters import IdentityRecipe, PlanRequest
from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, ConnectionLost, HostUnreachable
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.host.inspection import take_snapshot
from app.tunnel import DeployRequest
from app.tunnel.acquire import AcquireRequest
from app.tunnel.messages import LEASE_RAN_OUT, SCRIPT_ENDED, UNDONE_BY_HAND
from app.tunnel.preflight import remote_hosts
from app.tunnel.transaction import Transaction
from support.deploy_world import (
    BEYOND_LEASES_S,
    RUN_DIR,
    World,
    build_and_vanish,
    ignore_stage,
    let_leases_end,
    open_tunnel,
    running_world,
    shell_of,
    wait_until_untouched,
)
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.swapping import swap
from support.tunnel_state import still_up
from support.waiting import wait_until

SHORT_LEASE_S = 1.5
"""Is renewed twice a second; on a host whose clock is stopped it does not end meanwhile."""


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


def test_hosts_roll_back_by_themselves_when_no_one_is_heard_of(world: World) -> None:
    build_and_vanish(world, lease_s=30)
    assert world.a.links == {"eth1", "tmk0"}
    let_leases_end(world)


def note_sleeps(host: LocalHost) -> Path:
    """Have a host write down how long its scripts sleep, and let them sleep a moment; return the file.

    A lease that cannot be read is over after 60 sleeps: 15 s are enough for what is done meanwhile.
    """
    noted, program = host.root / "sleeps", host.root / "bin" / "sleep"
    noted.touch()
    program.write_text(
        f'#!/bin/sh\necho "$1" >> {noted}\ncase $1 in 0.*) ;; *) set -- 0.25 ;; esac\nexec /bin/sleep "$1"\n'
    )
    program.chmod(0o755)
    return noted


@pytest.mark.parametrize("name", ["id", "watcher", "lease"])
def test_what_cannot_be_read_for_a_moment_ends_no_lease(held_world: World, name: str) -> None:
    world = held_world
    noted = {host.side: note_sleeps(host) for host in world.hosts}
    build_and_vanish(world, lease_s=30)
    for host in world.hosts:
        away = host.state_dir / "away"
        away.mkdir()
        swap(host.state_dir / name, away)  # at once: a file that is missing does end a timer
        before = len(noted[host.side].read_text()) if noted[host.side].exists() else 0
        wait_until(lambda host=host, before=before: "1\n1\n" in noted[host.side].read_text()[before:], "two looks")
        swap(host.state_dir / name, away)
        away.rmdir()
        assert host.links == {"eth1", "tmk0"}
    let_leases_end(world)


def test_undo_that_fails_is_tried_until_it_succeeds(world: World) -> None:
    for host in world.hosts:
        quick = host.root / "bin" / "sleep"
        quick.write_text("#!/bin/sh\nexec /bin/sleep 0.02\n")
        quick.chmod(0o755)
    stuck, tries = world.a.root / "stuck", world.a.root / "tries"
    stuck.touch()
    undo = f"echo >> {tries}; [ ! -e {stuck} ]"
    vpn = MadeUpVpn(steps={Side.A: (link_step("tmk0"), step("Stick", "true", undo)), Side.B: (link_step("tmk0"),)})
    build_and_vanish(world, world.with_vpn(vpn), lease_s=30)
    for host in world.hosts:
        host.move_clock(BEYOND_LEASES_S)
    wait_until(lambda: tries.exists() and len(tries.read_text()) > 12, "the twelfth try")
    assert world.a.state_dir.exists()
    stuck.unlink()
    wait_until_untouched(world)


@pytest.fixture
def held_world(world: World) -> World:
    """Two hosts whose clocks are stopped."""
    for host in world.hosts:
        host.hold_clock()
    return world


def renewals(host: LocalHost) -> Callable[[], bool]:
    """Return a condition that holds once a host's lease has been renewed from now on."""
    lease = host.state_dir / "lease"
    before = lease.stat().st_mtime_ns
    return lambda: lease.stat().st_mtime_ns > before


def test_lease_is_renewed_as_long_as_the_tunnel_is_wanted(held_world: World) -> None:
    world, lease = held_world, held_world.a.state_dir / "lease"
    with open_tunnel(world, lease_s=SHORT_LEASE_S) as tunnel:
        first = int(lease.read_text())
        for host in world.hosts:
            host.move_clock(1)
        wait_until(lambda: int(lease.read_text()) == first + 1, "a renewal")
        wait_until(renewals(world.a), "another one")
        assert tunnel.lost == {}
        assert still_up(tunnel)
    wait_until_untouched(world)


@dataclass
class SlowKeys(MadeUpVpn):
    """Making a key on one side takes until that host's lease has been renewed twice."""

    slow_on: Side = Side.A

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        recipe = super().identity(request, side)
        if side is not self.slow_on:
            return recipe
        script = """
        for renewal in 1 2; do
            : > "$1/seen"
            until [ "$1/lease" -nt "$1/seen" ]; do sleep 0.1; done
        done
        """
        return replace(recipe, steps=(step("Be slow", script, None, STATE_DIR), *recipe.steps))


@pytest.mark.parametrize("side", [Side.A, pytest.param(Side.B, marks=pytest.mark.full)])
def test_lease_is_renewed_while_keys_are_made(held_world: World, side: Side) -> None:
    world = held_world
    with open_tunnel(world, world.with_vpn(SlowKeys(slow_on=side)), lease_s=SHORT_LEASE_S) as tunnel:
        assert tunnel.lost == {}
        assert still_up(tunnel)
    wait_until_untouched(world)


def test_lease_of_the_first_host_is_renewed_while_the_other_one_is_locked(
    held_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B is given up only once A's lease has been renewed twice."""
    world = held_world
    monkeypatch.setattr("app.tunnel.lock_conflict.PATIENCE_S", 60.0)
    other = World(world.b, world.b, world.request)
    taken = Transaction(remote_hosts(other.sessions, STATE_DIR), on_stage=ignore_stage, audit=None, lease_s=600)
    taken._acquire_host(Side.B, AcquireRequest(RUN_DIR, IdentityRecipe(), world.request.link.underlay_a), CancelToken())
    lease = world.a.state_dir / "lease"

    def give_up() -> None:
        wait_until(lambda: lease.exists() and lease.stat().st_size == 11, "A's lease")
        for number in range(2):
            wait_until(renewals(world.a), f"renewal {number}")
        taken.roll_back(lambda _side: (), cause=None)

    with ThreadPoolExecutor(1) as pool:
        given_up = pool.submit(give_up)
        with open_tunnel(world, lease_s=SHORT_LEASE_S) as tunnel:
            assert tunnel.lost == {}
        given_up.result()
    wait_until_untouched(world)


def cut_for_good(world: World) -> None:
    """Cut the connections to both hosts, and let no others come up."""
    for host in world.hosts:
        host.is_cut, host.can_reconnect, host.can_connect_anew = True, False, False


def open_and_die(world: World, request: DeployRequest) -> None:
    """Open a tunnel during which both hosts are cut off for good, and see both roll back when their leases end."""
    for host in world.hosts:
        host.does_hang_up = False
    with pytest.raises((ConnectionLost, HostUnreachable)), open_tunnel(world, request, lease_s=30):
        pass
    let_leases_end(world)


@pytest.mark.parametrize("mark", ["hello", "armed", "identity", "step", "built", "finished"])
def test_computer_that_dies_at_any_moment_leaves_nothing(
    world: World, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 0.0)

    def die(line: str) -> None:
        words = line.split(" ")
        if len(words) > 1 and len(words[0]) == 16 and words[1] == mark:
            cut_for_good(world)

    world.b.on_line = die
    open_and_die(world, world.request)


class EndlessKeys(MadeUpVpn):
    """Making a key on A never ends."""

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        recipe = super().identity(request, side)
        if side is not Side.A:
            return recipe
        script = ': > "$1/making"; while :; do sleep 0.1; done'
        return replace(recipe, steps=(step("Be slow", script, None, STATE_DIR), *recipe.steps))


def test_lease_that_ends_while_a_key_is_made_restores_the_hosts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rollback timer ends the script that has started it, and not itself."""
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 0.0)

    def die(line: str) -> None:
        if line.endswith(" armed"):
            wait_until((world.a.state_dir / "making").exists, "the key in the making")
            cut_for_good(world)

    world.a.on_line = die
    open_and_die(world, world.with_vpn(EndlessKeys()))


def when_a_is_slow(world: World, action: Callable[[], object]) -> None:
    """Do something once B is up and A's slow step runs."""

    def on_line(line: str) -> None:
        if line.endswith(" built"):
            wait_until((world.a.net / "begun").exists, "the slow step")
            action()

    world.b.on_line = on_line


def let_lease_of_a_end(world: World) -> None:
    folder = world.a.state_dir
    world.a.pass_time(
        BEYOND_LEASES_S, lambda: (folder / "undo-begun").exists() or not folder.exists(), "the rollback timer of A"
    )


def test_timer_ends_a_step_that_is_still_running(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 0.0)
    slow = step("Be slow", ': > "$1/begun"; sleep 500; ip link add tmk0', "ip link del tmk0", str(world.a.net))
    vpn = MadeUpVpn(steps={Side.A: (slow,), Side.B: (link_step("tmk0"),)})
    world.a.does_hang_up = False

    def die() -> None:
        for host in world.hosts:
            host.is_cut, host.can_reconnect = True, False
        let_lease_of_a_end(world)

    when_a_is_slow(world, die)
    with (
        pytest.raises((ConnectionLost, HostUnreachable)),
        open_tunnel(world, world.with_vpn(vpn), lease_s=30),
    ):
        pass
    let_leases_end(world)


def slow_on_a(world: World) -> MadeUpVpn:
    """Return a VPN whose step on A makes the file `begun` and does not end."""
    slow = step("Be slow", ': > "$1/begun"; sleep 500', "true", str(world.a.net))
    return MadeUpVpn(steps={Side.A: (slow,), Side.B: (link_step("tmk0"),)})


def test_what_the_timer_removes_while_it_is_built_is_reported_as_such(world: World) -> None:
    when_a_is_slow(world, lambda: let_lease_of_a_end(world))
    with (
        pytest.raises(CommandFailed, check=has_message(LEASE_RAN_OUT, host="gateway-a")),
        open_tunnel(world, world.with_vpn(slow_on_a(world)), lease_s=60),
    ):
        pass
    wait_until_untouched(world)


def test_who_runs_the_undo_while_it_is_built_is_not_taken_for_the_timer(world: World) -> None:
    when_a_is_slow(world, lambda: world.a.shell_run("sh", f"{STATE_DIR}/undo.sh"))
    with (
        pytest.raises(CommandFailed, check=has_message(UNDONE_BY_HAND, host="gateway-a")),
        open_tunnel(world, world.with_vpn(slow_on_a(world)), lease_s=60),
    ):
        pass
    wait_until_untouched(world)


def test_what_is_killed_by_others_is_not_reported_to_be_rolled_back(world: World) -> None:
    def kill() -> None:
        runner, _, _ = (world.a.state_dir / "runner").read_text().partition(":")
        os.kill(int(runner), signal.SIGKILL)

    when_a_is_slow(world, kill)
    with (
        pytest.raises(CommandFailed, check=has_message(SCRIPT_ENDED, host="gateway-a")),
        open_tunnel(world, world.with_vpn(slow_on_a(world)), lease_s=60),
    ):
        pass
    wait_until_untouched(world)


def test_tunnel_that_the_timer_took_away_is_reported_to_be_lost(held_world: World) -> None:
    world = held_world
    with open_tunnel(world, lease_s=SHORT_LEASE_S) as tunnel:
        done = world.a.shell_run("sh", f"{STATE_DIR}/undo.sh")
        assert done.returncode == 0, done.stderr
        wait_until(lambda: Side.A in tunnel.lost, "the loss to be noticed")
        assert "gateway-a" in tunnel.lost[Side.A]
        assert not still_up(tunnel)
    wait_until_untouched(world)


def test_renewing_needs_no_free_space(held_world: World) -> None:
    world = held_world
    build = build_and_vanish(world, lease_s=30)
    lease = world.a.state_dir / "lease"
    before = lease.stat()
    end = build.work.hosts[Side.A]
    lease.write_text(f"{int(lease.read_text()) - 20:<10}\n")
    build.work._lease._token = CancelToken()
    build.work._lease._renew(end)
    assert lease.stat().st_ino == before.st_ino
    assert lease.stat().st_size == before.st_size == 11
    build.work.roll_back(build.words, cause=None)
    wait_until_untouched(world)


def test_lease_that_is_over_cannot_be_renewed(world: World) -> None:
    build = build_and_vanish(world, lease_s=30)
    end = build.work.hosts[Side.A]
    (world.a.state_dir / "lease").write_text(f"{1:<10}\n")
    build.work._lease._token = CancelToken()
    build.work._lease._renew(end)
    assert "gateway-a" in build.work._lease.lost[Side.A]
    build.work.roll_back(build.words, cause=None)
    wait_until_untouched(world)


def test_state_on_the_host_is_for_root_alone(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    for path in world.a.state_dir.rglob("*"):
        assert path.stat().st_mode & 0o077 in (0, 0o044), path  # config is 0644 by the adapter's wish
    assert world.a.state_dir.stat().st_mode & 0o777 == 0o700
    build.work.roll_back(build.words, cause=None)


def test_snapshot_of_a_host_sees_the_folder(world: World) -> None:
    build = build_and_vanish(world, lease_s=600)
    assert take_snapshot(world.a, token=CancelToken()).part("folder") == {STATE_DIR: "there"}
    build.work.roll_back(build.words, cause=None)
    assert take_snapshot(world.a, token=CancelToken()).part("folder") == {}
