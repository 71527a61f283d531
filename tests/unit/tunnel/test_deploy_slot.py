"""A slot that another instance has changed since it was inspected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.deployment.messages import CHANGED_MEANWHILE
from app.domain.cancel import CancelToken
from app.domain.errors import PairLocked
from app.domain.link import STATE_DIR
from app.tunnel.lock_conflict import raise_if_held
from app.tunnel.messages import HOST_LOCKED
from app.tunnel.preflight import remote_hosts
from support.deploy_world import World, shell_of
from support.deployment_world import deployment_world, place_on, transaction
from support.message_checks import has_message


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path, shell_of(request)) as made:
        yield made


def test_what_another_user_deployed_meanwhile_is_left_alone(world: World) -> None:
    inspected = transaction(world)
    place_on(world.b).mkdir(parents=True)
    (place_on(world.b) / "current").write_text("0123456789abcdef\n")
    before = [host.etc_files() for host in world.hosts]
    with (
        pytest.raises(PairLocked, check=has_message(CHANGED_MEANWHILE, hosts=world.b.spec.label)),
        inspected.provisional(token=CancelToken()),
    ):
        pytest.fail("it went on")
    assert [host.etc_files() for host in world.hosts] == before
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]


def test_who_works_on_a_host_is_reported(world: World) -> None:
    ends = remote_hosts(world.sessions, STATE_DIR)
    raise_if_held(ends, token=CancelToken())
    with (
        transaction(world).provisional(token=CancelToken()),
        pytest.raises(PairLocked, check=has_message(HOST_LOCKED)),
    ):
        raise_if_held(ends, token=CancelToken())
    raise_if_held(ends, token=CancelToken())
