"""`tunnelmark doctor`: what this computer has and lacks."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.tables import Column, Kind, Table
from app.domain.paths import find_paths
from app.domain.version import tunnelmark_version
from app.secrets import PasswordStore

_LAB_PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "ssh-keygen": "openssh-client",
}
_NEEDED_FREE_GIB = 4


@dataclass(frozen=True, slots=True)
class _Check:
    what: str
    is_good: bool
    is_needed: bool
    text: str


def doctor(context: Context) -> int:
    """Check this computer, and say what to do about what is missing."""
    checks = [check for group in _GROUPS for check in group()]
    check_table(checks).print(context.out)
    return ExitCode.OK if all(check.is_good or not check.is_needed for check in checks) else ExitCode.FAILED


def check_table(checks: Sequence[_Check]) -> Table:
    """Return a row for each check."""
    columns = [Column("state"), Column("what"), Column("found", Kind.PROSE)]
    table = Table(columns, f"Tunnelmark {tunnelmark_version()}")
    for check in checks:
        word = "good" if check.is_good else ("missing" if check.is_needed else "note")
        table.add_row(word, check.what, check.text)
    return table


def _python() -> list[_Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    return [_Check("Python", sys.version_info >= (3, 11), is_needed=True, text=version)]


def _qt() -> list[_Check]:
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        return [_Check("Qt", is_good=False, is_needed=True, text="PySide6 is not installed; run make setup")]
    is_sound = tuple(map(int, version.split(".")[:2])) < (6, 12)
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return [
        _Check(
            "Qt",
            is_sound,
            is_needed=True,
            text=f"PySide6 {version}" + ("" if is_sound else "; 6.12 crashes with plots"),
        ),
        _Check("display", bool(display), is_needed=False, text=display or "none: the window cannot open, commands can"),
    ]


def _lab() -> list[_Check]:
    checks = [
        _Check(program, bool(path := shutil.which(program)), is_needed=True, text=path or f"apt install {package}")
        for program, package in _LAB_PROGRAMS.items()
    ]
    kvm = os.access("/dev/kvm", os.R_OK | os.W_OK)
    text = "usable if a guest starts with it" if kvm else "not accessible: labs run in software emulation"
    return [*checks, _Check("/dev/kvm", kvm, is_needed=False, text=text)]


def _keyring() -> list[_Check]:
    is_there, sentence = PasswordStore().availability()
    return [_Check("keyring", is_there, is_needed=False, text=sentence)]


def _folders() -> list[_Check]:
    paths = find_paths()
    checks = []
    for what, path in (("data folder", paths.data_dir), ("image cache", paths.cache_dir)):
        there = _nearest(path)
        can_write = os.access(there, os.W_OK)
        free_gib = shutil.disk_usage(there).free / 2**30
        is_good = can_write and free_gib >= _NEEDED_FREE_GIB
        doubts = "" if can_write else "; not writable"
        doubts += "" if free_gib >= _NEEDED_FREE_GIB else f"; {_NEEDED_FREE_GIB} GiB are wanted"
        checks.append(_Check(what, is_good, is_needed=True, text=f"{path}, {free_gib:.0f} GiB free{doubts}"))
    return checks


def _nearest(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


_GROUPS: tuple[Callable[[], list[_Check]], ...] = (_python, _qt, _lab, _keyring, _folders)
