"""Removal on one host alone: by a user at its console, or because the other host cannot be reached."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from app.cli.deployments import status_code
from app.cli.exit_codes import ExitCode
from app.deployment.events import DeploymentEvent, DeploymentNote
from app.deployment.messages import (
    LEFT_FILES,
    NOTHING_ON_HOST,
    REMOVED_FROM_ONE,
    ROLLED_BACK_BEFORE,
    ROLLS_BACK_LATER,
    WAITS_ELSEWHERE,
)
from app.deployment.single_host_rollback import remove_unfinished, roll_back_one
from app.deployment.slots import slot_dir
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import CommandFailed, ConnectionLost, NotFound
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.messages.results import REPAIR_BY_DEPLOYMENT, REPAIR_UNFINISHED
from app.storage import Store
from app.tunnel.messages import DISARM_AND_RELEASE
from support.deploy_world import World
from support.deployment_world import DEPLOYED_LINKS, place_on
from support.made_up_deployment import (
    Operations,
    assert_next_contact_removes,
    deploy,
    deploy_and_keep,
    inspect,
    save_facts,
)
from support.message_checks import has_message


@pytest.fixture
def store(store: Store, world: World) -> Store:
    save_facts(world, store)
    return store


def test_a_user_at_the_console_removes_a_confirmed_half_without_a_trace(world: World, store: Store) -> None:
    before = [host.etc_files() for host in world.hosts]
    one = deploy_and_keep(world, store)
    assert one.state is DeploymentState.CONFIRMED
    console = ("sh", f"{slot_dir(one.slot)}/start.sh", "remove")
    for host, files in zip(world.hosts, before, strict=True):
        assert host.links == DEPLOYED_LINKS
        ran = host.shell_run(*console)
        assert (ran.returncode, ran.stdout) == (0, "The tunnel is removed from this host.\n"), ran.stderr
        assert host.etc_files() == files
        assert host.links == {"eth1"}
        assert list((host.root / "run").iterdir()) == []
    assert inspect(world, store).state is None


def test_the_console_is_reported_where_a_tunnelmark_is_at_work(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    world.a.path(STATE_DIR).mkdir()
    ran = world.a.shell_run("sh", f"{slot_dir(one.slot)}/start.sh", "remove")
    assert ran.returncode == 1
    assert "undo.sh" in ran.stderr
    assert world.a.links == DEPLOYED_LINKS


def test_it_can_be_stopped_and_started_at_the_console(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    script = f"{slot_dir(one.slot)}/start.sh"
    assert world.a.shell_run("sh", script, "aside").returncode == 0
    assert world.a.links == {"eth1"}
    assert world.a.path(script).exists()
    assert world.a.shell_run("sh", script, "return").returncode == 0
    assert world.a.links == DEPLOYED_LINKS


def test_after_a_removal_at_the_console_undeploy_ends_it_on_the_other_host(world: World, store: Store) -> None:
    before = [host.etc_files() for host in world.hosts]
    one = deploy_and_keep(world, store)
    world.a.shell_run("sh", f"{slot_dir(one.slot)}/start.sh", "remove")
    services = Operations(world, store)
    status = inspect(world, store)
    assert (status.state, status.can_be_repaired) == (DeploymentState.HALF_CONFIRMED, True)
    assert has_message(REPAIR_BY_DEPLOYMENT)(status.repair_text)
    services.undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert [host.etc_files() for host in world.hosts] == before


def test_files_that_are_gone_already_do_not_keep_the_rest(world: World, store: Store) -> None:
    before = world.a.etc_files()
    one = deploy_and_keep(world, store)
    world.a.shell_run("rm", "-rf", f"{slot_dir(one.slot)}/{one.id}")
    ran = world.a.shell_run("sh", f"{slot_dir(one.slot)}/start.sh", "remove")
    assert ran.returncode == 0
    assert "goes with a restart" in ran.stdout
    assert world.a.etc_files() == before


def test_one_host_is_rolled_back_alone_and_the_other_one_at_the_next_contact(world: World, store: Store) -> None:
    before = [host.etc_files() for host in world.hosts]
    one = deploy_and_keep(world, store)
    world.b.is_cut = True
    events: list[DeploymentEvent] = []
    half = roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=events.append)
    assert (half.state, half.is_ending) == (DeploymentState.HALF_CONFIRMED, True)
    (note,) = [event.text for event in events if isinstance(event, DeploymentNote)]
    assert has_message(REMOVED_FROM_ONE, host="gateway-a", other="gateway-b")(note)
    assert world.a.etc_files() == before[0]
    assert (world.a.links, world.b.links) == ({"eth1"}, DEPLOYED_LINKS)
    entry = store.list_audit()[0]
    assert (entry.side, entry.deployment, entry.exit_status) == (Side.A, one.id, 0)

    away = inspect(world, store)
    assert (away.state, away.can_be_repaired) == (DeploymentState.HALF_CONFIRMED, False)
    world.b.is_cut = False
    assert_next_contact_removes(world, store)
    assert [host.etc_files() for host in world.hosts] == before
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]


def test_what_cannot_be_rolled_back_on_one_host_is_reported_and_remains(world: World, store: Store) -> None:
    one = deploy_and_keep(world, store)
    world.a.path(STATE_DIR).mkdir()
    with pytest.raises(CommandFailed, match=r"could not be removed on gateway-a\. Another instance works on this host"):
        roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
    assert store.get_deployment(one.id) == replace(one, state_at=store.get_deployment(one.id).state_at)
    world.a.path(STATE_DIR).rmdir()

    def lose(command: Command) -> None:
        world.a.is_cut = b"because the other one cannot be reached" in (command.stdin or b"")

    # Whether it was done is not known: what both hosts still have goes on.
    world.a.on_run = lose
    with pytest.raises(ConnectionLost):
        roll_back_one(store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None)
    world.a.on_run = None
    assert store.get_deployment(one.id).is_ending
    world.a.is_cut = False
    status = inspect(world, store)
    assert status.state is DeploymentState.CONFIRMED
    assert not store.get_deployment(one.id).is_ending


def test_nothing_to_roll_back_on_one_host_is_reported(world: World, store: Store) -> None:
    with pytest.raises(NotFound, check=has_message(NOTHING_ON_HOST, host="gateway-a")):
        roll_back_one(store, world.a, world.request.pair, Side.A, token=CancelToken(), emit=lambda _event: None)


def break_off(world: World) -> None:
    """Leave on A what is there when its power goes before anything starts the deployment with the host."""
    place = place_on(world.a)
    seen = place.parent.parent.stat()
    (place / "times").mkdir(parents=True)
    (place / "times/1.before").touch()
    os.utime(place / "times/1.before", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (place / "start.sh").write_text("# not read by anybody")


def test_what_was_broken_off_before_it_counted_is_seen_and_removed_at_the_next_contact(
    world: World, store: Store
) -> None:
    before = [host.etc_files() for host in world.hosts]
    break_off(world)
    services, pair = Operations(world, store), world.request.pair
    status = inspect(world, store)
    assert (status.state, status.can_be_repaired, status.is_healthy) == (None, True, False)
    assert [end.side for end in status.unfinished] == [Side.A]
    assert has_message(REPAIR_UNFINISHED, hosts=("gateway-a",))(status.repair_text)
    assert has_message(LEFT_FILES, pair="pair")(status.sentences[-1])
    assert status_code(status) is ExitCode.FAILED

    assert services.repair(pair, token=CancelToken(), emit=lambda _event: None) is None
    assert [host.etc_files() for host in world.hosts] == before
    assert (store.list_audit()[0].side, store.list_audit()[0].exit_status) == (Side.A, 0)
    after = inspect(world, store)
    assert (after.unfinished, after.sentences, status_code(after)) == ((), (), ExitCode.OK)


def test_what_another_user_is_about_to_put_in_place_is_left_alone(world: World, store: Store) -> None:
    break_off(world)
    world.a.path(STATE_DIR).mkdir()
    pair = world.request.pair
    status = inspect(world, store)
    assert (status.unfinished, status.can_be_repaired) == ((), False)
    # An instance that comes between the inspection and the removal is left alone as well.
    with pytest.raises(CommandFailed, match="Another instance works on this host"):
        remove_unfinished(store, world.a, pair, Side.A, token=CancelToken())
    assert place_on(world.a).is_dir()


def test_cleaning_up_begins_nothing_else(world: World, store: Store) -> None:
    pair = world.request.pair
    break_off(world)
    Operations(world, store).remove_unfinished(pair, token=CancelToken())
    assert not place_on(world.a).exists()
    one = deploy_and_keep(world, store)
    world.a.shell_run("sh", f"{slot_dir(one.slot)}/start.sh", "remove")
    Operations(world, store).remove_unfinished(pair, token=CancelToken())
    assert inspect(world, store).can_be_repaired, "one host alone keeps it still"
    assert [one.id for one in store.list_deployments("pair")] == [one.id]
    assert (world.a.links, world.b.links) == ({"eth1"}, DEPLOYED_LINKS)


def test_undeploy_rolls_back_what_waits_for_its_confirmation(world: World, store: Store) -> None:
    before = [host.etc_files() for host in world.hosts]
    waiting = deploy(world, store, options=DeploymentOptions(confirm_within_s=600.0))
    assert waiting.state is DeploymentState.APPLIED
    reported: list[DeploymentEvent] = []
    ended = Operations(world, store).undeploy(world.request.pair, token=CancelToken(), emit=reported.append)
    assert (ended.id, ended.state) == (waiting.id, DeploymentState.REMOVED)
    assert has_message(ROLLED_BACK_BEFORE)(ended.message)
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]
    assert [host.etc_files() for host in world.hosts] == before
    assert not any(host.path(STATE_DIR).exists() for host in world.hosts)
    assert store.get_deployment(waiting.id).state is DeploymentState.REMOVED
    assert {entry.side for entry in store.list_audit() if has_message(DISARM_AND_RELEASE)(entry.what)} == set(Side)


def test_what_an_unconfirmed_deployment_suspended_is_active_again(world: World, store: Store) -> None:
    kept = deploy_and_keep(world, store)
    waiting = deploy(world, store, options=DeploymentOptions(confirm_within_s=600.0))
    Operations(world, store).undeploy(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    status = inspect(world, store)
    assert status.deployment is not None
    assert (status.deployment.id, status.state) == (kept.id, DeploymentState.CONFIRMED)
    assert store.get_deployment(waiting.id).state is DeploymentState.REMOVED


def test_one_host_alone_rolls_back_what_waits(world: World, store: Store) -> None:
    waiting = deploy(world, store, options=DeploymentOptions(confirm_within_s=600.0))
    world.b.is_cut = True
    reported: list[DeploymentEvent] = []
    ended = Operations(world, store).undeploy_one(world.request.pair, Side.A, token=CancelToken(), emit=reported.append)
    assert (ended.id, ended.state) == (waiting.id, DeploymentState.REMOVED)
    assert world.a.links == {"eth1"}
    assert any(isinstance(one, DeploymentNote) and has_message(ROLLS_BACK_LATER)(one.text) for one in reported)
    world.b.is_cut = False
    with pytest.raises(NotFound):
        Operations(world, store).confirm(world.request.pair, token=CancelToken(), emit=lambda _event: None)


def test_what_another_process_asks_about_is_left_to_it(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(world, store, options=DeploymentOptions(confirm_within_s=600.0))
    monkeypatch.setattr("app.deployment.unconfirmed.LET_GO", "of nobody")
    monkeypatch.setattr("app.deployment.unconfirmed.is_abandoned", lambda _lock: False)
    with pytest.raises(CommandFailed, check=has_message(WAITS_ELSEWHERE)):
        Operations(world, store).undeploy(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    assert all(host.path(STATE_DIR).exists() for host in world.hosts)
