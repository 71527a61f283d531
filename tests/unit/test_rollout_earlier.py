"""Deployments of an earlier version, which let in frames that strangers sent: found at the next look, and named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.rollout import status_code
from app.domain.rollout import DeploymentState
from app.storage import Store
from support.deploy_world import World, shell_of
from support.lasting_rollout import deploy_and_keep, look, save_facts
from support.lasting_world import lasting_world, place_on
from support.made_up_host import LocalHost


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with lasting_world(tmp_path / "world", shell_of(request)) as made:
        yield made


def add_to_steps(host: LocalHost, deployment_id: str, line: str) -> None:
    """Let the installed steps be others, with the checksums that go with them."""
    folder = place_on(host) / deployment_id
    steps, sums = folder / "steps.sh", folder / "sums"
    old = hashlib.sha256(steps.read_bytes()).hexdigest()
    with steps.open("a") as file:
        file.write(f"# {line}\n")
    sums.write_text(sums.read_text().replace(old, hashlib.sha256(steps.read_bytes()).hexdigest()))


def test_a_tunnel_that_lets_strangers_in_is_found_and_named(world: World, tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        assert look(world, store).is_healthy
        for host in world.hosts:
            add_to_steps(host, one.id, "ip l2tp add session name tml0")
        status = look(world, store)
        assert status.state is DeploymentState.CONFIRMED
        assert (status.a.lets_strangers_in, status.b.lets_strangers_in) == (True, True)
        assert (status.is_healthy, status_code(status)) == (False, ExitCode.FAILED)
        assert status.sentences[-1] == (
            "An earlier version has rolled this out on gateway-a and gateway-b: it lets in packets that a stranger "
            "forges or replays. Roll it out again, with new keys: tunnelmark rotate-keys pair"
        )
        for host in world.hosts:
            add_to_steps(host, one.id, "cookie 1 peer_cookie 2")
        assert look(world, store).is_healthy


@pytest.mark.parametrize(("window", "lets_in"), [("64", True), ("0", False)])
def test_replay_window_that_takes_packets_twice_is_found(
    world: World, tmp_path: Path, window: str, *, lets_in: bool
) -> None:
    with Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        add_to_steps(world.b, one.id, f"type macsec protect on replay on window {window} validate strict")
        status = look(world, store)
        assert (status.a.lets_strangers_in, status.b.lets_strangers_in) == (False, lets_in)
        assert status.is_healthy is not lets_in
