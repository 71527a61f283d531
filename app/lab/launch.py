"""Fills a lab's folder and starts its supervisor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab import supervisor
from app.lab.guest import identity_message, known_hosts_line, make_identity, make_key, make_passwords
from app.lab.image import ImagePaths, hold_folder
from app.lab.kernel import kernel_release
from app.lab.machine import (
    Accelerator,
    MachinePlan,
    card_addresses,
    overlay_name,
    qemu_argv,
)
from app.lab.messages import NOT_STARTED, START_TOO_SLOW
from app.lab.overlay import make_overlay
from app.lab.running import IDENTITY, KNOWN_HOSTS, PASSWORDS, Lab
from app.lab.saved import SavedMachine
from app.lab.spec import LabMachine, LabNode, LabSpec, side_of

_START_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Inputs of a lab's start.

    Attributes:
        spec: The requested lab.
        images: The image that each side boots from.
        accelerator: What runs the guests' instructions.
        ports: TCP port on 127.0.0.1 for each machine's sshd.
        is_owned: Whether the lab dies with this process.
        saved: The saved machine that each is restored from; empty where all boot.
    """

    spec: LabSpec
    images: dict[Side, ImagePaths]
    accelerator: Accelerator
    ports: dict[LabMachine, int]
    is_owned: bool
    saved: dict[LabMachine, SavedMachine] = field(default_factory=dict)

    def machine(self, machine: LabMachine, machine_id: str = "") -> MachinePlan:
        """Return the plan of one machine."""
        return MachinePlan(
            machine=machine,
            image=self.images[side_of(machine)],
            accelerator=self.accelerator,
            cpu=self.spec.cpu,
            port=self.ports.get(machine),
            machine_id=machine_id,
            has_lan=self.spec.has_nodes,
        )


@dataclass(frozen=True, slots=True)
class Launched:
    """A lab whose machines have been started, and that has no identity yet.

    Attributes:
        lab: The lab.
        identities: What each machine is sent when it waits for its identity.
    """

    lab: Lab
    identities: dict[LabMachine, bytes] = field(repr=False)


def launch(plan: LaunchPlan, folder: Path, lock_fd: int) -> Launched:
    """Start the machines; until they are up, they die with this process in any case.

    Args:
        plan: What to start.
        folder: The lab's folder, empty.
        lock_fd: Descriptor with the folder's lock; the supervisor keeps a copy as long as it lives.

    Returns:
        The lab, whose machines boot or wait for their memory.

    Raises:
        LabFault: A program is missing or failed.
    """
    owner_pid = os.getpid() if plan.is_owned else None
    ports = {side: plan.ports[side] for side in Side}
    node_ports = {node: plan.ports[node] for node in LabNode if node in plan.ports}
    kernels = {side: release for side in Side if (release := kernel_release(plan.images[side].kernel))}
    lab = Lab(plan.spec, folder, ports, datetime.now(UTC), owner_pid, node_ports, plan.accelerator, kernels)
    machines, identities = _write_files(plan, folder)
    # A machine that is restored is started stopped and empty; after that, power means a boot from the disk.
    first = ["-incoming", "defer", "-S"] if plan.saved else []
    lans = {node.side: node for node in node_ports}
    (folder / supervisor.MACHINES_FILE).write_text(json.dumps({"argv": machines, "first": first, "lans": lans}))
    lab.save()
    _start_supervisor(plan, folder, lock_fd)
    return Launched(lab, identities)


def _write_files(plan: LaunchPlan, folder: Path) -> tuple[dict[LabMachine, list[str]], dict[LabMachine, bytes]]:
    """Make keys, passwords and disks; return each machine's command line and identity."""
    authorized_key = make_key(folder / IDENTITY, comment="tunnelmark practice lab")
    passwords = make_passwords()
    _write_private(folder / PASSWORDS, json.dumps(passwords) + "\n")
    machines: dict[LabMachine, list[str]] = {}
    identities: dict[LabMachine, bytes] = {}
    known_hosts = ""
    for machine in plan.spec.machines:
        identity = make_identity(machine, folder, cards=card_addresses(machine, has_lan=plan.spec.has_nodes))
        known_hosts += known_hosts_line(plan.ports[machine], identity)
        identities[machine] = identity_message(identity, authorized_key=authorized_key, passwords=passwords)
        own = plan.machine(machine, identity.machine_id)
        if machine in plan.saved:
            make_overlay(folder / overlay_name(machine), plan.saved[machine].disk, base_format="qcow2")
        else:
            make_overlay(folder / overlay_name(machine), own.image.root, base_format="raw")
        machines[machine] = qemu_argv(own)
    (folder / KNOWN_HOSTS).write_text(known_hosts)
    return machines, identities


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)


def _start_supervisor(plan: LaunchPlan, folder: Path, lock_fd: int) -> None:
    owner_fd = os.pidfd_open(os.getpid())
    descriptors = [lock_fd, owner_fd, *(hold_folder(plan.images[side].folder) for side in Side)]
    descriptors += [hold_folder(one.folder) for one in plan.saved.values()]
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
        raise LabFault(START_TOO_SLOW()) from error
    finally:
        for descriptor in descriptors[1:]:
            os.close(descriptor)
    if done.returncode != 0:
        raise LabFault(NOT_STARTED(output=done.stderr.strip()))
