"""Files of a study's outcome: a page for people, or JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from app.domain.errors import InvalidOption
from app.reports.files import write_atomically
from app.reports.messages import UNKNOWN_STUDY_KIND


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
