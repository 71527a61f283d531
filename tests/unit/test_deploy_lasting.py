"""Tunnels that stay, between two made-up hosts: real scripts, a made-up network."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deploy.confirming import Confirmed, Outcome
from app.deploy.ends import HostEnd, new_id
from app.deploy.kit import kit_dir
from app.deploy.lasting import LastingTransaction, Place, lasting_tunnel
from app.deploy.lasting_adapter import EndingAdapter, LastingAdapter
from app.deploy.lasting_state import parse_outages, read_state
from app.deploy.places import lasting_link, place_dir
from app.deploy.recovery import Found, recover
from app.deploy.request import MakesRoom
from app.domain.adapters import Purpose
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed, ConnectionLost, PairLocked, TunnelDown
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.rollout_events import Decision
from support.deploy_world import World, ignore_stage, make_world, open_tunnel
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn, step

SLOT = "58fca5ac"
VPN = MadeUpVpn(interface="tml0")


@pytest.fixture(params=["dash", "busybox sh"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    made = make_world(tmp_path, shell=request.param.split())
    for host in made.hosts:
        host.make_etc()
    yield made
    for host in made.hosts:
        host.end_processes()


@pytest.fixture
def dash_world(tmp_path: Path) -> Iterator[World]:
    """What does not hang on the shell is tried with one."""
    made = make_world(tmp_path)
    for host in made.hosts:
        host.make_etc()
    yield made
    for host in made.hosts:
        host.end_processes()


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = 20.0) -> None:
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def current(host: LocalHost) -> str:
    path = host.path(f"{place_dir(SLOT)}/current")
    return path.read_text().strip() if path.exists() else ""


def transaction(
    world: World, vpn: MadeUpVpn = VPN, *, is_ending: bool = False, lease_s: float = 30
) -> LastingTransaction:
    replaced = {host.side: current(host) for host in world.hosts if current(host)}
    folders = {side: place_dir(SLOT) for side in replaced}
    kind = EndingAdapter if is_ending else LastingAdapter
    request = replace(
        world.request,
        adapter=kind(vpn, kit_dir(STATE_DIR), folders),
        link=lasting_link(world.request.link, new_id(), 0),
        purpose=Purpose.LASTING,
        state_dir=STATE_DIR,
        makes_room={side: MakesRoom(lasting_link(world.request.link, "", 0)) for side in replaced},
    )
    deployment_id = "" if is_ending else request.link.run_dir.rpartition("-")[2]
    place = Place(deployment_id, SLOT, replaced)
    return LastingTransaction(world.sessions, request, place, on_stage=ignore_stage, audit=None, lease_s=lease_s)


def roll_out(world: World, vpn: MadeUpVpn = VPN) -> tuple[str, Outcome]:
    one = transaction(world, vpn)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        outcome = one.confirm(token=CancelToken())
    return one.confirmer.deployment_id, outcome


def take_back(world: World) -> Outcome:
    one = transaction(world, is_ending=True)
    with lasting_tunnel(one, token=CancelToken()):
        return one.confirm(token=CancelToken())


def run_dirs(host: LocalHost) -> list[str]:
    return sorted(path.name for path in (host.root / "run").iterdir())


def test_what_is_confirmed_stays_and_is_watched_and_ends_without_a_trace(world: World) -> None:
    before = [host.etc_files() for host in world.hosts]
    deployment_id, outcome = roll_out(world)
    assert outcome.is_complete
    for host in world.hosts:
        assert current(host) == deployment_id
        assert host.links == {"eth1", "tml0"}
        assert run_dirs(host) == [f"tunnelmark-{deployment_id}"]
        folder = host.path(f"{place_dir(SLOT)}/{deployment_id}")
        assert (folder / "kept" / "config").read_text() == f"peer public-{host.side.other}\n"
        assert {path.stat().st_mode & 0o077 for path in (folder, folder / "kept" / "key", folder / "steps.sh")} == {0}
        end = HostEnd(host.side, host, STATE_DIR)
        wait_until(lambda end=end: read_state(end, SLOT, token=CancelToken()).is_watched, "the watcher")
        state = read_state(end, SLOT, token=CancelToken())
        assert (state.deployment_id, state.is_enabled, state.is_standing, state.changed) == (
            deployment_id,
            True,
            True,
            (),
        )

    assert take_back(world).is_complete
    for host, files in zip(world.hosts, before, strict=True):
        assert host.etc_files() == files
        assert host.links == {"eth1"}
        assert run_dirs(host) == []
        wait_until(lambda host=host: host.processes() == [], f"no process on {host.side}")


def test_what_is_not_confirmed_leaves_nothing(dash_world: World) -> None:
    world = dash_world
    before = [host.etc_files() for host in world.hosts]
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        assert world.a.links == {"eth1", "tml0"}
        assert [host.etc_files() for host in world.hosts] == before
    assert [host.etc_files() for host in world.hosts] == before
    for host in world.hosts:
        assert host.links == {"eth1"}
        assert run_dirs(host) == []


def test_a_daemon_that_was_killed_is_started_again_from_the_kept_files(world: World) -> None:
    deployment_id, _ = roll_out(world)
    run_dir = world.a.path(f"/run/tunnelmark-{deployment_id}")
    end = HostEnd(Side.A, world.a, STATE_DIR)
    wait_until(lambda: read_state(end, SLOT, token=CancelToken()).is_watched, "the watcher")
    first = int((run_dir / "pid").read_text())
    (run_dir / "config").write_text("changed by hand")
    assert ("used", "config") in read_state(end, SLOT, token=CancelToken()).changed
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: read_state(end, SLOT, token=CancelToken()).restarts == 1, "the restart")
    wait_until(lambda: read_state(end, SLOT, token=CancelToken()).outages != (), "the loss to be written down")
    state = read_state(end, SLOT, token=CancelToken())
    assert [one.lasted_s is not None and one.lasted_s <= 20 for one in state.outages] == [True]
    assert state.connect_s is not None
    assert state.boot_connect_s is None, "the host has not been restarted"
    wait_until(lambda: (run_dir / "pid").exists() and int((run_dir / "pid").read_text()) != first, "a new daemon")
    assert (run_dir / "config").read_text() == "peer public-b\n"


def test_an_interface_that_was_removed_comes_back(dash_world: World) -> None:
    world = dash_world
    roll_out(world)
    end = HostEnd(Side.B, world.b, STATE_DIR)
    wait_until(lambda: read_state(end, SLOT, token=CancelToken()).is_watched, "the watcher")
    (world.b.net / "links" / "tml0").unlink()
    wait_until(lambda: "tml0" in world.b.links, "the interface")


def test_a_restart_of_the_host_starts_it_again(world: World) -> None:
    deployment_id, _ = roll_out(world)
    world.a.end_processes()
    (world.a.net / "links" / "tml0").unlink()
    for path in sorted((world.a.root / "run").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    world.a.shell_run("sh", f"/etc/init.d/S99tunnelmark-{SLOT}", "start")
    wait_until(lambda: "tml0" in world.a.links, "the interface")
    wait_until(lambda: world.a.path(f"/run/tunnelmark-{deployment_id}/pid").exists(), "the daemon")
    end = HostEnd(Side.A, world.a, STATE_DIR)
    wait_until(lambda: read_state(end, SLOT, token=CancelToken()).connect_s is not None, "the other end to answer")
    state = read_state(end, SLOT, token=CancelToken())
    assert state.connect_s is not None
    assert state.boot_connect_s is not None
    assert 0 <= state.connect_s <= 20 < state.boot_connect_s, "since this computer was started"
    assert state.outages == (), "what was not there before cannot be lost"


def test_what_the_watcher_tells_of_the_other_end_is_read() -> None:
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
    first, _ = roll_out(world)
    second, outcome = roll_out(world)
    assert outcome.is_complete
    for host in world.hosts:
        assert current(host) == second != first
        assert run_dirs(host) == [f"tunnelmark-{second}"]
        names = {path.name for path in host.path(place_dir(SLOT)).iterdir()}
        assert names == {second, "current", "times", "start.sh"}


def test_what_fails_lets_the_first_one_stand(dash_world: World) -> None:
    world = dash_world
    first, _ = roll_out(world)
    broken = MadeUpVpn(interface="tml0", steps={side: (step("Fail", "exit 7", None),) for side in Side})
    with pytest.raises(CommandFailed):
        roll_out(world, broken)
    for host in world.hosts:
        assert current(host) == first
        assert host.links == {"eth1", "tml0"}
        end = HostEnd(host.side, host, STATE_DIR)
        wait_until(lambda end=end: read_state(end, SLOT, token=CancelToken()).is_watched, "the watcher")
        assert run_dirs(host) == [f"tunnelmark-{first}"]


def test_what_one_host_refuses_does_not_stay_on_the_other(world: World) -> None:
    before = [host.etc_files() for host in world.hosts]
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        confirmer = one.confirmer
        confirmer.install(token=CancelToken())
        # Somebody runs the undo on B's console in the very moment in which A confirms.
        world.b.shell_run("touch", f"{STATE_DIR}/undo-begun")
        outcome = confirmer.commit(token=CancelToken())
        assert outcome.hosts == {Side.A: Confirmed.REFUSED, Side.B: Confirmed.REFUSED}
        assert not outcome.may_be_half
    for host, files in zip(world.hosts, before, strict=True):
        assert current(host) == ""
        assert host.etc_files() == files
        assert host.links == {"eth1"}


def watcher_of(host: LocalHost, deployment_id: str) -> Path:
    return host.path(f"/run/tunnelmark-{deployment_id}/.lasting/watcher")


def refused_on_b(world: World) -> tuple[str, Outcome]:
    """Roll out; B goes back after A has confirmed and watches over what it now has."""
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        confirmer = one.confirmer
        confirmer.install(token=CancelToken())

        def before(command: Command) -> None:
            if b"Confirms a deployment on this host" in (command.stdin or b""):
                wait_until(watcher_of(world.a, confirmer.deployment_id).exists, "A's watcher")
                world.b.shell_run("touch", f"{STATE_DIR}/undo-begun")

        world.b.on_run = before
        outcome = confirmer.commit(token=CancelToken())
        world.b.on_run = None
    return confirmer.deployment_id, outcome


def test_what_one_host_refuses_leaves_the_earlier_one_on_both(world: World) -> None:
    first, _ = roll_out(world)
    second, outcome = refused_on_b(world)
    assert outcome.hosts == {Side.A: Confirmed.REFUSED, Side.B: Confirmed.REFUSED}
    for host in world.hosts:
        assert current(host) == first
        assert host.links == {"eth1", "tml0"}
        assert not host.path(f"{place_dir(SLOT)}/{second}").exists()
        end = HostEnd(host.side, host, STATE_DIR)
        wait_until(lambda end=end: read_state(end, SLOT, token=CancelToken()).is_watched, "the watcher")
        assert read_state(end, SLOT, token=CancelToken()).is_standing
        assert run_dirs(host) == [f"tunnelmark-{first}"]


@pytest.mark.parametrize("side", Side)
def test_an_end_whose_answer_was_lost_has_ended(world: World, side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [host.etc_files() for host in world.hosts]
    roll_out(world)
    host = world.host(side)

    def cut(line: str) -> None:
        if line.endswith(" confirmed"):
            host.on_line = None
            host.is_cut = True

    def reconnect(*, token: CancelToken) -> None:
        # The host has come to its end meanwhile.
        wait_until(lambda: not host.state_dir.exists() and not host.path(place_dir(SLOT)).exists(), "the end")
        host.is_cut = False

    monkeypatch.setattr(host, "on_line", cut)
    monkeypatch.setattr(host, "reconnect", reconnect)
    outcome = take_back(world)
    assert outcome.is_complete, outcome.reason
    for one, files in zip(world.hosts, before, strict=True):
        assert one.etc_files() == files
        assert one.links == {"eth1"}
        assert run_dirs(one) == []
        wait_until(lambda one=one: one.processes() == [], f"no process on {one.side}")


def slow_sync(host: LocalHost, go_on: Path) -> None:
    """Let the host's disk be slow until a file is there."""
    begun = host.root / "disk-is-slow"
    program = host.root / "bin" / "sync"
    program.write_text(f'#!/bin/dash\n: > "{begun}"\nuntil [ -e "{go_on}" ]; do sleep 0.1; done\n')
    program.chmod(0o755)


