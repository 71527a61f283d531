"""Confirming and rotating keys where a made-up host cannot be asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import EnvironmentFault
from app.storage import Store
from app.wording.deployment_sentences import STATE_WORDS
from support.deploy_world import World
from support.made_up_deployment import Operations, deploy


def refused(call: Callable[..., Deployment], world: World) -> EnvironmentFault:
    """Return why it was refused; the terminal exits with 1 then."""
    with pytest.raises(EnvironmentFault) as error:
        call(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    return error.value


def test_without_an_answer_nothing_is_reported_of_a_deployment(world: World, store: Store) -> None:
    services = Operations(world, store)
    for host in world.hosts:
        host.is_cut = True
    both = "gateway-a: cannot be asked. It is away. gateway-b: cannot be asked. It is away."
    asked = refused(services.confirm, world)
    assert asked.message == f"It is not known whether anything waits for a confirmation on pair. {both}"
    assert asked.hint == (
        "What waits is rolled back when its time is up. See how the hosts are with: tunnelmark status pair"
    )
    rotated = refused(services.rotate_keys, world)
    assert rotated.message == f"It is not known whether anything is deployed on pair. {both}"
    assert rotated.hint == "See how the hosts are with: tunnelmark status pair"

    world.a.is_cut = False
    for call in (services.confirm, services.rotate_keys):
        assert refused(call, world).message.endswith("on pair. gateway-b: cannot be asked. It is away.")


def test_a_known_deployment_is_named_where_a_host_cannot_be_asked(world: World, store: Store) -> None:
    services = Operations(world, store)
    one = deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0))
    assert one.state is DeploymentState.APPLIED
    world.b.is_cut = True
    asked = refused(services.confirm, world)
    assert asked.message.startswith("It is not known whether anything waits for a confirmation on pair. gateway-b:")
    assert asked.hint.startswith(
        f"The last deployment known here, {one.id[:8]}, is {STATE_WORDS[one.state]}. What waits "
    )
    rotated = refused(services.rotate_keys, world)
    assert rotated.message == (
        f"The keys of deployment {one.id[:8]} on pair were not replaced. gateway-b: cannot be asked. It is away."
    )
    assert store.list_deployments("pair") == (one,)
