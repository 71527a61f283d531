"""The user's settings, kept in one small file in the data folder."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import InvalidFile
from app.policy import DEFAULT_GUIDELINES, GUIDELINES, check_guidelines

_HINT = "Mend the line, or delete the file: then the defaults hold."


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user has set.

    Attributes:
        guidelines: Ids of the guidelines that apply, in the order of the policy.
    """

    guidelines: tuple[str, ...] = DEFAULT_GUIDELINES


def read_settings(path: Path) -> Settings:
    """Read the settings; the defaults hold for what is not in the file, or where there is no file.

    Args:
        path: The file, see `Paths.settings`.

    Raises:
        InvalidFile: It cannot be read or holds something else than settings; the message names the line.
    """
    text = _text(path)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidFile(
            f"{path}, line {_broken_line(error, text)}: this is not TOML ({error}).", hint=_HINT
        ) from error
    for key in raw:
        if key != "guidelines":
            raise _wrong(path, text, key, f"there is no setting {key}")
    return Settings(guidelines=_guidelines(path, text, raw.get("guidelines", list(DEFAULT_GUIDELINES))))


def write_settings(path: Path, settings: Settings) -> None:
    """Write the settings; the file is replaced as a whole.

    Raises:
        InvalidFile: It cannot be written.
        InvalidOption: There is no such guideline.
    """
    check_guidelines(settings.guidelines)
    ids = ", ".join(f'"{one}"' for one in settings.guidelines)
    text = f"# Settings of Tunnelmark. `tunnelmark policy use` writes this file.\nguidelines = [{ids}]\n"
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InvalidFile(f"{path} cannot be written: {error.strerror}.", hint="See to the data folder.") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidFile(f"{path}, line {line}: this is not UTF-8 text.", hint=_HINT) from error
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read: {error.strerror}.") from error


def _guidelines(path: Path, text: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _wrong(path, text, "guidelines", "guidelines is a list of names in quotes")
    for one in value:
        if one not in GUIDELINES:
            raise _wrong(path, text, one, f"there is no guideline {one}; there are {', '.join(GUIDELINES)}")
    return tuple(one for one in GUIDELINES if one in value)


def _wrong(path: Path, text: str, word: str, what: str) -> InvalidFile:
    line = text[: max(text.find(word), 0)].count("\n") + 1
    return InvalidFile(f"{path}, line {line}: {what}.", hint=_HINT)


def _broken_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    # WORKAROUND(https://docs.python.org/3.14/library/tomllib.html): until Python 3.14, whose error has `lineno`, the
    # line is in the sentence only.
    match = re.search(r"at line (\d+)", str(error))
    return int(match[1]) if match else text.count("\n") + 1
