"""Translation of texts that people read, by gettext catalogues in resources/locale."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files

VARIABLE = "TUNNELMARK_LANGUAGE"
"""Environment variable that chooses the language of the window, for example `de`."""

SOURCE_LANGUAGE = "en"
"""The language of the texts in the program, and of every text without a translation."""

NAMES = {"en": "English", "de": "Deutsch"}
"""Languages, each in its own words."""

_CHOSEN: list[str] = []
"""Code of the language of this process, where one was chosen: empty, or one entry."""

_FORCED: ContextVar[str] = ContextVar("_FORCED", default="")
"""Comes before every choice, within `source_language`."""


def language_from(value: str) -> str:
    """Return the language code of a locale's name: `de` for `de_DE.UTF-8`; English if there is no catalogue."""
    code = value.partition(".")[0].partition("@")[0].replace("-", "_").partition("_")[0].lower()
    return code if code in available_languages() else SOURCE_LANGUAGE


@cache
def available_languages() -> frozenset[str]:
    """Return the codes of languages that can be chosen."""
    folders = (files("resources") / "locale").iterdir()
    translated = (folder.name for folder in folders if (folder / "LC_MESSAGES" / "tunnelmark.mo").is_file())
    return frozenset({SOURCE_LANGUAGE, *translated})


@contextmanager
def source_language() -> Iterator[None]:
    """Make texts and numbers in the language of the program, for files that other programs read."""
    token = _FORCED.set(SOURCE_LANGUAGE)
    try:
        yield
    finally:
        _FORCED.reset(token)


def use_language(code: str) -> None:
    """Use a language from now on; texts that were made before do not change."""
    _CHOSEN[:] = [code]


def current_language() -> str:
    """Return the code of the language: the one in use, else English."""
    return _FORCED.get() or next(iter(_CHOSEN), SOURCE_LANGUAGE)


def tr(text: str) -> str:
    """Return the text in the current language; in English if it has no translation."""
    return _catalogue(current_language()).gettext(text) if text else text


def trn(one: str, many: str, amount: int) -> str:
    """Return the form for the amount in the current language; `one` and `many` are the English forms."""
    return _catalogue(current_language()).ngettext(one, many, amount)


def mark(text: str) -> str:
    """Mark a text for extraction that is stored in English and translated where it is displayed."""
    return text


@cache
def _catalogue(language: str) -> NullTranslations:
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    path = files("resources") / "locale" / language / "LC_MESSAGES" / "tunnelmark.mo"
    with path.open("rb") as file:
        return GNUTranslations(file)
