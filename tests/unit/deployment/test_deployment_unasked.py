"""Confirming and rotating keys where a made-up host cannot be asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.deployment.messages import (
    HOST_SILENT,
    KEYS_NOT_REPLACED,
    LAST_KNOWN,
    ROLLS_BACK_WHEN_OVER,
    SEE_STATUS,
    UNKNOWN_WHETHER_DEPLOYED,
    UNKNOWN_WHETHER_WAITING,
)
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import EnvironmentFault
from app.domain.messages.words import STATES
from app.storage import Store
from support.deploy_world import World
from support.made_up_deployment import Operations, deploy
from support.message_checks import has_message


def refused(call: Callable[..., Deployment], world: World) -> EnvironmentFault:
    """Return why it was refused; the terminal exits with 1 then."""
    with pytest.raises(EnvironmentFault) as error:
        call(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    return error.value


def test_without_an_answer_nothing_is_reported_of_a_deployment(world: World, store: Store) -> None:
    services = Operations(world, store)
    for host in world.hosts:
        host.is_cut = True
    silent = [HOST_SILENT(host=host.spec.label, why="It is away.") for host in world.hosts]
    asked = refused(services.confirm, world)
    assert asked.message == " ".join((UNKNOWN_WHETHER_WAITING(pair="pair"), *silent))
    assert asked.hint == f"{ROLLS_BACK_WHEN_OVER()} {SEE_STATUS(pair='pair')}"
    rotated = refused(services.rotate_keys, world)
    assert rotated.message == " ".join((UNKNOWN_WHETHER_DEPLOYED(pair="pair"), *silent))
    assert rotated.hint == SEE_STATUS(pair="pair")

    world.a.is_cut = False
    for call in (services.confirm, services.rotate_keys):
        found = refused(call, world)
        assert not has_message(HOST_SILENT, host="gateway-a")(found)
        assert has_message(HOST_SILENT, host="gateway-b", why="It is away.")(found)


def test_a_known_deployment_is_named_where_a_host_cannot_be_asked(world: World, store: Store) -> None:
    services = Operations(world, store)
    one = deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0))
    assert one.state is DeploymentState.APPLIED
    world.b.is_cut = True
    asked = refused(services.confirm, world)
    assert has_message(UNKNOWN_WHETHER_WAITING, pair="pair")(asked)
    assert has_message(LAST_KNOWN, number=one.id[:8], state=STATES[one.state]())(asked)
    assert has_message(ROLLS_BACK_WHEN_OVER)(asked)
    rotated = refused(services.rotate_keys, world)
    assert has_message(KEYS_NOT_REPLACED, number=one.id[:8], pair="pair")(rotated)
    for error in (asked, rotated):
        assert has_message(HOST_SILENT, host="gateway-b", why="It is away.")(error)
    assert store.list_deployments("pair") == (one,)