@pytest.mark.parametrize("is_ending", [False, True])
def test_who_asks_again_while_it_is_still_being_written_waits_for_it(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_ending: bool
) -> None:
    if is_ending:
        roll_out(world)
    one = transaction(world, is_ending=is_ending)
    with lasting_tunnel(one, token=CancelToken()):
        if not is_ending:
            one.start_from_kit(token=CancelToken())
        go_on = world.a.root / "disk-is-ready"
        asked: list[float] = []

        def before(command: Command) -> None:
            if b"Confirms a deployment on this host" not in (command.stdin or b""):
                return
            asked.append(time.monotonic())
            if len(asked) == 1:
                slow_sync(world.a, go_on)
                threading.Thread(target=cut, daemon=True).start()
            else:
                threading.Thread(target=end_it, daemon=True).start()

        def cut() -> None:
            wait_until((world.a.root / "disk-is-slow").exists, "the writing to begin")
            world.a.is_cut = True
            given_up.set()

        def end_it() -> None:
            # The second one has looked who is at it.
            wait_until(lambda: is_waiting(world.a), "the second one to wait")
            go_on.touch()

        given_up = threading.Event()
        left: list[subprocess.Popen[bytes]] = []
        attend = world.a._attend

        def attend_until_cut(process: subprocess.Popen[bytes], command: Command, *more: object) -> CommandResult:
            if b"Confirms a deployment on this host" in (command.stdin or b"") and len(asked) == 1:
                assert process.stdin is not None
                process.stdin.write(world.a._here((command.stdin or b"").decode()).encode())
                process.stdin.flush()
                process.stdin.close()
                process.stdin = None
                left.append(process)
                assert given_up.wait(20)
                raise ConnectionLost("The connection broke.")
            return attend(process, command, *more)  # type: ignore[arg-type]

        monkeypatch.setattr(world.a, "_attend", attend_until_cut)
        monkeypatch.setattr(world.a, "on_run", before)
        outcome = one.confirm(token=CancelToken())
        assert outcome.is_complete, outcome.reason
        assert len(asked) == 2
        for process in left:
            process.communicate(timeout=20)
    assert [current(host) for host in world.hosts] == [one.confirmer.deployment_id] * 2


