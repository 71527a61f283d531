"""Deployments between two made-up hosts: real scripts, a made-up network."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deployment.hold import leave
from app.deployment.remove import end_deployment
from app.deployment.status import parse_outages
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed, TunnelDown
from app.domain.hosts import Side
from app.storage import Store
from support.deploy_world import World, let_leases_end, shell_of
from support.deployment_world import (
    DEPLOYED_LINKS,
    SLOT,
    VPN,
    current,
    deploy_and_confirm,
    deployed_on,
    deployment_world,
    place_on,
    remove,
    run_dirs,
    started_tunnel,
    state_of,
    wait_until_watched,
)
from support.made_up_host import LocalHost
from support.made_up_vpn import LIMIT_S, MADE_DIR, MadeUpVpn, link_step, step
from support.waiting import wait_until


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path, shell_of(request)) as made:
        yield made


def test_what_is_confirmed_remains_and_is_watched_and_ends_without_a_trace(world: World) -> None:
    before = [host.etc_files() for host in world.hosts]
    deployment_id, outcome = deploy_and_confirm(world)
    assert outcome.is_complete
    for host in world.hosts:
        assert current(host) == deployment_id
        assert host.links == DEPLOYED_LINKS
        assert run_dirs(host) == [f"tunnelmark-{deployment_id}"]
        folder = place_on(host) / deployment_id
        assert (folder / "kept" / "config").read_text() == f"peer public-{host.side.other}\n"
        assert {path.stat().st_mode & 0o077 for path in (folder, folder / "kept" / "key", folder / "steps.sh")} == {0}
        wait_until_watched(host)
        state = state_of(host)
        assert (state.deployment_id, state.is_enabled, state.is_on_host, state.changed) == (
            deployment_id,
            True,
            True,
            (),
        )

    assert remove(world).is_complete
    for host, files in zip(world.hosts, before, strict=True):
        assert host.etc_files() == files
        assert host.links == {"eth1"}
        assert run_dirs(host) == []
        wait_until(lambda host=host: host.processes() == [], f"no process on {host.side}")


def test_what_another_computer_deployed_is_removed_without_facts_of_the_hosts(world: World, tmp_path: Path) -> None:
    deploy_and_confirm(world)
    with Store.open(tmp_path / "empty.db") as store:
        pair = world.request.pair
        store.save_pair(pair)
        end_deployment(store, world.sessions, pair, deployed_on(world), token=CancelToken(), emit=lambda _event: None)
    assert [host.links for host in world.hosts] == [{"eth1"}] * 2


def test_what_is_not_confirmed_leaves_nothing(world: World) -> None:
    before = [host.etc_files() for host in world.hosts]
    with started_tunnel(world):
        assert world.a.links == DEPLOYED_LINKS
        assert [host.etc_files() for host in world.hosts] == before
    assert [host.etc_files() for host in world.hosts] == before
    for host in world.hosts:
        assert host.links == {"eth1"}
        assert run_dirs(host) == []


def test_a_daemon_that_was_killed_is_started_again_from_the_kept_files(world: World) -> None:
    deployment_id, _ = deploy_and_confirm(world)
    run_dir = world.a.path(f"/run/tunnelmark-{deployment_id}")
    wait_until_watched(world.a)
    first = int((run_dir / "pid").read_text())
    (run_dir / "config").write_text("changed by hand")
    assert ("used", "config") in state_of(world.a).changed
    killed_s = world.a.uptime_s
    os.kill(first, signal.SIGKILL)
    world.a.wake(lambda: state_of(world.a).restarts == 1, "the restart")
    world.a.wake(lambda: state_of(world.a).outages != (), "the loss to be written down")
    state = state_of(world.a)
    # It counts from when the peer answered last: the supervisor asks every few seconds.
    most_s = world.a.uptime_s - killed_s + 60
    assert [one.lasted_s is not None and one.lasted_s <= most_s for one in state.outages] == [True]
    assert state.connect_s is not None
    assert state.boot_connect_s is None, "the host has not been restarted"
    pid = run_dir / "pid"
    wait_until(lambda: pid.exists() and pid.read_text().strip() not in {"", str(first)}, "a new daemon")
    assert (run_dir / "config").read_text() == "peer public-b\n"


def test_an_interface_that_was_removed_comes_back(world: World) -> None:
    deploy_and_confirm(world)
    wait_until_watched(world.b)
    (world.b.net / "links" / "tml0").unlink()
    world.b.wake(lambda: "tml0" in world.b.links, "the interface")


GUARD = f"{MADE_DIR}-guard"
_GUARDED = 'echo made >> "$1.made"; [ ! -e "$1.broken" ] && : > "$1"'


def guarded_vpn(*, is_repeatable: bool = True) -> MadeUpVpn:
    """Return a VPN whose first step makes a guard that others can remove."""
    guard = step("Guard the tunnel", _GUARDED, 'rm -f "$1"', GUARD)
    check = Command(("test", "-e", GUARD), timeout_s=LIMIT_S, is_root=True)
    steps = (replace(guard, health_check=check, is_repeatable=is_repeatable), link_step("tml0"))
    return replace(VPN, steps=dict.fromkeys(Side, steps))


def test_a_guard_that_was_removed_is_made_again_on_a_tunnel_that_goes_on(world: World) -> None:
    deploy_and_confirm(world, guarded_vpn())
    wait_until_watched(world.a)
    (world.a.net / "links" / "tml0").write_text("the same interface")
    made = world.a.path(f"{GUARD}.made").read_text()
    world.a.path(GUARD).unlink()
    world.a.wake(lambda: world.a.path(GUARD).exists(), "the guard")
    world.a.wake(lambda: "had gone and was made again: Guard the tunnel" in log_of(world.a), "a line in the log")
    assert (world.a.net / "links" / "tml0").read_text() == "the same interface"
    assert (state_of(world.a).restarts, state_of(world.a).is_on_host) == (0, True)
    assert world.a.path(f"{GUARD}.made").read_text() == f"{made}made\n"


_FLUSHING = 'if [ -e "$1.reload" ]; then rm -f "$1" "$1.reload"; fi; : > "$1.open"'


def test_a_guard_that_a_reload_flushes_while_it_is_made_again_costs_no_restart(world: World) -> None:
    guard, link = guarded_vpn().steps[Side.A]
    opening = step("Open the firewall", _FLUSHING, 'rm -f "$1.open"', GUARD)
    check = Command(("test", "-e", f"{GUARD}.open"), timeout_s=LIMIT_S, is_root=True)
    steps = (guard, replace(opening, health_check=check, is_repeatable=True), link)
    deploy_and_confirm(world, replace(VPN, steps=dict.fromkeys(Side, steps)))
    wait_until_watched(world.b)
    made = world.b.path(f"{GUARD}.made").read_text()
    world.b.path(f"{GUARD}.reload").touch()
    world.b.path(f"{GUARD}.open").unlink()
    world.b.path(GUARD).unlink()
    world.b.wake(lambda: world.b.path(f"{GUARD}.made").read_text() == f"{made}made\nmade\n", "the guard, twice")
    world.b.wake(lambda: state_of(world.b).is_on_host, "all of the tunnel")
    assert (state_of(world.b).restarts, world.b.path(GUARD).exists()) == (0, True)


_NOTING = """: > "$1"
[ -e "$1.noting" ] || exit 0
echo "did: 3 added"
echo "rules changed; deploy again" > "$TUNNELMARK_NOTES/rules"
"""


def test_what_a_step_did_and_noted_of_the_firewall_is_reported(world: World) -> None:
    vpn = guarded_vpn()
    noting = step("Move rules", _NOTING, 'rm -f "$1"', GUARD)
    moved = replace(vpn.steps[Side.A][0], title=noting.title, command=noting.command)
    deploy_and_confirm(world, replace(vpn, steps=dict.fromkeys(Side, (moved, *vpn.steps[Side.A][1:]))))
    wait_until_watched(world.a)
    assert state_of(world.a).changed == ()
    world.a.path(f"{GUARD}.noting").touch()
    world.a.path(GUARD).unlink()
    world.a.wake(lambda: "had changed: Move rules: 3 added" in log_of(world.a), "what was done")
    world.a.wake(lambda: "firewall: rules changed; deploy again" in log_of(world.a), "what was noted")
    assert "made again" not in log_of(world.a)
    assert state_of(world.a).changed == (("rules", "rules changed; deploy again"),)
    assert state_of(world.a).is_on_host


@pytest.mark.parametrize("gone", ["guard that cannot be repeated", "guard that fails", "guard and interface"])
def test_what_cannot_be_made_again_by_itself_takes_the_tunnel_down_first(world: World, gone: str) -> None:
    deploy_and_confirm(world, guarded_vpn(is_repeatable=gone != "guard that cannot be repeated"))
    wait_until_watched(world.a)
    link = world.a.net / "links" / "tml0"
    link.write_text("the same interface")
    if gone == "guard that fails":
        world.a.path(f"{GUARD}.broken").touch()
    if gone == "guard and interface":
        link.unlink()
    world.a.path(GUARD).unlink()
    if gone == "guard that fails":
        world.a.wake(lambda: not link.exists(), "the interface to go, because it is not guarded")
        assert not world.a.path(GUARD).exists()
        world.a.path(f"{GUARD}.broken").unlink()
    world.a.wake(lambda: link.exists() and link.read_text() == "", "a new interface")
    world.a.wake(lambda: state_of(world.a).is_on_host, "the tunnel")
    assert "made again" not in log_of(world.a)


def log_of(host: LocalHost) -> str:
    return "".join(path.read_text() for path in (host.root / "run").glob("tunnelmark-*/.lasting/log"))


def test_a_restart_of_the_host_starts_it_again(world: World) -> None:
    deployment_id, _ = deploy_and_confirm(world)
    world.a.end_processes()
    (world.a.net / "links" / "tml0").unlink()
    for path in sorted((world.a.root / "run").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    started_s = world.a.uptime_s
    world.a.shell_run("sh", f"/etc/init.d/S99tunnelmark-{SLOT}", "start")
    wait_until(lambda: "tml0" in world.a.links, "the interface")
    wait_until(lambda: world.a.path(f"/run/tunnelmark-{deployment_id}/pid").exists(), "the daemon")
    world.a.wake(lambda: state_of(world.a).connect_s is not None, "the other end to answer")
    state = state_of(world.a)
    assert state.connect_s is not None
    assert state.boot_connect_s is not None
    assert 0 <= state.connect_s <= world.a.uptime_s - started_s + 1
    assert state.boot_connect_s >= int(started_s), "since this computer was started"
    assert state.outages == (), "what was not there before cannot be lost"


def test_what_the_watcher_tells_of_the_other_host_is_read() -> None:
    text = """\
