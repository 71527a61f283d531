"""Writing results where they were asked for: checked before anything is done, and nothing is replaced unasked."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.messages import (
    FILE_ENDING,
    FILE_EXISTS,
    FILE_IS_FOLDER,
    FILE_KEPT,
    FILE_NOT_ALLOWED,
    NO_FOLDER,
    OUTPUT_FOLDER_MISSING,
    OUTPUT_NOT_WRITTEN,
)
from app.cli.words import is_yes
from app.domain.atomic import replace_file
from app.domain.errors import InvalidFile, InvalidOption
from app.wording.language import tr

if TYPE_CHECKING:
    from app.cli.context import CommandContext

STDOUT = "-"
_DEVICES = Path("/dev")


def write_json(path: str, data: object) -> None:
    """Write a result as JSON to a file, or to stdout where the path is `-`.

    Raises:
        InvalidFile: It cannot be written.
    """
    text = json.dumps(data, indent=2)
    if path == STDOUT:
        print(text)  # noqa: T201 - the result of the command
        return
    target, content = Path(path).expanduser(), f"{text}\n".encode()
    try:
        if target.is_file() or not target.exists():
            replace_file(target, content)
        else:  # a device or a pipe
            target.write_bytes(content)
    except OSError as error:
        raise InvalidFile(OUTPUT_NOT_WRITTEN(path=path, reason=error.strerror or "")) from error


def check_text(context: CommandContext, path: str | None) -> None:
    """Check, before anything is done, that `write_json` can write there.

    Args:
        context: Its option `force` allows replacing files.
        path: Target; None for none.

    Raises:
        InvalidOption: It cannot, or there is a file that must not be replaced.
    """
    if path and path != STDOUT:
        _check_file(context, Path(path).expanduser().absolute())


def report_paths(context: CommandContext, asked: Mapping[str, str | None]) -> list[Path]:
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
            better = f"{path.stem or 'report'}{ending}"
            raise InvalidOption(FILE_ENDING(name=path.name, ending=ending, better=better))
        _check_file(context, path)
        found.append(path)
    return found


def ask_yes(question: str) -> bool:
    """Ask the user at the terminal; only the whole word yes agrees."""
    try:
        return is_yes(input(f"{question} {tr('Type yes or no:')} "))
    except EOFError:
        return False


def _check_file(context: CommandContext, path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise InvalidOption(FILE_IS_FOLDER(path=str(path)))
    if not folder.exists():
        raise InvalidOption(OUTPUT_FOLDER_MISSING(folder=str(folder)))
    if not folder.is_dir():
        raise InvalidOption(NO_FOLDER(folder=str(folder)))
    if not os.access(path if path.exists() else folder, os.W_OK):
        what = path if path.exists() else folder
        raise InvalidOption(FILE_NOT_ALLOWED(path=str(path), what=str(what)))
    if context.options.force or not path.is_file() or path.is_relative_to(_DEVICES):
        return
    if not sys.stdin.isatty():
        raise InvalidOption(FILE_EXISTS(path=str(path)))
    if not ask_yes(tr("{path} is there already. Replace it?").format(path=path)):
        raise InvalidOption(FILE_KEPT(path=str(path)))
