"""Writing results where they were asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from app.domain.errors import InvalidFile, InvalidOption


def write_text(path: str, text: str) -> None:
    """Write a result to a file, or to stdout where the path is `-`.

    Raises:
        InvalidFile: It cannot be written.
    """
    if path == "-":
        print(text)  # noqa: T201 - the result of the command
        return
    try:
        Path(path).expanduser().write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"{path} cannot be written: {error.strerror}.", hint="Choose another place.") from error


def report_paths(asked: Mapping[str, str | None]) -> list[Path]:
    """Check, before anything is measured, that reports can be written where they were asked for.

    Args:
        asked: Path by the ending that its kind of report has; None where none was asked for.

    Returns:
        The paths, in the order of `asked`.

    Raises:
        InvalidOption: A path has another ending, or cannot be written to.
    """
    return [_report_path(Path(text).expanduser().absolute(), ending) for ending, text in asked.items() if text]


def _report_path(path: Path, ending: str) -> Path:
    if path.suffix.lower() != ending:
        raise InvalidOption(f"{path.name} does not end in {ending}.", hint=f"Name it {path.stem or 'report'}{ending}.")
    if path.is_dir():
        raise InvalidOption(f"{path} is a folder.", hint="Name a file.")
    there = next(folder for folder in path.parents if folder.exists())
    if not there.is_dir() or not os.access(path if path.exists() else there, os.W_OK):
        raise InvalidOption(f"{path} cannot be written: {there} does not allow it.", hint="Choose another place.")
    return path
