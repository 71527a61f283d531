"""Confirming a tunnel on two made-up hosts: what is refused, lost on the way, broken off, or comes too late."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.deployment.commit import CommitOutcome, CommitState
from app.deployment.events import EXTENSION_S, Confirmation, Decision
from app.deployment.hold import leave, wait_for_decision
from app.deployment.slots import slot_dir
from app.deployment.transactions import DeploymentTransaction, commit
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.errors import ConnectionLost, PairLocked
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.host.messages import CONFIRM_PAIR
from app.tunnel.messages import AWAITS_CONFIRMATION_ALONE, WAITS_FOR_CONFIRMATION
from app.tunnel.recovery import Found, recover
from support.deploy_world import World, open_tunnel, shell_of
from support.deployment_world import (
    DEPLOYED_LINKS,
    SLOT,
    current,
    deploy_and_confirm,
    deployment_world,
    is_confirming,
    place_on,
    removal,
    remove,
    run_dirs,
    started_tunnel,
    state_of,
    transaction,
    wait_until_watched,
    when_confirming,
)
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.waiting import wait_until


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path, shell_of(request)) as made:
        yield made


def begin_undo(host: LocalHost) -> None:
    """First action of a user who runs the undo on the host's console."""
    host.shell_run("touch", f"{STATE_DIR}/undo-begun")


def test_what_one_host_refuses_does_not_remain_on_the_other(world: World) -> None:
    before = [host.etc_files() for host in world.hosts]
    with started_tunnel(world) as one:
        one.confirmer.install(token=CancelToken())
        # In the very moment in which A confirms.
        begin_undo(world.b)
        outcome = one.confirmer.commit(token=CancelToken())
        assert outcome.hosts == {Side.A: CommitState.REFUSED, Side.B: CommitState.REFUSED}
        assert not outcome.may_be_half
    for host, files in zip(world.hosts, before, strict=True):
        assert current(host) == ""
        assert host.etc_files() == files
        assert host.links == {"eth1"}


def refused_on_b(world: World) -> tuple[str, CommitOutcome]:
    """Deploy; B rolls back after A has confirmed and supervises what it now has."""
    with started_tunnel(world) as one:
        confirmer = one.confirmer
        confirmer.install(token=CancelToken())
        watcher = world.a.path(f"/run/tunnelmark-{confirmer.deployment_id}/.lasting/watcher")

        def refuse() -> None:
            wait_until(watcher.exists, "A's watcher")
            begin_undo(world.b)

        when_confirming(world.b, refuse)
        outcome = confirmer.commit(token=CancelToken())
        world.b.on_run = None
    return confirmer.deployment_id, outcome


def test_what_one_host_refuses_leaves_the_earlier_one_on_both(world: World) -> None:
    first, _ = deploy_and_confirm(world)
    second, outcome = refused_on_b(world)
    assert outcome.hosts == {Side.A: CommitState.REFUSED, Side.B: CommitState.REFUSED}
    for host in world.hosts:
        assert current(host) == first
        assert host.links == DEPLOYED_LINKS
        assert not (place_on(host) / second).exists()
        wait_until_watched(host)
        assert state_of(host).is_on_host
        assert run_dirs(host) == [f"tunnelmark-{first}"]


