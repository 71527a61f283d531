"""A removal on one host is the only work there, and reports that."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.deployment.events import Decision
from app.deployment.single_host_rollback import roll_back_one
from app.deployment.slots import slot_dir
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import CommandFailed, ConnectionLost, PairLocked
from app.domain.hosts import Side
from app.storage import Store
from app.tunnel import recover
from app.tunnel.lock_owner import owner_text
from app.tunnel.messages import IS_REMOVING, REMOVAL_INTERRUPTED, REMOVAL_RUNS
from app.tunnel.recovery import Found
from support.deploy_world import World, shell_of
from support.deployment_world import DEPLOYED_LINKS, SLOT, deployment_world, place_on, run_dirs, state_of
from support.made_up_deployment import Answers, deploy, inspect, save_facts
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.slow_removal import kill_removal, removing
from support.waiting import wait_until

START = f"{slot_dir(SLOT)}/start.sh"
CONSOLE = ("sh", START, "remove")


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path / "world", shell_of(request)) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path, world: World) -> Iterator[Store]:
    with Store.open(tmp_path / "t.db") as opened:
        save_facts(world, opened)
        yield opened


def test_others_learn_who_removes_it_and_change_nothing(world: World, store: Store, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with removing(world, store, gate) as (one, work):
        lock = state_of(world.a).lock
        assert lock is not None
        assert (lock.owner, lock.is_complete, lock.left_s > 100) == (owner_text(), True, True)
        assert store.get_deployment(one.id).is_ending
        seen = inspect(world, store)
        assert (seen.a.is_worked_on, seen.can_be_repaired) == (True, False)
        assert store.get_deployment(one.id).is_ending, "a look does not take it for given up"
        with pytest.raises(PairLocked, check=has_message(REMOVAL_RUNS, host="gateway-a", owner=owner_text())):
            deploy(world, store)
        with pytest.raises(CommandFailed, match="is being removed on this host already, by"):
            roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
        for words in (CONSOLE, ("sh", "/run/tunnelmark/undo.sh")):
            assert world.a.shell_run(*words).returncode == 1
        # A watcher that is only just starting is not found; it gives way by itself.
        assert world.a.shell_run("sh", START, "boot").returncode == 0
        assert not work.done()
        gate.touch()
        assert work.result(timeout=120).state is DeploymentState.HALF_CONFIRMED
    assert (world.a.links, run_dirs(world.a), place_on(world.a).exists()) == ({"eth1"}, [], False)
    assert world.b.links == DEPLOYED_LINKS


def test_it_goes_on_where_the_connection_breaks(world: World, store: Store, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with removing(world, store, gate) as (_, work):
        world.a.is_cut = True
        # The scripts alone: timeout(1) passes a hang-up on to the step that it watches, which would fail then.
        for name in ("removal", "worker"):
            os.kill(int((world.a.state_dir / name).read_text().split(":")[0]), signal.SIGHUP)
        gate.touch()
        with pytest.raises(ConnectionLost):
            work.result(timeout=120)
    wait_until(lambda: run_dirs(world.a) == [], "the end of the removal")
    assert (world.a.links, place_on(world.a).exists()) == ({"eth1"}, False)


def test_after_one_that_was_killed_it_can_be_done_again_at_once(world: World, store: Store, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with removing(world, store, gate) as (_, work):
        kill_removal(world.a)
        assert state_of(world.a).lock is not None
        assert world.a.shell_run(*CONSOLE).returncode == 1, "what takes it down is still at it"
        gate.touch()
        with pytest.raises(CommandFailed):
            work.result(timeout=120)
    ran = world.a.shell_run(*CONSOLE)
    while ran.returncode:  # it is ending just now
        assert "already" in ran.stderr
        ran = world.a.shell_run(*CONSOLE)
    assert (world.a.links, run_dirs(world.a), place_on(world.a).exists()) == ({"eth1"}, [], False)


def test_the_lock_of_one_that_was_killed_is_freed_by_the_one_that_comes_after_its_lease(
    world: World, store: Store, tmp_path: Path
) -> None:
    with removing(world, store, tmp_path / "gate") as (_, work):
        kill_removal(world.a)
        in_use = recover(world.sessions, token=CancelToken()).a
        assert in_use.found is Found.IN_USE
        assert has_message(IS_REMOVING, host="gateway-a")(in_use.sentence)
        (world.a.state_dir / "lease").write_text(f"{1:<10}\n")
        report = recover(world.sessions, token=CancelToken())
        assert (report.a.found, report.a.is_clean) == (Found.ABANDONED, True), report.a.sentence
        assert has_message(REMOVAL_INTERRUPTED)(report.a.sentence)
        with pytest.raises(CommandFailed):
            work.result(timeout=120)
        assert not world.a.state_dir.exists()
        assert place_on(world.a).exists(), "it changes nothing else"


def test_one_that_failed_leaves_the_host_free(world: World, store: Store) -> None:
    flag = world.a.net / "flag"
    stuck = step("Stick", ': > "$1"', 'rm "$1"', str(flag))
    link = link_step("tml0")
    vpn = MadeUpVpn(interface="tml0", steps={Side.A: (link, stuck), Side.B: (link,)})
    one = deploy(
        world, store, vpn=vpn, options=DeploymentOptions(confirm_within_s=30.0), user=Answers(Decision.CONFIRM)
    )
    flag.unlink()
    with pytest.raises(CommandFailed, match="could not be taken down completely"):
        roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
    assert not world.a.state_dir.exists()
    assert place_on(world.a).exists()


def test_of_two_at_once_one_removes_it(world: World, store: Store) -> None:
    deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0), user=Answers(Decision.CONFIRM))
    with ThreadPoolExecutor(2) as pool:
        reported = [one.stdout for one in pool.map(lambda _nth: world.a.shell_run(*CONSOLE), range(2))]
    assert sorted(reported) == ["", "The tunnel is removed from this host.\n"]
    assert (world.a.links, run_dirs(world.a), place_on(world.a).exists()) == ({"eth1"}, [], False)
