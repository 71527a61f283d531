"""Turns what the operating system complains about into errors that say what to do."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from app.domain.errors import DiskFull, LabFault, TunnelmarkError
from app.domain.messages import Message
from app.lab.messages import AT_PATH, DISK_FULL_WHILE, FAILED_WHILE


@contextlib.contextmanager
def os_faults(doing: Message) -> Iterator[None]:
    """Turn an operating system's error into one of ours.

    Args:
        doing: Work in progress, for the sentence: “… failed while {doing}”.

    Raises:
        DiskFull: There is no space left, or the quota is used up.
        LabFault: Anything else, for example a folder that may not be written to.
    """
    try:
        yield
    except TunnelmarkError:
        raise
    except OSError as error:
        what = AT_PATH(what=doing, path=error.filename) if error.filename else doing
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(DISK_FULL_WHILE(what=what)) from error
        raise LabFault(FAILED_WHILE(reason=reason, what=what)) from error
