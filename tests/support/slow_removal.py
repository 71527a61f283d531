"""Removing a deployment on one host alone, as slowly as a test wants."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.deployment.events import Decision
from app.deployment.single_host_rollback import roll_back_one
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.hosts import Side
from app.storage import Store
from support.deploy_world import World
from support.made_up_deployment import Answers, deploy
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.waiting import wait_until

WAIT = ': > "$1.reached"; until [ -e "$1" ]; do sleep 0.05 || sleep 1; done'


def reached(gate: Path) -> Path:
    """Return the file that is there once a process waits at a gate."""
    return gate.with_name(f"{gate.name}.reached")


def slow_vpn(gate: Path) -> MadeUpVpn:
    """Return a VPN whose side A cannot be removed before a file exists."""
    waiting = step("Take its time", "true", WAIT, str(gate))
    assert waiting.undo is not None
    waiting = replace(waiting, undo=replace(waiting.undo, timeout_s=60.0))
    link = link_step("tml0")
    return MadeUpVpn(interface="tml0", steps={Side.A: (link, waiting), Side.B: (link,)})


def deploy_slow(world: World, store: Store, gate: Path) -> Deployment:
    """Deploy `slow_vpn`; the gate is closed afterwards."""
    gate.touch()  # it is started once more before it is confirmed
    options = DeploymentOptions(confirm_within_s=30.0)
    one = deploy(world, store, vpn=slow_vpn(gate), options=options, user=Answers(Decision.CONFIRM))
    assert one.state is DeploymentState.CONFIRMED
    gate.unlink()
    reached(gate).unlink()
    return one


@contextmanager
def removing(world: World, store: Store, gate: Path) -> Iterator[tuple[Deployment, Future[Deployment]]]:
    """Give a deployment that is being removed on A alone; the removal does not end before the gate is open."""
    one = deploy_slow(world, store, gate)
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(
            roll_back_one, store, world.a, one.pair, Side.A, token=CancelToken(), emit=lambda _event: None
        )
        try:
            worker = world.a.state_dir / "worker"
            wait_until(lambda: worker.exists() and worker.read_text().endswith("\n"), "the removal")
            wait_until(reached(gate).exists, "the step that takes its time")
            yield one, work
        finally:
            gate.touch()


def kill_removal(host: LocalHost) -> None:
    """Kill the script that removes a deployment, but not what it started."""
    pid = (host.state_dir / "removal").read_text().split(":")[0]
    os.kill(int(pid), signal.SIGKILL)
