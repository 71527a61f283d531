"""Choice of the language: the environment's, else that of the settings, else the system's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from app.wording.language import SOURCE_LANGUAGE, VARIABLE, current_language, language_from, use_language


def choose_language(settings_file: Path, system: Sequence[str]) -> str:
    """Choose the language of this process.

    Args:
        settings_file: See `Paths.settings`. A malformed file chooses nothing; `read_settings` reports it.
        system: Names of locales that the system's user prefers, the most preferred first.

    Returns:
        The code of the language that is used from now on.
    """
    named = os.environ.get(VARIABLE) or _stored(settings_file) or next(iter(system), SOURCE_LANGUAGE)
    use_language(language_from(named))
    return current_language()


def system_languages() -> list[str]:
    """Return the locale of this process's environment, as POSIX orders its variables: none, or one name."""
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return [named] if named else []


def _stored(settings_file: Path) -> str:
    try:
        text = settings_file.read_text(encoding="utf-8")
        import tomllib  # the first window waits for what is imported; most users have no such file

        stored = tomllib.loads(text).get("language", "")
    except (OSError, ValueError):
        return ""
    return stored if isinstance(stored, str) else ""
