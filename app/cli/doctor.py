"""`tunnelmark doctor`: what this computer has and lacks."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.tables import Column, Kind, Table
from app.domain.paths import find_paths
from app.domain.version import tunnelmark_version
from app.lab.accel import remembered_accelerator
from app.lab.machine import Accelerator
from app.secrets import PasswordStore
from app.wording.language import tr
from app.wording.messages import local_text

_LAB_PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "ssh-keygen": "openssh-client",
}
_NEEDED_FREE_GIB = 4

_KVM = "/dev/kvm"


@dataclass(frozen=True, slots=True)
class _Check:
    what: str
    is_good: bool
    is_needed: bool
    text: str


def doctor(context: CommandContext) -> int:
    """Check this computer, and say what to do about what is missing."""
    checks = [check for group in _GROUPS for check in group()]
    check_table(checks).print(context.out)
    return ExitCode.OK if all(check.is_good or not check.is_needed for check in checks) else ExitCode.FAILED


def check_table(checks: Sequence[_Check]) -> Table:
    """Return a row for each check."""
    columns = [Column(tr("state")), Column(tr("what")), Column(tr("found"), Kind.PROSE)]
    table = Table(columns, f"Tunnelmark {tunnelmark_version()}")
    for check in checks:
        word = tr("good") if check.is_good else (tr("missing") if check.is_needed else tr("note"))
        table.add_row(word, check.what, check.text)
    return table


def _python() -> list[_Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    return [_Check("Python", sys.version_info >= (3, 11), is_needed=True, text=version)]


def _qt() -> list[_Check]:
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        return [_Check("Qt", is_good=False, is_needed=True, text=tr("PySide6 is not installed; run make setup"))]
    is_sound = tuple(map(int, version.split(".")[:2])) < (6, 12)
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return [
        _Check(
            "Qt",
            is_sound,
            is_needed=True,
            text=f"PySide6 {version}"
            if is_sound
            else tr("PySide6 {version}; 6.12 crashes with plots").format(version=version),
        ),
        _Check(
            tr("display"),
            bool(display),
            is_needed=False,
            text=display or tr("none: the window cannot open, commands can run"),
        ),
    ]


def _lab() -> list[_Check]:
    checks = [
        _Check(program, bool(path := shutil.which(program)), is_needed=True, text=path or f"apt install {package}")
        for program, package in _LAB_PROGRAMS.items()
    ]
    return [*checks, _kvm()]


def _kvm() -> _Check:
    """Return whether a guest has started with KVM; the first lab after a start of this computer tries it."""
    if not os.access(_KVM, os.R_OK | os.W_OK):
        text = tr("not accessible: labs run in software emulation")
        return _Check(_KVM, is_good=False, is_needed=False, text=text)
    found = remembered_accelerator(find_paths().cache_dir)
    text = {
        Accelerator.KVM: tr("a guest has started with it"),
        Accelerator.TCG: tr("no guest started with it: labs run in software emulation"),
        None: tr("not tried yet: the next lab tries whether a guest starts with it"),
    }[found]
    return _Check(_KVM, is_good=found is Accelerator.KVM, is_needed=False, text=text)


def _keyring() -> list[_Check]:
    is_there, sentence = PasswordStore().availability()
    return [_Check(tr("keyring"), is_there, is_needed=False, text=local_text(sentence))]


def _folders() -> list[_Check]:
    paths = find_paths()
    checks = []
    for what, path in ((tr("data folder"), paths.data_dir), (tr("image cache"), paths.cache_dir)):
        there = next(folder for folder in (path, *path.parents) if folder.exists())
        can_write = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        free_gib = shutil.disk_usage(there).free / 2**30
        is_enough = free_gib >= _NEEDED_FREE_GIB
        parts = [str(path), tr("{number} GiB free").format(number=f"{free_gib:.0f}")]
        if not can_write:
            parts.append(tr("{folder} is not writable").format(folder=there))
        elif there != path:
            parts.append(tr("not there yet: made when it is needed"))
        if not is_enough:
            parts.append(tr("{number} GiB are wanted").format(number=_NEEDED_FREE_GIB))
        is_good = can_write and is_enough and there == path
        checks.append(_Check(what, is_good, is_needed=not can_write or not is_enough, text="; ".join(parts)))
    return checks


_GROUPS: tuple[Callable[[], list[_Check]], ...] = (_python, _qt, _lab, _keyring, _folders)
