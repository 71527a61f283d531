"""Two paths that change places at once, so that no process finds one of them missing."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
"""Source: rename(2), renameat2()."""


def swap(one: Path, other: Path) -> None:
    """Exchange two files or folders of one file system.

    Raises:
        OSError: It cannot be done.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one))
