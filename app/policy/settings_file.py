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
from app.domain.profiles import PROFILES, ProfileName
from app.domain.structured import structured, wrong_keys
from app.policy import DEFAULT_GUIDELINES, GUIDELINES, check_guidelines
from app.policy.messages import (
    GUIDELINE_NOT_THERE,
    MEND_THE_LINE,
    SETTING_UNKNOWN,
    SETTINGS_NO_TEXT,
    SETTINGS_NO_TOML,
    SETTINGS_NOT_WRITTEN,
    SETTINGS_UNREADABLE,
    SETTINGS_WRONG,
    WANTED_GUIDELINES,
    WANTED_ONE_OF,
    WANTED_SECONDS,
)
from app.wording.language import NAMES

_HINT = MEND_THE_LINE()


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
class _SettingsInFile:
    guidelines: tuple[str, ...] = DEFAULT_GUIDELINES
    profile: ProfileName = Preferences().profile
    confirm_within_s: float = Preferences().confirm_within_s
    language: str = Preferences().language


_WANTED = {
    "guidelines": WANTED_GUIDELINES(),
    "profile": WANTED_ONE_OF(setting="profile", values=list(PROFILES)),
    "confirm_within_s": WANTED_SECONDS(setting="confirm_within_s", low=SHORTEST_CONFIRM_S, high=LONGEST_CONFIRM_S),
    "language": WANTED_ONE_OF(setting="language", values=list(NAMES)),
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
            SETTINGS_NO_TOML(path=path, line=_broken_line(error, text), reason=error), hint=_HINT
        ) from error
    try:
        stored = structured(_SettingsInFile, raw, str(path))
    except InvalidFile as error:
        key = next(iter(wrong_keys(error)), "")
        raise _wrong(path, text, key, _WANTED.get(key, SETTING_UNKNOWN(setting=key))) from error
    unknown = next((one for one in stored.guidelines if one not in GUIDELINES), None)
    if unknown is not None:
        what = GUIDELINE_NOT_THERE(guideline=unknown, known=list(GUIDELINES))
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
        raise InvalidFile(SETTINGS_NOT_WRITTEN(path=path, reason=error.strerror)) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidFile(SETTINGS_NO_TEXT(path=path, line=line), hint=_HINT) from error
    except OSError as error:
        raise InvalidFile(SETTINGS_UNREADABLE(path=path, reason=error.strerror)) from error


def _wrong(path: Path, text: str, word: str, what: str) -> InvalidFile:
    line = text[: max(text.find(word), 0)].count("\n") + 1
    return InvalidFile(SETTINGS_WRONG(path=path, line=line, what=what), hint=_HINT)


def _broken_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    # WORKAROUND(https://docs.python.org/3.14/library/tomllib.html): until Python 3.14, whose error has `lineno`, the
    # line is in the sentence only.
    match = re.search(r"at line (\d+)", str(error))
    return int(match[1]) if match else text.count("\n") + 1
