"""Saved machines: memory and disk of a gateway that has booted and waits for its identity.

A gateway boots once per image, version of QEMU and command line. What it is then is kept beside the image, and every
lab starts from it. There is nothing secret in it: keys, passwords and names come later (see `guest`).
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.errors import DeadlineExceeded, DiskFull, LabFault
from app.lab.bound_process import remove_tree
from app.lab.faults import os_faults
from app.lab.guarded import guarded
from app.lab.image import is_sound, locked, remove_unused, write_manifest
from app.lab.image_build import check_free
from app.lab.machine import (
    FIRST_OF_KIND,
    QEMU,
    WAITING_MARK,
    Accelerator,
    MachinePlan,
    console_name,
    monitor_name,
    overlay_name,
    qemu_argv,
)
from app.lab.messages import (
    FIRST_BOOT,
    FIRST_BOOT_ENDED,
    NOT_SAVED,
    NOTHING_PRINTED,
    SAVING_BOOTED,
    SAVING_GATEWAY,
    VIRTUAL_GATEWAY,
)
from app.lab.monitor import Monitor
from app.lab.overlay import make_overlay
from app.lab.spec import LabProgress, OnProgress, boot_share

MEMORY = "memory"
DISK = "disk.qcow2"
_FILES = (MEMORY, DISK)
_FOLDER = "machines"
_MACHINE_ID = "0" * 31 + "1"
"""Machine id of the saved machine; each gateway gets its own before anything logs in to it."""

_NEEDED_BYTES = 900 << 20
_COPY_TIMEOUT_S = 120.0
_POLL_S = 0.1
_RELEASE_S = 2.0
_CPU_INFO = Path("/proc/cpuinfo")


class SavedMachineFault(LabFault):
    """A machine could not be saved or restored; a lab can still boot."""


@dataclass(frozen=True, slots=True)
class SavedMachine:
    """A saved machine.

    Attributes:
        folder: Where its files are.
    """

    folder: Path

    @property
    def memory(self) -> Path:
        """Its memory and devices, as QEMU migrates them; only ever read."""
        return self.folder / MEMORY

    @property
    def disk(self) -> Path:
        """Overlay with what it had written to its disk; only ever read."""
        return self.folder / DISK


def ensure_saved(
    machine: MachinePlan, *, timeout_s: float, token: CancelToken, on_progress: OnProgress
) -> SavedMachine:
    """Return the saved machine of an image; boot and save one if there is no sound one.

    Args:
        machine: What is to be restored from it; machines of one kind share it.
        timeout_s: How long it may boot, in seconds.
        on_progress: Receives each step.

    Returns:
        Where it is.

    Raises:
        SavedMachineFault: It did not boot, or could not be saved.
        Cancelled: The token was cancelled; nothing half-made is left.
    """
    plan = replace(machine, machine=FIRST_OF_KIND[type(machine.machine)], port=None, machine_id=_MACHINE_ID)
    try:
        with os_faults(SAVING_GATEWAY()):
            return _ensure(plan, timeout_s=timeout_s, token=token, on_progress=on_progress)
    except (LabFault, DiskFull, DeadlineExceeded) as fault:
        raise SavedMachineFault(NOT_SAVED(why=fault.message), context=fault.context) from fault


def _ensure(plan: MachinePlan, *, timeout_s: float, token: CancelToken, on_progress: OnProgress) -> SavedMachine:
    target = plan.image.folder / _FOLDER / f"{plan.cpu}{plan.kind}-{_key(plan)}"
    if is_sound(target, _FILES):
        return SavedMachine(target)
    target.parent.mkdir(exist_ok=True)
    with locked(target.parent, token=token, on_progress=on_progress) as lock_fd:
        if is_sound(target, _FILES):
            return SavedMachine(target)
        building = target.parent / ".building"
        remove_tree(building)
        building.mkdir()
        try:
            check_free(building, _NEEDED_BYTES, what=SAVING_GATEWAY())
            _boot_and_save(plan, building, lock_fd=lock_fd, timeout_s=timeout_s, token=token, on_progress=on_progress)
            write_manifest(building, _FILES)
            remove_tree(target)
            building.rename(target)
        finally:
            remove_tree(building)
        _remove_stale(target)
    return SavedMachine(target)


def discard_saved(saved: SavedMachine) -> None:
    """Remove a saved machine that could not be restored, unless another lab runs on it.

    Args:
        saved: The saved machine; it may be gone already.
    """
    deadline = time.monotonic() + _RELEASE_S
    while time.monotonic() < deadline:
        try:
            remove_unused(saved.folder)
        except FileNotFoundError:
            return
        except BlockingIOError:
            time.sleep(_POLL_S)  # the lab that failed is only just letting go of it
        else:
            return


def _key(plan: MachinePlan) -> str:
    """Return what decides whether memory fits a machine: QEMU, its command line, and the CPU where that is this one."""
    version = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=False).stdout
    words = [version, *qemu_argv(plan)]
    if plan.accelerator is Accelerator.KVM:
        lines = _CPU_INFO.read_text(errors="replace").splitlines()
        words += [platform.release(), *sorted({line for line in lines if line.startswith(("model name", "flags"))})]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def _boot_and_save(
    plan: MachinePlan, folder: Path, *, lock_fd: int, timeout_s: float, token: CancelToken, on_progress: OnProgress
) -> None:
    overlay = folder / overlay_name(plan.machine)
    make_overlay(overlay, plan.image.root, base_format="raw")
    console = folder / console_name(plan.machine)
    steps = 0

    with guarded(qemu_argv(plan), folder=folder, keep_fds=(lock_fd,), working_folder=folder) as process:
        unregister = token.on_cancel(process.terminate)

        def is_waiting() -> bool:
            nonlocal steps
            steps += 1
            text = FIRST_BOOT()
            on_progress(LabProgress("save", text, boot_share(steps * _POLL_S)))
            if process.poll() is not None:
                raise LabFault(FIRST_BOOT_ENDED(log=_output(process.stdout)))
            return console.exists() and WAITING_MARK.encode() in console.read_bytes()

        try:
            token.wait_for(is_waiting, timeout_s=timeout_s, what=VIRTUAL_GATEWAY(), interval_s=_POLL_S)
            on_progress(LabProgress("save", SAVING_BOOTED(), 0.97))
            with Monitor(folder, monitor_name(plan.machine)) as monitor, (folder / MEMORY).open("xb") as memory:
                monitor.execute("stop")
                monitor.save_memory(memory, token=token, timeout_s=_COPY_TIMEOUT_S)
        finally:
            unregister()
    overlay.rename(folder / DISK)
    for path in folder.iterdir():
        if path.name not in _FILES:
            path.unlink()


def _output(stream: Iterator[str] | None) -> str:
    return "".join(stream or ()).strip() or NOTHING_PRINTED()


def _remove_stale(newest: Path) -> None:
    """Remove unused saved machines of the same kind of CPU that another QEMU or command line made."""
    kind = newest.name.rpartition("-")[0]
    for folder in newest.parent.iterdir():
        if folder != newest and folder.is_dir() and folder.name.rpartition("-")[0] == kind:
            with contextlib.suppress(BlockingIOError):
                remove_unused(folder)
