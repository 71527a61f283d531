"""Writing files so that a reader never sees half of one, and that the whole one is there after a loss of power."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a disk or a quota without room."""


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file beside its place, sync it, and put it there in one step.

    Args:
        path: The file; what is there is replaced, a symbolic link itself.
        content: All of it.
        mode: Permission bits; None for those of the file that is replaced, or for those of any new file.

    Raises:
        OSError: It could not be written; nothing of it is left, and what was there still is.
    """
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    if mode is None and path.is_file() and not path.is_symlink():
        mode = path.stat().st_mode & 0o777
    try:
        write_synced(beside, content, mode=mode)
        os.replace(beside, path)  # noqa: PTH105 - what POSIX calls atomic
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_synced(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a new file to the disk; its folder is not synced.

    Raises:
        OSError: It is there already, or could not be written.
    """
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o666 if mode is None else 0o600)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        if mode is not None:
            path.chmod(mode)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
