"""The user's settings, kept in one small file in the data folder."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.atomic import replace_file
from app.domain.deployment import LONGEST_CONFIRM_S, SHORTEST_CONFIRM_S
from app.domain.errors import InvalidFile
from app.domain.preferences import Preferences
from app.domain.results import PROFILES, ProfileName
from app.domain.structured import structured, wrong_keys
from app.policy import DEFAULT_GUIDELINES, GUIDELINES, check_guidelines
from app.wording.language import NAMES

_HINT = "Mend the line, or delete the file: then the defaults hold."


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings.

    Attributes:
        guidelines: Ids of the guidelines that apply, in the order of the policy.
        preferences: Defaults of comparisons and deployments.
    """

    guidelines: tuple[str, ...] = DEFAULT_GUIDELINES
    preferences: Preferences = field(default_factory=Preferences)


@dataclass(frozen=True, slots=True)
class _Stored:
    guidelines: tuple[str, ...] = DEFAULT_GUIDELINES
    profile: ProfileName = Preferences().profile
    confirm_within_s: float = Preferences().confirm_within_s
    language: str = Preferences().language


_WANTED = {
    "guidelines": "guidelines is a list of names in quotes",
    "profile": f"profile is one of {', '.join(PROFILES)}, in quotes",
    "confirm_within_s": f"confirm_within_s is a number of seconds, {SHORTEST_CONFIRM_S:g} to {LONGEST_CONFIRM_S:g}",
    "language": f"language is one of {', '.join(NAMES)}, in quotes",
}


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
    try:
        stored = structured(_Stored, raw, str(path))
    except InvalidFile as error:
        key = next(iter(wrong_keys(error)), "")
        raise _wrong(path, text, key, _WANTED.get(key, f"there is no setting {key}")) from error
    unknown = next((one for one in stored.guidelines if one not in GUIDELINES), None)
    if unknown is not None:
        what = f"there is no guideline {unknown}; there are {', '.join(GUIDELINES)}"
        raise _wrong(path, text, unknown, what)
    if stored.profile not in PROFILES:
        raise _wrong(path, text, "profile", _WANTED["profile"])
    if not SHORTEST_CONFIRM_S <= stored.confirm_within_s <= LONGEST_CONFIRM_S:
        raise _wrong(path, text, "confirm_within_s", _WANTED["confirm_within_s"])
    if stored.language and stored.language not in NAMES:
        raise _wrong(path, text, "language", _WANTED["language"])
    return Settings(
        guidelines=tuple(one for one in GUIDELINES if one in stored.guidelines),
        preferences=Preferences(stored.profile, stored.confirm_within_s, stored.language),
    )


def write_settings(path: Path, settings: Settings) -> None:
    """Write the settings; the file is replaced as a whole.

    Raises:
        InvalidFile: It cannot be written.
        InvalidOption: There is no such guideline.
    """
    check_guidelines(settings.guidelines)
    ids = ", ".join(f'"{one}"' for one in settings.guidelines)
    preferences, usual = settings.preferences, Preferences()
    lines = [
        "# Settings of Tunnelmark. The window and `tunnelmark policy use` write this file.",
        f"guidelines = [{ids}]",
    ]
    if preferences.profile is not usual.profile:
        lines.append(f'profile = "{preferences.profile.value}"')
    if preferences.confirm_within_s != usual.confirm_within_s:
        lines.append(f"confirm_within_s = {preferences.confirm_within_s:g}")
    if preferences.language:
        lines.append(f'language = "{preferences.language}"')
    text = "\n".join(lines) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
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


def _wrong(path: Path, text: str, word: str, what: str) -> InvalidFile:
    line = text[: max(text.find(word), 0)].count("\n") + 1
    return InvalidFile(f"{path}, line {line}: {what}.", hint=_HINT)


def _broken_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    # WORKAROUND(https://docs.python.org/3.14/library/tomllib.html): until Python 3.14, whose error has `lineno`, the
    # line is in the sentence only.
    match = re.search(r"at line (\d+)", str(error))
    return int(match[1]) if match else text.count("\n") + 1
