"""Confirming between two made-up hosts: the time for it, hosts that are lost meanwhile, nothing to confirm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from app.deployment import commit
from app.deployment.events import Decision
from app.deployment.messages import KEPT_BY_ONE, LAST_OF_PAIR, NOT_ENDED_ON_BOTH, WORKED_ON_FOR
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import CommandFailed, NotFound
from app.domain.link import STATE_DIR
from app.domain.messages import code_of
from app.domain.messages.words import STATES
from app.storage import Store
from support.deploy_world import World
from support.deployment_captures import CaptureProof, left_s, shown_by_captures
from support.deployment_world import is_confirming, when_confirming
from support.made_up_deployment import (
    Operations,
    assert_next_contact_removes,
    deploy,
    deploy_and_keep,
    inspect,
    save_facts,
)
from support.made_up_host import LocalHost
from support.message_checks import has_message


@pytest.fixture(autouse=True)
def capture(monkeypatch: pytest.MonkeyPatch) -> CaptureProof:
    return shown_by_captures(monkeypatch)


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


def roll_back(host: LocalHost) -> None:
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

    roll_back(world.b)
    status = inspect(world, store)
    assert status.state is DeploymentState.HALF_CONFIRMED
    assert KEPT_BY_ONE(host="gateway-a", other="gateway-b") in " ".join(status.sentences)

    # Deploying once more puts it right, whatever each host had.
    forget(world.b)
    again = deploy(world, store)
    assert again.state is DeploymentState.CONFIRMED
    assert inspect(world, store).state is DeploymentState.CONFIRMED
    assert {one.state for one in stored(store)} == {DeploymentState.CONFIRMED, DeploymentState.REPLACED}


def test_a_half_that_is_removed_was_confirmed_and_not_rolled_back(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lost_when_confirming(world.b, monkeypatch):
        assert deploy(world, store).confirmed_at is not None
    roll_back(world.b)
    forget(world.b)
    assert inspect(world, store).state is DeploymentState.HALF_CONFIRMED
    pair = world.request.pair
    ended = Operations(world, store).undeploy(pair, token=CancelToken(), emit=lambda _event: None)
    assert (ended.state, ended.is_rolled_back) == (DeploymentState.REMOVED, False)


def test_a_half_that_another_instance_confirmed_was_confirmed(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0))
    assert (one.state, one.confirmed_at) == (DeploymentState.APPLIED, None)
    with lost_when_confirming(world.b, monkeypatch), pytest.raises(CommandFailed):
        Operations(world, store).confirm(one.pair, token=CancelToken(), emit=lambda _event: None)
    half = store.get_deployment(one.id)
    assert half.state is DeploymentState.HALF_CONFIRMED
    assert half.confirmed_at is not None


def test_a_half_that_is_only_found_on_a_host_was_confirmed(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lost_when_confirming(world.b, monkeypatch):
        one = deploy(world, store)
    roll_back(world.b)
    forget(world.b)
    store.save_deployment(replace(one, state=DeploymentState.PREPARED, confirmed_at=None))  # killed while confirming
    assert inspect(world, store).state is DeploymentState.HALF_CONFIRMED
    assert store.get_deployment(one.id).confirmed_at is not None


def test_confirming_gives_both_hosts_time_for_it(world: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    options = DeploymentOptions(confirm_within_s=30.0)
    one = deploy(world, store)
    later = deploy(world, store, options=options)
    assert (one.state, later.state) == (DeploymentState.CONFIRMED, DeploymentState.APPLIED)
    for host in world.hosts:
        host.hold_clock()  # the 8 s that are left do not pass because this computer is busy
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


class Late:
    """A user who decides after another Tunnelmark has confirmed."""

    def __init__(self, decision: Decision, confirm: Callable[[], object]) -> None:
        self._decision = decision
        self._confirm = confirm

    def wait(self, _timeout_s: float, *, token: CancelToken) -> Decision | None:
        self._confirm()
        return self._decision


@pytest.mark.parametrize("decision", list(Decision))
def test_what_another_instance_confirmed_remains_whatever_is_decided_here(
    world: World, store: Store, decision: Decision
) -> None:
    def confirm() -> Deployment:
        return Operations(world, store).confirm(world.request.pair, token=CancelToken(), emit=lambda _event: None)

    options = DeploymentOptions(confirm_within_s=30.0)
    one = deploy(world, store, options=options, user=Late(decision, confirm))
    assert one.state is DeploymentState.CONFIRMED
    assert store.get_deployment(one.id).state is DeploymentState.CONFIRMED
    for host in world.hosts:
        assert host.links > {"eth1"}, "the tunnel is up"
        assert not (host.state_dir / "lease").exists()


def test_what_was_rolled_back_on_one_host_alone_is_rolled_back_on_both_at_the_next_contact(
    world: World, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_facts(world, store)
    before = [host.etc_files() for host in world.hosts]
    services = Operations(world, store)
    one = deploy(world, store)
    with (
        lost_when_confirming(world.b, monkeypatch),
        pytest.raises(CommandFailed, check=has_message(NOT_ENDED_ON_BOTH)),
    ):
        services.undeploy(one.pair, token=CancelToken(), emit=lambda _event: None)
    assert not inspect(world, store).can_be_repaired, "B rolls back by itself first"
    with pytest.raises(CommandFailed, check=has_message(WORKED_ON_FOR)):
        services.repair(one.pair, token=CancelToken(), emit=lambda _event: None)

    roll_back(world.b)
    forget(world.b)
    assert_next_contact_removes(world, store)
    assert [host.etc_files() for host in world.hosts] == before


def test_confirming_says_why_there_is_nothing_to_confirm(world: World, store: Store) -> None:
    def refused() -> NotFound:
        with pytest.raises(NotFound) as error:
            Operations(world, store).confirm(world.request.pair, token=CancelToken(), emit=lambda _event: None)
        return error.value

    nothing = refused()
    assert (nothing.code, code_of(nothing.hint)) == ("deploy.nothing-to-confirm", "deploy.deploy-with")
    one = deploy_and_keep(world, store)
    done = refused()
    assert done.code == "deploy.nothing-waits"
    assert has_message(LAST_OF_PAIR, number=one.id[:8], state=STATES[DeploymentState.CONFIRMED]())(done)
