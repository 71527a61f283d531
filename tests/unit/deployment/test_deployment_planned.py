"""Deployments from the operation down: planned by one call, built on two made-up hosts, stored."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment import planning
from app.deployment.events import Decision, DeploymentEvent, DeploymentStage, DeploymentStageStarted
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import InvalidPlan
from app.domain.hosts import PairSpec, Side
from app.domain.keepalive import Keepalive
from app.storage import Store
from support.deploy_world import World
from support.deployment_captures import shown_by_captures
from support.deployment_world import SLOT, VPN, current, place_on, wait_until_watched
from support.made_up_deployment import Answers, Operations

OPTIONS = DeploymentOptions(legacy_reason="It is made up.", confirm_within_s=30.0)
KEY = (VPN.info.name, "")


@pytest.fixture
def store(store: Store, world: World) -> Store:
    store.save_pair(world.request.pair)
    return store


@pytest.fixture(autouse=True)
def hosts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this computer's firewall and its packets alone."""
    shown_by_captures(monkeypatch)
    monkeypatch.setattr(planning, "read_firewalls", lambda *_words, **_more: {})


@pytest.fixture
def operations(world: World, store: Store) -> Operations:
    made = Operations(world, store)
    made.adapters = {VPN.info.name: VPN}
    return made


def discovered(world: World) -> Discovery:
    checks = {side.value: SimpleNamespace(facts=world.request.facts(side)) for side in Side}
    pair, link = world.request.pair, world.request.link
    return cast("Discovery", SimpleNamespace(pair=pair, link=link, unavailable={}, candidates=(), **checks))


def deploy(
    operations: Operations,
    world: World,
    events: list[DeploymentEvent] | None = None,
    options: DeploymentOptions = OPTIONS,
) -> Deployment:
    emit = ([] if events is None else events).append
    user = Answers(Decision.CONFIRM)
    found = discovered(world)
    done = operations.deploy(found, KEY, options, token=CancelToken(), emit=emit, confirmation=user)
    for host in world.hosts:
        wait_until_watched(host)
    return done


def test_what_is_chosen_is_built_and_stored(world: World, operations: Operations, store: Store) -> None:
    events: list[DeploymentEvent] = []
    done = deploy(operations, world, events)
    assert (done.solution, done.suite, done.slot, done.options) == (*KEY[:1], "strong", SLOT, OPTIONS)
    assert done.state is DeploymentState.CONFIRMED
    assert store.list_deployments(world.request.pair.name) == (done,)
    assert [current(host) for host in world.hosts] == [done.id] * 2
    stages = [event.stage for event in events if isinstance(event, DeploymentStageStarted)]
    assert stages[0] is DeploymentStage.PREPARE


def test_second_deployment_replaces_the_first_and_keeps_its_number(world: World, operations: Operations) -> None:
    first, second = deploy(operations, world), deploy(operations, world)
    assert second.replaces == first.id
    assert second.link.names.ethernet_interface == first.link.names.ethernet_interface == "tml0"
    assert [current(host) for host in world.hosts] == [second.id] * 2


@pytest.mark.parametrize("keepalive", [Keepalive.METERED, pytest.param(Keepalive.WIRED, marks=pytest.mark.full)])
def test_supervisors_get_the_keepalive_that_was_chosen(
    world: World, operations: Operations, keepalive: Keepalive
) -> None:
    options = replace(OPTIONS, keepalive=keepalive)
    shown = operations.dry_run(
        discovered(world), KEY, options, token=CancelToken(), on_progress=lambda _what, _share: None
    )
    assert shown.keepalive is keepalive
    done = deploy(operations, world, options=options)
    assert done.options.keepalive is keepalive
    for host in world.hosts:
        about = (place_on(host) / done.id / "about.sh").read_text()
        assert ("idle" in about) == ("idle_s=55\n" in about) == (keepalive is Keepalive.METERED)


def test_dry_run_shows_what_is_planned_and_changes_nothing(world: World, operations: Operations) -> None:
    def show() -> tuple[str, str]:
        made = operations.dry_run(
            discovered(world), KEY, OPTIONS, token=CancelToken(), on_progress=lambda _what, _share: None
        )
        assert [end.interface for end in (made.a, made.b)] == ["tml0"] * 2
        assert any(one.path.endswith("/config") for one in made.a.files)
        return made.solution, made.replaces

    assert show() == (VPN.info.name, "")
    assert not any(place_on(host).exists() for host in world.hosts)
    first = deploy(operations, world)
    assert show() == (VPN.info.name, first.id)
    assert [current(host) for host in world.hosts] == [first.id] * 2


def test_what_is_not_offered_is_refused_before_any_login(
    world: World, operations: Operations, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connected(pair: PairSpec, *, token: CancelToken) -> None:
        pytest.fail(f"connected to {pair.name} with {token}")

    monkeypatch.setattr(operations, "pair", connected)
    events: list[DeploymentEvent] = []
    with pytest.raises(InvalidPlan):
        operations.deploy(discovered(world), ("ipsec", ""), OPTIONS, token=CancelToken(), emit=events.append)
    assert events == []
    assert store.list_deployments(world.request.pair.name) == ()