@pytest.mark.parametrize("side", [Side.A, pytest.param(Side.B, marks=pytest.mark.full)])
def test_an_end_whose_answer_was_lost_has_ended(world: World, side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [host.etc_files() for host in world.hosts]
    deploy_and_confirm(world)
    host = world.host(side)

    def cut(line: str) -> None:
        if line.endswith(" confirmed"):
            host.on_line = None
            host.is_cut = True

    def reconnect(*, token: CancelToken) -> None:
        # The host has come to its end meanwhile.
        wait_until(lambda: not host.state_dir.exists() and not place_on(host).exists(), "the end")
        host.is_cut = False

    monkeypatch.setattr(host, "on_line", cut)
    monkeypatch.setattr(host, "reconnect", reconnect)
    outcome = remove(world)
    assert outcome.is_complete, outcome.reason
    for one, files in zip(world.hosts, before, strict=True):
        assert one.etc_files() == files
        assert one.links == {"eth1"}
        assert run_dirs(one) == []
        wait_until(lambda one=one: one.processes() == [], f"no process on {one.side}")


class SlowDisk:
    """A host whose disk is slow when it confirms: the connection breaks meanwhile, and it is asked once more.

    Attributes:
        asked: How often it was asked to confirm.
    """

    def __init__(self, host: LocalHost) -> None:
        self.asked = 0
        self._host = host
        self._begun, self._go_on = host.root / "disk-is-slow", host.root / "disk-is-ready"
        self._given_up = threading.Event()
        self._left: list[subprocess.Popen[bytes]] = []
        self._attend_to_the_end = host._attend
        when_confirming(host, self._before)

    def _before(self) -> None:
        self.asked += 1
        if self.asked == 1:
            program = self._host.root / "bin" / "sync"
            program.write_text(f'#!/bin/dash\n: > "{self._begun}"\nuntil [ -e "{self._go_on}" ]; do sleep 0.1; done\n')
            program.chmod(0o755)
        threading.Thread(target=self._cut if self.asked == 1 else self._end_it, daemon=True).start()

    def _cut(self) -> None:
        wait_until(self._begun.exists, "the writing to begin")
        self._host.is_cut = True
        self._given_up.set()

    def _end_it(self) -> None:
        # The second one has checked which one is at it.
        wait_until(self._is_waited_for, "the second one to wait")
        self._go_on.touch()

    def _is_waited_for(self) -> bool:
        """Whether two scripts that confirm run on the host."""
        found = 0
        for pid in self._host.processes():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            found += b"-s" in words and str(self._host.state_dir).encode() in words
        return found >= 2

    def attend(self, process: subprocess.Popen[bytes], command: Command, *more: object) -> CommandResult:
        """Replace the host's own: leave what is cut off running."""
        if is_confirming(command) and self.asked == 1:
            assert process.stdin is not None
            process.stdin.write(self._host._here((command.stdin or b"").decode()).encode())
            process.stdin.flush()
            process.stdin.close()
            process.stdin = None
            self._left.append(process)
            assert self._given_up.wait(120)
            raise ConnectionLost("The connection broke.")
        return self._attend_to_the_end(process, command, *more)  # type: ignore[arg-type]

    def wait_for_what_was_left(self) -> None:
        for process in self._left:
            process.communicate(timeout=120)


@pytest.mark.parametrize("is_ending", [False, True])
def test_who_asks_again_while_it_is_still_being_written_waits_for_it(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_ending: bool
) -> None:
    if is_ending:
        deploy_and_confirm(world)
    one = removal(world) if is_ending else transaction(world)
    with one.provisional(token=CancelToken()):
        if isinstance(one, DeploymentTransaction):
            one.start_from_boot_bundle(token=CancelToken())
        disk = SlowDisk(world.a)
        monkeypatch.setattr(world.a, "_attend", disk.attend)
        outcome = commit(one, token=CancelToken())
        assert outcome.is_complete, outcome.reason
        assert disk.asked == 2
        disk.wait_for_what_was_left()
    assert [current(host) for host in world.hosts] == [one.confirmer.deployment_id] * 2


def test_what_cannot_come_back_is_not_made_room_for(world: World) -> None:
    first, _ = deploy_and_confirm(world)
    with started_tunnel(world) as one:
        one.confirmer.install(token=CancelToken())

        def lose_the_first() -> None:
            world.a.shell_run("rm", "-rf", f"{slot_dir(SLOT)}/{first}")
            begin_undo(world.b)

        when_confirming(world.b, lose_the_first)
        outcome = commit(one, token=CancelToken())
    assert outcome.hosts == {Side.A: CommitState.YES, Side.B: CommitState.REFUSED}
    assert outcome.may_be_half
    assert [current(host) for host in world.hosts] == [one.confirmer.deployment_id, first]
    assert [host.links for host in world.hosts] == [DEPLOYED_LINKS, DEPLOYED_LINKS]


@pytest.mark.parametrize("has_earlier", [True, pytest.param(False, marks=pytest.mark.full)])
def test_what_is_rolled_back_alone_does_not_count_while_it_is_taken_down(
    world: World, tmp_path: Path, has_earlier: bool
) -> None:
    """A supervisor that is only just starting would bring it up again else."""
    first = deploy_and_confirm(world)[0] if has_earlier else ""
    seen = tmp_path / "seen"
    note = step(
        "Note which deployment counts",
        "true",
        'cat "$1" >> "$2" || echo none >> "$2"',
        *(f"{slot_dir(SLOT)}/current", str(seen)),
    )
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (link_step("tml0"), note), Side.B: (link_step("tml0"),)})
    with started_tunnel(world, vpn) as one:
        one.confirmer.install(token=CancelToken())
        when_confirming(world.b, lambda: begin_undo(world.b))
        outcome = one.confirmer.commit(token=CancelToken())
        world.b.on_run = None
    assert outcome.hosts == {Side.A: CommitState.REFUSED, Side.B: CommitState.REFUSED}
    # It is also taken down before, to be started from the boot bundle.
    assert seen.read_text().splitlines() == [first or "none"] * 2