def is_waiting(host: LocalHost) -> bool:
    """Whether two scripts that confirm run on a host."""
    found = 0
    for pid in host.processes():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += b"-s" in words and str(host.state_dir).encode() in words
    return found >= 2


def test_what_cannot_come_back_is_not_made_room_for(dash_world: World) -> None:
    world = dash_world
    first, _ = roll_out(world)
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        confirmer = one.confirmer
        confirmer.install(token=CancelToken())

        def before(command: Command) -> None:
            if b"Confirms a deployment on this host" in (command.stdin or b""):
                world.a.shell_run("rm", "-rf", f"{place_dir(SLOT)}/{first}")
                world.b.shell_run("touch", f"{STATE_DIR}/undo-begun")

        world.b.on_run = before
        outcome = one.confirm(token=CancelToken())
    assert outcome.hosts == {Side.A: Confirmed.YES, Side.B: Confirmed.REFUSED}
    assert outcome.may_be_half
    assert [current(host) for host in world.hosts] == [confirmer.deployment_id, first]
    assert [host.links for host in world.hosts] == [{"eth1", "tml0"}, {"eth1", "tml0"}]


def test_confirming_that_was_broken_off_leaves_the_earlier_one(dash_world: World) -> None:
    world = dash_world
    first, _ = roll_out(world)
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        one.confirmer.install(token=CancelToken())
        # Ended from outside right after it had put its name there.
        run_dir = f"/run/tunnelmark-{one.confirmer.deployment_id}"
        world.a.path(f"{run_dir}/.lasting/replaced").write_text(f"{first}\n")
        world.a.path(f"{place_dir(SLOT)}/current").write_text(f"{one.confirmer.deployment_id}\n")
    for host in world.hosts:
        assert current(host) == first
        assert host.links == {"eth1", "tml0"}


