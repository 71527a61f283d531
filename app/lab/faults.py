"""Turns what the operating system complains about into errors that say what to do."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from app.domain.errors import DiskFull, LabFault, TunnelmarkError


@contextlib.contextmanager
def os_faults(doing: str) -> Iterator[None]:
    """Turn an operating system's error into one of ours.

    Args:
        doing: What is being done, for the sentence: “… failed while {doing}”.

    Raises:
        DiskFull: There is no space left, or the quota is used up.
        LabFault: Anything else, for example a folder that may not be written to.
    """
    try:
        yield
    except TunnelmarkError:
        raise
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"The disk is full while {doing}{place}.", hint="Free some space there.") from error
        raise LabFault(
            f"{reason} while {doing}{place}.", hint="See that the folder exists and belongs to you."
        ) from error