def test_confirming_that_was_broken_off_leaves_the_earlier_one(world: World) -> None:
    first, _ = deploy_and_confirm(world)
    with started_tunnel(world) as one:
        one.confirmer.install(token=CancelToken())
        # Ended from outside right after it had put its name there.
        deployment_id = one.confirmer.deployment_id
        world.a.path(f"/run/tunnelmark-{deployment_id}/.lasting/replaced").write_text(f"{first}\n")
        (place_on(world.a) / "current").write_text(f"{deployment_id}\n")
    for host in world.hosts:
        assert current(host) == first
        assert host.links == DEPLOYED_LINKS


def test_what_was_installed_goes_even_where_a_process_was_left_behind(world: World) -> None:
    """All is undone twice then, and the second time without the boot bundle."""
    before = [host.etc_files() for host in world.hosts]
    escaped = step("Start and forget", "setsid sleep 600 > /dev/null 2>&1 &", "true")
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (link_step("tml0"), escaped)})
    with started_tunnel(world, vpn) as one:
        one.confirmer.install(token=CancelToken())
    for host, files in zip(world.hosts, before, strict=True):
        assert host.etc_files() == files
        assert host.links == {"eth1"}
        wait_until(lambda host=host: host.processes() == [], f"no process on {host.side}")


def hold(
    one: DeploymentTransaction, seconds: float, user: Confirmation, left: list[float], more: list[float]
) -> Decision | None:
    """Wait for a user's decision."""
    return wait_for_decision(one.work, seconds, user, token=CancelToken(), on_left=left.append, on_extended=more.append)


BUSY_S = 50.0
"""Delay of a busy computer at most, in seconds."""


class Silence:
    """A user who says nothing."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        time.sleep(min(timeout_s, 0.2))
        return None


def test_without_a_decision_in_time_both_hosts_roll_back(world: World) -> None:
    left: list[float] = []
    for host in world.hosts:
        host.hold_clock()  # no lease ends because this computer is busy
    with started_tunnel(world) as one:
        more = list[float]()
        assert hold(one, 1.0, Silence(), left, more) is None
    assert (bool(left), more) == (True, [])
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]


class AskingForTime:
    """A user who asks for more time once, reads the hosts' leases and then decides."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.ends_s: list[list[int]] = []

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        self.ends_s.append([int((host.state_dir / "lease").read_text()) for host in self._world.hosts])
        return Decision.EXTEND if len(self.ends_s) == 1 else Decision.CONFIRM


def test_more_time_is_given_by_both_hosts_timers(world: World) -> None:
    user, left, more = AskingForTime(world), list[float](), list[float]()
    with started_tunnel(world) as one:
        assert hold(one, 60.0, user, left, more) is Decision.CONFIRM
        assert [host.links for host in world.hosts] == [DEPLOYED_LINKS, DEPLOYED_LINKS]
    # A busy computer takes its time to reach the hosts.
    assert left == pytest.approx([60.0, 60.0 + EXTENSION_S], abs=BUSY_S)
    assert more == pytest.approx(left[1:], abs=BUSY_S)
    before, after = user.ends_s
    for early, late in zip(before, after, strict=True):
        assert abs(late - early - EXTENSION_S) < BUSY_S


def test_what_waits_for_a_confirmation_is_rolled_back_by_no_one_of_this_computer(world: World) -> None:
    with started_tunnel(world) as one:
        leave(one.work, 600.0, token=CancelToken())
    for host in world.hosts:
        owner, key = (host.state_dir / "owner").read_text().split("\n")[:2]
        assert (bool(owner), key) == (True, "")
    report = recover(world.sessions, token=CancelToken())
    assert [end.found for end in (report.a, report.b)] == [Found.IN_USE, Found.IN_USE]
    assert has_message(AWAITS_CONFIRMATION_ALONE)(report.a.sentence)
    assert "PAIR" not in report.a.sentence
    with pytest.raises(PairLocked, check=has_message(WAITS_FOR_CONFIRMATION)) as refused:
        deploy_and_confirm(world)
    assert has_message(CONFIRM_PAIR, pair="pair")(refused.value.hint)
    with pytest.raises(PairLocked, check=has_message(WAITS_FOR_CONFIRMATION)), open_tunnel(world):
        pass
    assert [host.links for host in world.hosts] == [DEPLOYED_LINKS, DEPLOYED_LINKS]
    one.confirmer.install(token=CancelToken())
    assert one.confirmer.commit(token=CancelToken()).is_complete