def test_without_a_decision_in_time_both_hosts_go_back(dash_world: World) -> None:
    world = dash_world

    class Silence:
        def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
            time.sleep(min(timeout_s, 0.2))
            return None

    left: list[float] = []
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        assert one.hold(1.0, Silence(), token=CancelToken(), on_left=left.append) is None
    assert left
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]


def test_what_was_left_to_the_timers_goes_back_by_itself(dash_world: World) -> None:
    world = dash_world
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        one.let_go(1.0, token=CancelToken())
    assert world.a.links == {"eth1", "tml0"}
    for host in world.hosts:
        wait_until(lambda host=host: host.links == {"eth1"} and run_dirs(host) == [], f"{host.side} to go back")


def test_what_waits_for_a_confirmation_is_taken_back_by_nobody_of_this_computer(dash_world: World) -> None:
    world = dash_world
    one = transaction(world)
    with lasting_tunnel(one, token=CancelToken()):
        one.start_from_kit(token=CancelToken())
        one.let_go(600.0, token=CancelToken())
    for host in world.hosts:
        owner, key = (host.state_dir / "owner").read_text().split("\n")[:2]
        assert (bool(owner), key) == (True, "")
    report = recover(world.sessions, token=CancelToken())
    assert [one.found for one in (report.a, report.b)] == [Found.IN_USE, Found.IN_USE]
    assert "waits for a confirmation" in report.a.sentence
    with pytest.raises(PairLocked, match="waits for a confirmation"):
        roll_out(world)
    with pytest.raises(PairLocked, match="waits for a confirmation"), open_tunnel(world):
        pass
    assert [host.links for host in world.hosts] == [{"eth1", "tml0"}, {"eth1", "tml0"}]
    one.confirmer.install(token=CancelToken())
    assert one.confirmer.commit(token=CancelToken()).is_complete


def test_a_tunnel_that_does_not_start_from_its_kit_is_not_confirmed(dash_world: World) -> None:
    world = dash_world
    once = '[ ! -e "$1/been" ] || exit 3; : > "$1/been"'
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (step("Work once", once, None, str(world.a.root)),)})
    with pytest.raises((CommandFailed, TunnelDown)):
        roll_out(world, vpn)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert [current(host) for host in world.hosts] == ["", ""]
