"""Writing reports."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from app.domain.atomic import NO_SPACE, replace_file
from app.domain.errors import DiskFull, InvalidOption
from app.reports.messages import NOT_WRITTEN, REPORT_DISK_FULL, UNKNOWN_STUDY_KIND


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
    if fault.errno in NO_SPACE:
        return DiskFull(
            REPORT_DISK_FULL(file=path),
            context=context,
        )
    return InvalidOption(
        NOT_WRITTEN(file=path, reason=fault.strerror or fault),
        context=context,
    )


def write_outcome(path: Path, html: Callable[[], str], data: Callable[[], Mapping[str, object]]) -> Path:
    """Write an outcome; its kind follows from the ending: .html or .json.

    Args:
        path: The file.
        html: Makes the page.
        data: Makes the data.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: It is another kind, or nothing can be written there.
    """
    kind = path.suffix.lower()
    if kind == ".html":
        text = html()
    elif kind == ".json":
        text = f"{json.dumps(data(), indent=2)}\n"
    else:
        raise InvalidOption(UNKNOWN_STUDY_KIND(kind=kind, known=".html, .json"))
    write_atomically(path, text.encode())
    return path
