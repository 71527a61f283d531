"""Disks of virtual gateways: a thin file over one that is only read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from app.domain.errors import LabFault
from app.lab.messages import DISK_NOT_MADE


def make_overlay(path: Path, base: Path, *, base_format: str) -> None:
    """Make a disk that takes what a gateway writes.

    Args:
        path: Where it goes.
        base: What it lies over.
        base_format: `raw` or `qcow2`.

    Raises:
        LabFault: It could not be made.
    """
    argv = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", base_format, "-b", str(base), str(path)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LabFault(DISK_NOT_MADE(output=done.stderr.strip()))
