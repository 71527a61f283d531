"""Finds out whether KVM works on this computer, which the existence of /dev/kvm does not say."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from app.domain.cancel import CancelToken
from app.lab.guarded import guarded
from app.lab.image import ImagePaths
from app.lab.machine import QEMU, Accelerator

_DEVICE = Path("/dev/kvm")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PROBE_S = 6.0
# Source: /init of initramfs-tools 0.140 to 0.148, unless the kernel line says `quiet`.
_USER_SPACE_MARK = "Loading, please wait..."


def choose_accelerator(cache_dir: Path, image: ImagePaths, *, token: CancelToken) -> Accelerator:
    """Return KVM if a guest has reached user space with it since this computer was started, else emulation.

    Args:
        cache_dir: Where the answer is remembered; it holds until the computer is started anew.
        image: What to try with.

    Returns:
        The accelerator to use.

    Raises:
        Cancelled: The token was cancelled.
    """
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        return Accelerator.TCG
    remembered = remembered_accelerator(cache_dir)
    if remembered is not None:
        return remembered
    found = Accelerator.KVM if _reaches_user_space(image, token) else Accelerator.TCG
    _memory(cache_dir).write_text(f"{_boot_id()} {found}\n")
    return found


def remembered_accelerator(cache_dir: Path) -> Accelerator | None:
    """Return what was found since this computer was started; None where nothing was tried since."""
    try:
        remembered_boot, answer = _memory(cache_dir).read_text().split()
        return Accelerator(answer) if remembered_boot == _boot_id() else None
    except (OSError, ValueError):
        return None


def _memory(cache_dir: Path) -> Path:
    return cache_dir / "lab" / "kvm"


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _reaches_user_space(image: ImagePaths, token: CancelToken) -> bool:
    argv = [QEMU, "-no-user-config", "-nodefaults", "-display", "none", "-machine", "pc", "-accel", "kvm"]
    argv += ["-cpu", "host", "-m", "256", "-no-reboot", "-serial", "stdio"]
    argv += ["-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", "console=ttyS0 panic=-1"]
    with guarded(argv, folder=image.folder / ".trial") as process:
        timer = threading.Timer(_PROBE_S, process.terminate)
        timer.start()
        unregister = token.on_cancel(process.terminate)
        try:
            has_mark = any(_USER_SPACE_MARK in line for line in process.stdout or ())
        finally:
            unregister()
            timer.cancel()
            timer.join()
    token.raise_if_cancelled()
    return has_mark
