"""Deployments of an earlier version, which let in frames that strangers sent: found at an inspection, and named."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.cli.deployments import status_code
from app.cli.exit_codes import ExitCode
from app.deployment.events import Decision
from app.deployment.messages import AGAIN_WITH_NEW_KEYS, NOT_FROM_HERE, OPEN_TO_STRANGERS
from app.deployment.slots import slot_dir
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import CommandFailed
from app.domain.messages.lists import AND
from app.storage import Store
from support.deploy_world import World
from support.deployment_world import SLOT, VPN, current, place_on, wait_until_watched
from support.made_up_deployment import Answers, Operations, deploy, deploy_and_keep, inspect, save_facts
from support.made_up_host import LocalHost
from support.message_checks import has_message
from support.waiting import INSPECTIONS_S, wait_until

FIRST = Path(__file__).parents[2] / "support" / "first_version"
"""Scripts that the first version left on hosts (0cbb154, 21 November 2026), without their comments."""
OPEN = "ip l2tp add session name tml0"


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
        assert inspect(world, store).is_healthy
        for host in world.hosts:
            add_to_steps(host, one.id, "ip l2tp add session name tml0")
        status = inspect(world, store)
        assert status.state is DeploymentState.CONFIRMED
        assert (status.a.lets_strangers_in, status.b.lets_strangers_in) == (True, True)
        assert (status.is_healthy, status_code(status)) == (False, ExitCode.FAILED)
        assert has_message(OPEN_TO_STRANGERS, hosts="gateway-a and gateway-b")(status.sentences[-1])
        assert has_message(AGAIN_WITH_NEW_KEYS, command="tunnelmark rotate-keys pair")(status.sentences[-1])
        for host in world.hosts:
            add_to_steps(host, one.id, "cookie 1 peer_cookie 2")
        assert inspect(world, store).is_healthy


@pytest.mark.parametrize(("window", "lets_in"), [("64", True), ("0", False)])
def test_replay_window_that_takes_packets_twice_is_found(
    world: World, tmp_path: Path, window: str, *, lets_in: bool
) -> None:
    with Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        add_to_steps(world.b, one.id, f"type macsec protect on replay on window {window} validate strict")
        status = inspect(world, store)
        assert (status.a.lets_strangers_in, status.b.lets_strangers_in) == (False, lets_in)
        assert status.is_healthy is not lets_in


def let_the_first_version_run(host: LocalHost, deployment_id: str) -> None:
    """Put the scripts of the first version in the place of today's, and start the tunnel with them."""
    folder = slot_dir(SLOT)
    start = Command(("sh", f"{folder}/start.sh", "aside"), timeout_s=30)
    assert host.run(start, token=CancelToken()).is_ok
    recorded = {
        f"{folder}/start.sh": FIRST / "start.txt",
        f"{folder}/{deployment_id}/lasting.sh": FIRST / "lasting.txt",
    }
    for path, file in recorded.items():
        changed = host.path(path)
        before = hashlib.sha256(changed.read_bytes()).hexdigest()
        write = Command(("sh", "-c", 'cat > "$1"', "write", path), timeout_s=30, stdin=file.read_bytes())
        assert host.run(write, token=CancelToken()).is_ok
        sums = host.path(f"{folder}/{deployment_id}/sums")
        sums.write_text(sums.read_text().replace(before, hashlib.sha256(changed.read_bytes()).hexdigest()))
    again = replace(start, argv=(*start.argv[:-1], "return"))
    assert host.run(again, token=CancelToken()).is_ok
    wait_until_watched(host)


class Rotating(Operations):
    """Services that rotate keys; what was deployed is deployed again on the made-up hosts."""

    def __init__(self, world: World, store: Store) -> None:
        super().__init__(world, store)
        self.discover = lambda *_words: None

    def deploy(  # type: ignore[override]
        self, found: object, key: tuple[str, str], options: DeploymentOptions, **more: object
    ) -> Deployment:
        assert key[0] == VPN.info.name
        return deploy(self.world, self.store, options=options, user=cast("Answers", more["confirmation"]))

    def rotate(self) -> Deployment:
        user = Answers(Decision.CONFIRM)
        pair = self.world.request.pair
        return self.rotate_keys(pair, token=CancelToken(), emit=lambda _event: None, confirmation=user)


def test_rotating_keys_replaces_what_the_first_version_has_deployed(world: World, tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        for host in world.hosts:
            let_the_first_version_run(host, one.id)
            assert "mend" not in (place_on(host) / one.id / "lasting.sh").read_text()
        wait_until(lambda: inspect(world, store).is_healthy, "the tunnel", interval_s=INSPECTIONS_S)
        for host in world.hosts:
            add_to_steps(host, one.id, OPEN)
        assert inspect(world, store).a.lets_strangers_in
        again = Rotating(world, store).rotate()
        assert again.state is DeploymentState.CONFIRMED
        assert again.id != one.id
        for host in world.hosts:
            wait_until_watched(host)
            assert current(host) == again.id
            assert not (place_on(host) / one.id).exists()
            assert not host.path(one.link.run_dir).exists()
        assert inspect(world, store).is_healthy
        assert store.get_deployment(one.id).state is DeploymentState.REPLACED


def test_rotating_keys_of_what_this_computer_does_not_know_is_refused_with_words(world: World, tmp_path: Path) -> None:
    with Store.open(tmp_path / "theirs.db") as store:
        save_facts(world, store)
        one = deploy_and_keep(world, store)
        for host in world.hosts:
            add_to_steps(host, one.id, OPEN)
    with Store.open(tmp_path / "ours.db") as store:
        save_facts(world, store)
        with pytest.raises(CommandFailed, check=has_message(NOT_FROM_HERE)) as refused:
            Rotating(world, store).rotate()
        assert refused.value.hint == NOT_FROM_HERE(hosts=AND(first="gateway-a", last="gateway-b"), pair="pair").hint
        assert all(current(host) == one.id for host in world.hosts)


class Asked(Rotating):
    """Services that note what would be deployed again."""

    def deploy(  # type: ignore[override]
        self, found: object, key: tuple[str, str], options: DeploymentOptions, **more: object
    ) -> Deployment:
        self.options = options
        return self.store.list_deployments()[0]

    def again(self, user: Answers | None, within_s: float | None = None) -> float | None:
        one = self.store.list_deployments()[0].id
        token = CancelToken()
        self.redeploy(one, token=token, emit=lambda _event: None, confirmation=user, confirm_within_s=within_s)
        return self.options.confirm_within_s


def test_time_to_confirm_what_is_deployed_again_is_what_was_asked_for(world: World, tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        save_facts(world, store)
        former_s = deploy_and_keep(world, store).options.confirm_within_s
        asked, user = Asked(world, store), Answers(Decision.CONFIRM)
        assert asked.again(user, 90.0) == 90.0 != former_s
        assert asked.again(user) == former_s
        assert asked.again(None, 90.0) is None, "nobody can be asked"
