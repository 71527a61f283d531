"""Confirming between two made-up hosts: the time for it, hosts that are lost meanwhile, nothing to confirm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from app.deployment import commit
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.deployment import Deployment, DeploymentState, RolloutOptions
from app.domain.errors import CommandFailed, NotFound
from app.domain.link import STATE_DIR
from app.storage import Store
from support.deploy_world import World, shell_of
from support.lasting_rollout import (
    Operations,
    assert_next_contact_takes_back,
    deploy,
    deploy_and_keep,
    look,
    save_facts,
)
from support.lasting_world import is_confirming, lasting_world, when_confirming
from support.made_up_host import LocalHost
from support.rollout_wire import Wire, left_s, shown_on_wire


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with lasting_world(tmp_path / "world", shell_of(request)) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "t.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    return shown_on_wire(monkeypatch)


def stored(store: Store) -> list[Deployment]:
    return list(store.list_deployments("pair"))


@contextmanager
def lost_when_confirming(host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lose a host for good in the moment in which it is to confirm; at the end it can be reached again."""

    def lose() -> None:
        host.is_cut, host.can_reconnect = True, False

    with monkeypatch.context() as patch:
        patch.setattr(commit, "REACH_S", 0.2)
        when_confirming(host, lose)
        yield
    host.on_run = None
    host.is_cut, host.can_reconnect = False, True


def go_back(host: LocalHost) -> None:
    """Roll back a host, as its rollback timer does once the lease runs out."""
    assert host.shell_run("sh", f"{STATE_DIR}/undo.sh").returncode == 0


def forget(host: LocalHost) -> None:
    """Remove what a host still has of earlier work, as its rollback timer does after that."""
    host.end_processes()
    host.shell_run("rm", "-rf", STATE_DIR)


def test_a_host_that_is_lost_in_the_moment_of_confirming_leaves_a_half_that_is_shown(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lost_when_confirming(world.b, monkeypatch):
        done = deploy(world, store)
    assert done.state is DeploymentState.HALF_CONFIRMED

    go_back(world.b)
    status = look(world, store)
    assert status.state is DeploymentState.HALF_CONFIRMED
    assert "keeps a deployment that gateway-b does not have" in " ".join(status.sentences)

    # Deploying once more puts it right, whatever each host had.
    forget(world.b)
    again = deploy(world, store)
    assert again.state is DeploymentState.CONFIRMED
    assert look(world, store).state is DeploymentState.CONFIRMED
    assert {one.state for one in stored(store)} == {DeploymentState.CONFIRMED, DeploymentState.REPLACED}


def test_confirming_gives_both_hosts_time_for_it(world: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    options = RolloutOptions(confirm_within_s=30.0)
    one = deploy(world, store)
    later = deploy(world, store, options=options)
    assert (one.state, later.state) == (DeploymentState.CONFIRMED, DeploymentState.APPLIED)
    for host in world.hosts:
        lease = host.state_dir / "lease"
        lease.write_text(f"{int(lease.read_text()) - left_s(host) + 8:<10}\n")
    left: dict[str, int] = {}

    def before(host: LocalHost, command: Command) -> None:
        if is_confirming(command) or b"Puts what starts this end" in (command.stdin or b""):
            left[f"{host.side} {len(left)}"] = left_s(host)

    for host in world.hosts:
        monkeypatch.setattr(host, "on_run", partial(before, host))
    confirmed = Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert confirmed.id == later.id
    assert confirmed.state is DeploymentState.CONFIRMED
    assert len(left) == 4
    assert min(left.values()) > 8, left
    assert store.get_deployment(one.id).state is DeploymentState.REPLACED


def test_what_was_taken_back_on_one_host_alone_is_taken_back_on_both_at_the_next_contact(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_facts(world, store)
    before = [host.etc_files() for host in world.hosts]
    services = Operations(world, store)
    one = deploy(world, store)
    with (
        lost_when_confirming(world.b, monkeypatch),
        pytest.raises(CommandFailed, match="has not ended on both hosts"),
    ):
        services.undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert not look(world, store).can_be_repaired, "B rolls back by itself first"
    with pytest.raises(CommandFailed, match="rolls back by itself"):
        services.repair(one.pair, token=CancelToken(), emit=lambda _event: None)

    go_back(world.b)
    forget(world.b)
    assert_next_contact_takes_back(world, store)
    assert [host.etc_files() for host in world.hosts] == before


def test_confirming_says_why_there_is_nothing_to_confirm(world: World, store: Store) -> None:
    def refused() -> NotFound:
        with pytest.raises(NotFound) as error:
            Operations(world, store).confirm(world.request.pair, token=CancelToken(), emit=lambda _event: None)
        return error.value

    nothing = refused()
    assert nothing.message == "There is nothing to confirm on pair: nothing is deployed."
    assert nothing.hint == "Deploy with: tunnelmark deploy pair SOLUTION"
    one = deploy_and_keep(world, store)
    done = refused()
    assert done.message == "Nothing waits for a confirmation on pair."
    assert f"Its last deployment, {one.id[:8]}, is confirmed." in done.hint
