"""A language whose words are the English ones in brackets: what is without brackets is data, or was forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files

import pytest

from app.wording import language

_BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")
_WORD = re.compile(r"[A-Za-z]{2,}")


class Brackets(NullTranslations):
    """Each text in brackets; line breaks and blanks at its ends remain outside, as translations have them."""

    def gettext(self, message: str) -> str:
        """Return a text in brackets."""
        inner = message.strip()
        head, tail = message[: len(message) - len(message.lstrip())], message[len(message.rstrip()) :]
        return f"{head}⟦{inner}⟧{tail}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a number, in brackets."""
        return self.gettext(super().ngettext(msgid1, msgid2, n))


@contextmanager
def brackets(kind: type[Brackets] = Brackets) -> Iterator[None]:
    """Use the language of brackets, also in commands that choose a language."""
    with pytest.MonkeyPatch.context() as patch:
        # Parsers are kept by language: each kind has a code of its own, whichever of them a process uses first.
        code = "xx" if kind is Brackets else "xy"
        found = {code: kind()}
        patch.setattr(language, "_catalogue", lambda code: found.get(code) or NullTranslations())
        patch.setattr(language, "available_languages", lambda: frozenset(("en", code)))
        patch.setenv(language.VARIABLE, code)
        before = language.current_language()
        language.use_language(code)
        try:
            yield
        finally:
            language.use_language(before)


def unbracketed(text: str) -> str:
    """Return what is outside of all brackets."""
    while _BRACKETED.search(text):
        text = _BRACKETED.sub(" ", text)
    return text


class LiteralBrackets(Brackets):
    """The words of each text in brackets, but not its gaps: what fills them has to be translated as well."""

    def gettext(self, message: str) -> str:
        """Return a text whose literal parts are in brackets; one that no catalogue has remains as it is."""
        if message not in _known():
            return message
        return self._literal_parts(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a number, its literal parts in brackets."""
        text = msgid1 if n == 1 else msgid2
        return self._literal_parts(text) if msgid1 in _known() else text

    def _literal_parts(self, message: str) -> str:
        return "".join(
            part if nth % 2 or not re.search(r"[A-Za-z]", part) else Brackets.gettext(self, part)
            for nth, part in enumerate(_GAP.split(message))
        )


_GAP = re.compile(r"(\{[^{}]*\}|%\(\w+\)s|%[1-9AB])")


@cache
def _known() -> frozenset[str]:
    """Return the texts of all catalogues."""
    folder = files("resources") / "locale" / "de" / "LC_MESSAGES"
    found: set[str] = set()
    for name in language.CATALOGUES:
        with (folder / f"{name}.mo").open("rb") as file:
            found |= {
                one for key in GNUTranslations(file)._catalog for one in (key if isinstance(key, tuple) else (key,))
            }
    return frozenset(map(str, found))


def words_outside(text: str) -> set[str]:
    """Return the words of a text that no bracket has."""
    return set(_WORD.findall(unbracketed(text)))
