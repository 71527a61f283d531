"""Writing results where they were asked for: checked before anything is done, and nothing is replaced unasked."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.domain.errors import InvalidFile, InvalidOption

if TYPE_CHECKING:
    from app.cli.context import Context

STDOUT = "-"
_DEVICES = Path("/dev")


def write_text(path: str, text: str) -> None:
    """Write a result to a file, or to stdout where the path is `-`.

    Raises:
        InvalidFile: It cannot be written.
    """
    if path == STDOUT:
        print(text)  # noqa: T201 - the result of the command
        return
    try:
        Path(path).expanduser().write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"{path} cannot be written: {error.strerror}.", hint="Choose another place.") from error


def check_text(context: Context, path: str | None) -> None:
    """Check, before anything is done, that `write_text` can write there.

    Args:
        context: Its option `force` allows replacing files.
        path: Target; None for none.

    Raises:
        InvalidOption: It cannot, or there is a file that must not be replaced.
    """
    if path and path != STDOUT:
        _check_file(context, Path(path).expanduser().absolute())


def report_paths(context: Context, asked: Mapping[str, str | None]) -> list[Path]:
    """Check, before anything is done, that reports can be written to their paths.

    Args:
        context: Its option `force` allows replacing files.
        asked: Path by the ending that its kind of report has; None or `-` for no file.

    Returns:
        The paths, in the order of `asked`.

    Raises:
        InvalidOption: A path has another ending, cannot be written to, or is a file that must not be replaced.
    """
    found = []
    for ending, text in asked.items():
        if not text or text == STDOUT:
            continue
        path = Path(text).expanduser().absolute()
        if path.suffix.lower() != ending:
            raise InvalidOption(
                f"{path.name} does not end in {ending}.", hint=f"Name it {path.stem or 'report'}{ending}."
            )
        _check_file(context, path)
        found.append(path)
    return found


def ask_yes(question: str) -> bool:
    """Ask the user at the terminal; only the whole word yes agrees."""
    try:
        return input(f"{question} Type yes or no: ").strip().lower() == "yes"
    except EOFError:
        return False


def _check_file(context: Context, path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise InvalidOption(f"{path} is a folder.", hint="Name a file.")
    if not folder.exists():
        raise InvalidOption(f"The folder {folder} is not there.", hint="Make it first, or name another one.")
    if not folder.is_dir():
        raise InvalidOption(f"{folder} is no folder.", hint="Choose another place.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        what = path if path.exists() else folder
        raise InvalidOption(f"{path} cannot be written: {what} does not allow it.", hint="Choose another place.")
    if context.options.force or not path.is_file() or path.is_relative_to(_DEVICES):
        return
    if not sys.stdin.isatty():
        raise InvalidOption(f"{path} is there already.", hint="Name another file, or replace it with --force.")
    if not ask_yes(f"{path} is there already. Replace it?"):
        raise InvalidOption(f"{path} was left as it is; nothing was done.", hint="Name another file.")
