"""Fills a lab's folder and starts its supervisor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab import supervisor
from app.lab.guest import known_hosts_line, make_identity, make_key, make_passwords, write_seed
from app.lab.image import ImagePaths, hold_image
from app.lab.machine import Accelerator, MachinePlan, overlay_name, qemu_argv, seed_name
from app.lab.running import IDENTITY, KNOWN_HOSTS, PASSWORDS, Lab
from app.lab.spec import LabSpec

_START_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Everything that a lab is started with.

    Attributes:
        spec: What was asked for.
        images: What each side boots from.
        accelerator: What runs the guests' instructions.
        ports: TCP port on 127.0.0.1 for each side's sshd.
        is_owned: Whether the lab dies with this process.
    """

    spec: LabSpec
    images: dict[Side, ImagePaths]
    accelerator: Accelerator
    ports: dict[Side, int]
    is_owned: bool


def launch(plan: LaunchPlan, folder: Path, lock_fd: int) -> Lab:
    """Start both gateways; until they are up, they die with this process in any case.

    Args:
        plan: What to start.
        folder: The lab's folder, empty.
        lock_fd: Descriptor with the folder's lock; the supervisor keeps a copy as long as it lives.

    Returns:
        The lab, whose gateways are booting.

    Raises:
        LabFault: A program is missing or failed.
    """
    owner_pid = os.getpid() if plan.is_owned else None
    lab = Lab(plan.spec, folder, plan.ports, datetime.now(UTC), owner_pid)
    machines = _write_files(plan, folder)
    (folder / supervisor.MACHINES_FILE).write_text(json.dumps(machines))
    lab.save()
    _start_supervisor(plan, folder, lock_fd)
    return lab


def _write_files(plan: LaunchPlan, folder: Path) -> dict[Side, list[str]]:
    """Make keys, passwords and disks; return each side's command line."""
    authorized_key = make_key(folder / IDENTITY, comment="tunnelmark practice lab")
    passwords = make_passwords()
    _write_private(folder / PASSWORDS, json.dumps(passwords) + "\n")
    machines: dict[Side, list[str]] = {}
    known_hosts = ""
    for side in Side:
        identity = make_identity(side, folder)
        known_hosts += known_hosts_line(plan.ports[side], identity)
        write_seed(folder / seed_name(side), identity, authorized_key=authorized_key, passwords=passwords)
        _make_overlay(folder / overlay_name(side), plan.images[side].root)
        machines[side] = qemu_argv(
            MachinePlan(
                side=side,
                image=plan.images[side],
                accelerator=plan.accelerator,
                cpu=plan.spec.cpu,
                port=plan.ports[side],
                machine_id=identity.machine_id,
            )
        )
    (folder / KNOWN_HOSTS).write_text(known_hosts)
    return machines


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def _make_overlay(path: Path, base: Path) -> None:
    argv = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(base), str(path)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabFault(f"No disk could be made for the lab: {done.stderr.strip()}")


def _start_supervisor(plan: LaunchPlan, folder: Path, lock_fd: int) -> None:
    owner_fd = os.pidfd_open(os.getpid())
    descriptors = [lock_fd, owner_fd, *(hold_image(plan.images[side]) for side in Side)]
    argv = [sys.executable, "-I", supervisor.__file__, str(folder), str(owner_fd)]
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            pass_fds=descriptors,
            timeout=_START_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LabFault("The lab's virtual machines did not start in time.", hint="Try again.") from error
    finally:
        for descriptor in descriptors[1:]:
            os.close(descriptor)
    if done.returncode != 0:
        raise LabFault(f"The lab's virtual machines could not be started: {done.stderr.strip()}")
