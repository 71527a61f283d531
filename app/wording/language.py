"""Translation of texts that people read, by gettext catalogues in resources/locale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

import resources

_LOCALE_DIR = Path(resources.__file__).parent / "locale"
"""Folder of the catalogues; importlib.resources would take a hundredth of the time until the first window."""

VARIABLE = "TUNNELMARK_LANGUAGE"
"""Environment variable that chooses the language of the window, for example `de`."""

SOURCE_LANGUAGE = "en"
"""The language of the texts in the program, and of every text without a translation."""

NAMES = {"en": "English", "de": "Deutsch"}
"""Languages, each in its own words."""

CATALOGUES = ("window", "program", "commands", "adapters", "policy")
"""Catalogues of a language: of ui, of app but app/cli, of app/cli, of vpn_adapters, of resources."""

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
    folders = _LOCALE_DIR.iterdir()
    translated = (folder.name for folder in folders if (folder / "LC_MESSAGES" / f"{CATALOGUES[0]}.mo").is_file())
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


def template_texts(source: str) -> tuple[str, ...]:
    """Return the texts of a template's calls `tr("…")`, which are without quotation marks."""
    return tuple(dict.fromkeys(re.findall(r'\btr\("([^"]+)"\)', source)))


@cache
def _catalogue(language: str) -> NullTranslations:
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    folder = _LOCALE_DIR / language / "LC_MESSAGES"
    found = NullTranslations()
    for name in reversed(CATALOGUES):
        with (folder / f"{name}.mo").open("rb") as file:
            catalogue = GNUTranslations(file)
        catalogue.add_fallback(found)
        found = catalogue
    return found
