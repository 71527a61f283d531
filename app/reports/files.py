"""Writing reports."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from app.domain.atomic import replace_file
from app.domain.errors import DiskFull, InvalidOption

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file as a whole.

    Args:
        path: Where to; what is there is replaced.
        content: All of it.

    Raises:
        DiskFull: No space, or no quota, is left there.
        InvalidOption: Nothing can be written there for another reason: no such folder, no right, a folder's name.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        replace_file(path, content)
    except OSError as fault:
        raise _explained(path, fault) from fault


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
