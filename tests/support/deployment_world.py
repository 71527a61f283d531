"""Deployments between two made-up hosts, for tests of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.deployment.boot_bundle import boot_bundle_dir
from app.deployment.commit import CommitOutcome
from app.deployment.deployment_steps import DeploymentSteps, suspend_step
from app.deployment.slots import persistent_link, slot_dir
from app.deployment.status import HostDeployment, read_state
from app.deployment.transactions import DeploymentTarget, DeploymentTransaction, RemovalTransaction, commit
from app.domain.adapters import Purpose
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.host.remote_host import RemoteHost, new_id
from app.tunnel import DeployRequest
from app.tunnel.request import ReplacedDeployment
from support.deploy_world import World, ignore_stage, running_world
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn
from support.waiting import INSPECTIONS_S, wait_until

SLOT = "58fca5ac"
"""The place of the two made-up hosts, as `slot_of` names it."""
VPN = MadeUpVpn(interface="tml0")
DEPLOYED_LINKS = {"eth1", "tml0"}
"""The interfaces of a host with a deployment."""


@contextmanager
def deployment_world(root: Path, shell: str = "dash") -> Iterator[World]:
    """Give two hosts with an /etc each; see `running_world`."""
    with running_world(root, shell) as made:
        for host in made.hosts:
            host.make_etc()
        yield made


def place_on(host: LocalHost) -> Path:
    """Return where the folder of the place lies on this computer."""
    return host.path(slot_dir(SLOT))


def current(host: LocalHost) -> str:
    """Return what is confirmed on a host; empty where nothing is."""
    path = place_on(host) / "current"
    return path.read_text().strip() if path.exists() else ""


def run_dirs(host: LocalHost) -> list[str]:
    """Return the names of what lies below a host's /run."""
    return sorted(path.name for path in (host.root / "run").iterdir())


def state_of(host: LocalHost) -> HostDeployment:
    """Read the status of a host's deployment."""
    return read_state(RemoteHost(host.side, host, STATE_DIR), SLOT, token=CancelToken())


def wait_until_watched(host: LocalHost) -> None:
    """Wait until a host supervises its deployment; it is asked only once there is a supervisor at all."""
    run = host.root / "run"
    wait_until(lambda: any(run.glob("tunnelmark-*/.lasting/watcher")), f"a watcher on {host.side}")
    wait_until(lambda: state_of(host).is_watched, f"the watcher on {host.side}", interval_s=INSPECTIONS_S)


def deployment_request(world: World, vpn: MadeUpVpn = VPN) -> tuple[DeployRequest, DeploymentTarget]:
    """Return the transaction that replaces the hosts' present deployment."""
    replaced = deployed_on(world)
    deployment_id = new_id()
    room = ReplacedDeployment(persistent_link(world.request.link, "", 0), suspend=suspend_step(slot_dir(SLOT)))
    request = replace(
        world.request,
        adapter=vpn,
        link=persistent_link(world.request.link, deployment_id, 0),
        purpose=Purpose.DEPLOYMENT,
        state_dir=STATE_DIR,
        replaced=dict.fromkeys(replaced, room),
        extension=DeploymentSteps(boot_bundle_dir(STATE_DIR)),
    )
    return request, DeploymentTarget(deployment_id, SLOT, replaced)


def deployed_on(world: World) -> dict[Side, str]:
    """Return what is confirmed on the hosts now, by side."""
    return {host.side: one for host in world.hosts if (one := current(host))}


def transaction(world: World, vpn: MadeUpVpn = VPN, *, lease_s: float = 30) -> DeploymentTransaction:
    """Return the transaction of `deployment_request`."""
    request, place = deployment_request(world, vpn)
    return DeploymentTransaction(world.sessions, request, place, on_stage=ignore_stage, audit=None, lease_s=lease_s)


def removal(world: World) -> RemovalTransaction:
    """Return the transaction that removes the hosts' present deployment."""
    pair = world.request.pair
    return RemovalTransaction(
        world.sessions, pair, SLOT, deployed_on(world), on_stage=ignore_stage, audit=None, lease_s=30
    )


@contextmanager
def started_tunnel(world: World, vpn: MadeUpVpn = VPN) -> Iterator[DeploymentTransaction]:
    """Give a tunnel that was started from its boot bundle and is not confirmed yet."""
    one = transaction(world, vpn)
    with one.provisional(token=CancelToken()):
        one.start_from_boot_bundle(token=CancelToken())
        yield one


def deploy_and_confirm(world: World, vpn: MadeUpVpn = VPN) -> tuple[str, CommitOutcome]:
    """Confirm a tunnel on both hosts; return its name and how that went."""
    with started_tunnel(world, vpn) as one:
        outcome = commit(one, token=CancelToken())
    return one.confirmer.deployment_id, outcome


def remove(world: World) -> CommitOutcome:
    """End what is confirmed on both hosts."""
    one = removal(world)
    with one.provisional(token=CancelToken()):
        return commit(one, token=CancelToken())


def is_confirming(command: Command) -> bool:
    """Whether a command is the one by which a host confirms."""
    return b"Confirms a deployment on this host" in (command.stdin or b"")


def when_confirming(host: LocalHost, action: Callable[[], object]) -> None:
    """Have something done each time that a host is just about to confirm."""

    def before(command: Command) -> None:
        if is_confirming(command):
            action()

    host.on_run = before
