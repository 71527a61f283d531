"""Atomic writing of a folder."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.atomic import NO_SPACE, sync_folder, write_synced
from app.domain.errors import DiskFull, InvalidFile, InvalidOption, TunnelmarkError
from app.export.messages import (
    EXPORT_DISK_FULL,
    FOLDER_HOLDS_EXPORT,
    FOLDER_NOT_EMPTY,
    FOLDER_NOT_WRITTEN,
    FOLDER_UNREAD,
    NO_SUCH_FOLDER,
    NOT_A_FOLDER,
)

MARK_FILE = ".tunnelmark-export"
"""Name of the file that marks a folder as made by an export, which another one may replace."""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a folder.

    Attributes:
        path: Below the folder, with slashes.
        text: Its content.
        mode: Permission bits.
    """

    path: str
    text: str
    mode: int = 0o644


def check_slot(folder: Path, *, may_replace: bool) -> None:
    """Refuse a place that holds something.

    Args:
        folder: Where the folder is to be.
        may_replace: Whether an earlier export there may be replaced.

    Raises:
        InvalidOption: Something is there, and it may not or must not be replaced.
        InvalidFile: It cannot be read.
    """
    if not folder.absolute().parent.exists():
        raise InvalidOption(NO_SUCH_FOLDER(folder=folder.absolute().parent))
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise InvalidOption(NOT_A_FOLDER(folder=folder))
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InvalidFile(FOLDER_UNREAD(folder=folder, reason=error.strerror)) from error
    if not names:
        return
    if MARK_FILE not in names:
        raise InvalidOption(
            FOLDER_NOT_EMPTY(folder=folder, file=names[0]),
        )
    if not may_replace:
        raise InvalidOption(FOLDER_HOLDS_EXPORT(folder=folder))


def write_tree(folder: Path, files: Sequence[TreeFile], *, may_replace: bool) -> None:
    """Write a folder beside its place, sync it, and put it there in one step.

    Args:
        folder: Where to; what `check_slot` lets pass is replaced as a whole.
        files: Everything in it.
        may_replace: As for `check_slot`.

    Raises:
        DiskFull: There is no space, or no quota, left; nothing of it has been left there.
        InvalidOption: As for `check_slot`.
        InvalidFile: It cannot be written for another reason.
    """
    check_slot(folder, may_replace=may_replace)
    beside = folder.with_name(f".{folder.name[:100]}.{secrets.token_hex(6)}.part")
    old = beside.with_suffix(".old")
    try:
        beside.mkdir()
        _fill(beside, {file.path: file for file in (*files, TreeFile(MARK_FILE, _MARK_TEXT))})
        if folder.exists():
            folder.rename(old)
        try:
            beside.rename(folder)
        except OSError:
            with contextlib.suppress(OSError):
                old.rename(folder)
            raise
        sync_folder(folder.parent)
    except OSError as fault:
        raise _explained(folder, fault) from fault
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


_MARK_TEXT = "Made by tunnelmark export-config, which may replace this folder with --force.\n"


def _fill(folder: Path, files: Mapping[str, TreeFile]) -> None:
    for file in files.values():
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_synced(path, file.text.encode(), mode=file.mode)
    for below in {folder, *(path for path in folder.rglob("*") if path.is_dir())}:
        sync_folder(below)


def _explained(folder: Path, fault: OSError) -> TunnelmarkError:
    context = {"path": str(folder)}
    if fault.errno in NO_SPACE:
        return DiskFull(
            EXPORT_DISK_FULL(folder=folder),
            context=context,
        )
    return InvalidFile(FOLDER_NOT_WRITTEN(folder=folder, reason=fault.strerror or fault), context=context)
