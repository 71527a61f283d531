"""Files with results of a study, whichever kind of results: written all at once, with messages as they are stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from cattrs import structure

from app.domain.atomic import replace_file
from app.domain.errors import InvalidFile
from app.domain.messages import from_stored, to_stored
from app.storage.messages import STUDY_FORMAT, STUDY_UNREAD

R = TypeVar("R", bound=Any)
"""A dataclass with `format` and `results`; each of these has a `message`."""


def read_study(file: Path, kind: type[R], *, known: int) -> R | None:
    """Read results; None where there are none.

    Args:
        kind: Class of the results.
        known: Format that is read.

    Raises:
        InvalidFile: The file cannot be read.
    """
    try:
        found = _with_texts(structure(json.loads(file.read_text(encoding="utf-8")), kind), from_stored)
    except FileNotFoundError:
        return None
    except Exception as error:  # cattrs raises groups of what it finds
        raise InvalidFile(STUDY_UNREAD(file=file, kind=type(error).__name__)) from error
    if found.format != known:
        raise InvalidFile(STUDY_FORMAT(file=file, format=found.format, known=known))
    return found


def write_study(file: Path, results: R) -> None:
    """Write results, all at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, f"{json.dumps(asdict(_with_texts(results, to_stored)), indent=2)}\n".encode())


def _with_texts(results: R, change: Callable[[str], str]) -> R:
    """Return results with another form of their messages: as they are stored, or as they are shown."""
    return replace(results, results=tuple(replace(one, message=change(one.message)) for one in results.results))
