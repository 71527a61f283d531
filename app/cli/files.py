"""Writing results where they were asked for."""

from __future__ import annotations

from pathlib import Path

from app.domain.errors import InvalidFile


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
