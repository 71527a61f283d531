"""Labs with programs that replace QEMU and ssh."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.lab import ImagePaths, Lab, LabManager, LabProgress, LabSpec
from app.lab import manager as manager_module
from app.lab.machine import Accelerator
from support.waiting import wait_until

WAIT_S = 120.0

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs openssh-client")

FAKE_QEMU = f"#!{sys.executable} -IS\n" + (Path(__file__).parent / "pretended_qemu.py").read_text()

# Makes the disk that it is asked for.
FAKE_QEMU_IMG = """#!/bin/sh
for disk; do :; done
: > "$disk"
"""

FAKE_SSH = """#!/bin/sh
if grep -q hangs "$FAKE_MODE"; then exec sleep 600; fi
if grep -q refuses "$FAKE_MODE"; then echo 'Permission denied' >&2; exit 255; fi
"""


class PretendedLabs(LabManager):
    """Has an image for every platform.

    Args:
        base: Folder of its images and labs.
    """

    def __init__(self, base: Path) -> None:
        super().__init__(cache_dir=base / "cache", state_dir=base / "labs", boot_timeout_s=WAIT_S)
        self._mode = base / "mode"

    def ensure_image(self, platform: str, **_: object) -> ImagePaths:
        folder = self._cache_dir / "lab" / platform
        folder.mkdir(parents=True, exist_ok=True)
        return ImagePaths(folder)

    def wait_for_a_boot(self, seconds: float) -> None:
        """Set for how long a guest may start from now on, in seconds."""
        self._boot_timeout_s = seconds

    def behave(self, how: str) -> None:
        """Set how the programs behave from now on: works, refuses or hangs (ssh), or as in `pretended_qemu`."""
        self._mode.write_text(how)


def pretended_labs(base: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    """Put the replacements on the path and return labs that work with them."""
    programs = base / "bin"
    programs.mkdir()
    contents = {"qemu-system-x86_64": FAKE_QEMU, "qemu-img": FAKE_QEMU_IMG, "ssh": FAKE_SSH}
    for name, content in contents.items():
        (programs / name).write_text(content)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_MODE", str(base / "mode"))
    monkeypatch.setattr(manager_module, "choose_accelerator", lambda *_, **__: Accelerator.TCG)
    for pause in ("app.lab.boot._POLL_S", "app.lab.saved._POLL_S"):
        monkeypatch.setattr(pause, 0.02)
    labs = PretendedLabs(base)
    labs.behave("works")
    return labs


def ignore(_: LabProgress) -> None:
    """Take a step of the start and do nothing with it."""


def up(labs: LabManager, name: str = "one") -> Lab:
    """Start a lab that ends with this process."""
    return labs.up(LabSpec(name), token=CancelToken(), on_progress=ignore, is_owned=True)


def processes_of(folder: Path) -> list[int]:
    """Return the processes that work in a folder or name it on their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            works_in = str((process / "cwd").readlink())
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and (works_in.startswith(str(folder)) or str(folder).encode() in words):
            found.append(int(process.name))
    return found


def assert_nothing_is_left(labs_dir: Path) -> None:
    """Fail unless the labs that ended leave neither processes nor files."""
    wait_until(lambda: not processes_of(labs_dir), "the lab's processes to end", WAIT_S)
    assert list(labs_dir.iterdir()) == []