2026-11-21T10:00:10Z the other end answers, 4 s after the start
2026-11-21T10:05:06Z the other end does not answer, for 6 s now
2026-11-21T10:05:31Z the other end has been silent for 31 s though it can be reached; starting the tunnel again
2026-11-21T10:05:40Z the other end answers again after 40 s
2026-11-21T10:06:00Z the other end does not answer
yesterday the other end does not answer, for 6 s now
2026-11-21T10:07:00Z the other end answers again after 9999999999 s
"""
    first, second = parse_outages(text)
    assert (first.began_at, first.lasted_s) == (datetime(2026, 11, 21, 10, 5, tzinfo=UTC), 40.0)
    assert (second.began_at, second.lasted_s) == (datetime(2026, 11, 21, 10, 6, tzinfo=UTC), None)
    assert parse_outages("") == ()


def test_the_next_one_takes_the_place_of_the_first(world: World) -> None:
    first, _ = deploy_and_confirm(world)
    second, outcome = deploy_and_confirm(world)
    assert outcome.is_complete
    for host in world.hosts:
        assert current(host) == second != first
        assert run_dirs(host) == [f"tunnelmark-{second}"]
        names = {path.name for path in place_on(host).iterdir()}
        assert names == {second, "current", "confirmed", "times", "start.sh"}


def test_what_fails_lets_the_first_one_are(world: World) -> None:
    first, _ = deploy_and_confirm(world)
    broken = MadeUpVpn(interface="tml0", steps={side: (step("Fail", "exit 7", None),) for side in Side})
    with pytest.raises(CommandFailed):
        deploy_and_confirm(world, broken)
    for host in world.hosts:
        assert current(host) == first
        assert host.links == DEPLOYED_LINKS
        wait_until_watched(host)
        assert run_dirs(host) == [f"tunnelmark-{first}"]


def test_a_tunnel_that_does_not_start_from_its_boot_bundle_is_not_confirmed(world: World) -> None:
    once = '[ ! -e "$1/been" ] || exit 3; : > "$1/been"'
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (step("Work once", once, None, str(world.a.root)),)})
    with pytest.raises((CommandFailed, TunnelDown)):
        deploy_and_confirm(world, vpn)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert [current(host) for host in world.hosts] == ["", ""]


def test_what_was_left_to_the_timers_rolls_back_by_itself(world: World) -> None:
    with started_tunnel(world) as one:
        leave(one.work, 30.0, token=CancelToken())
    assert world.a.links == DEPLOYED_LINKS
    let_leases_end(world)
