"""Splits files of sections in braces into tokens, as strongSwan and VTun write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vpn_adapters.shared.config_parsing.page import section_name

MAX_DEPTH = 32
"""Deeper sections are counted but no longer named; no program that is read here nests half as deep."""


class BraceToken(NamedTuple):
    """A piece of a file.

    Attributes:
        kind: `word`, `string` or one of `{ } = : , ;` and `newline`.
        text: What it says; of a string without quotes.
        line: Line it begins in, from 1.
        column: Column it begins at, from 0.
        last_line: Line it ends in.
    """

    kind: str
    text: str
    line: int
    column: int
    last_line: int


_TOKEN = re.compile(
    r"[ \t\r\f\v]*(?:(?P<newline>\n)|(?P<comment>#[^\n]*)|(?P<sign>[{}=:,;])"
    r"|\"(?P<string>(?:[^\"\\]|\\.)*)(?P<end>\"?)|(?P<word>[^\s{}=:,;#\"]+)|(?P<space>\s))",
    re.DOTALL,
)


def tokens(text: str) -> Iterator[BraceToken]:
    """Yield the tokens of a file; comments and spaces are left out, an unclosed string reaches to the file's end."""
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind in ("space", "comment"):
            continue
        if kind == "newline":
            yield BraceToken("newline", "", line, match.start(kind) - line_start, line)
            line += 1
            line_start = match.end()
        elif kind == "sign":
            sign = match["sign"]
            yield BraceToken(sign, sign, line, match.start(kind) - line_start, line)
        elif kind == "word":
            yield BraceToken("word", match["word"], line, match.start(kind) - line_start, line)
        else:
            first, column, string = line, match.start("string") - 1 - line_start, match["string"]
            if "\n" in string:
                line += string.count("\n")
                line_start = match.start("string") + string.rindex("\n") + 1
            yield BraceToken("string", string, first, column, line)


class Sections:
    """The names of the sections that are open at a place in a file."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._too_deep = 0

    @property
    def prefix(self) -> str:
        """Return the names joined by dots, with a dot at the end; empty outside of all sections."""
        return "".join(f"{name}." for name in self._names)

    @property
    def depth(self) -> int:
        """Return how many sections are open."""
        return len(self._names) + self._too_deep

    def open(self, name: str) -> None:
        """Enter a section."""
        if len(self._names) < MAX_DEPTH:
            self._names.append(section_name(name[:64]))
        else:
            self._too_deep += 1

    def close(self) -> bool:
        """Leave a section; return whether there was one."""
        if self._too_deep:
            self._too_deep -= 1
        elif self._names:
            self._names.pop()
        else:
            return False
        return True
