"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from app.domain.errors import DiskFull, InvalidOption

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside its place, sync it, and put it there in one step.

    Args:
        path: Where to; what stands there is replaced.
        content: All of it.

    Raises:
        DiskFull: No space, or no quota, is left there.
        InvalidOption: Nothing can be written there for another reason: no such folder, no right, a folder's name.
    """
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as fault:
        raise _explained(path, fault) from fault
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def _explained(path: Path, fault: OSError) -> DiskFull | InvalidOption:
    context = {"path": str(path)}
    if fault.errno in _NO_SPACE:
        return DiskFull(
            f"There is no space left on this computer to write {path}.",
            hint="Free some space, or choose another folder.",
            context=context,
        )
    return InvalidOption(
        f"{path} cannot be written: {fault.strerror or fault}.",
        hint="Choose a file in a folder that exists and that you may write to.",
        context=context,
    )
