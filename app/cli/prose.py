"""Sentences for the terminal: wrapped at words, with a hanging indent; whole lines in a pipe or a file."""

from __future__ import annotations

import textwrap

from rich.console import Console

from app.cli.tables import WIDTH_WITHOUT_TERMINAL
from app.domain.plain_text import plain_text

_LEAST = 40
"""Characters of a line; a narrower terminal wraps by itself."""


def print_prose(out: Console, text: str, *, head: str = "", indent: int = 0, style: str = "") -> None:
    """Print a sentence.

    Args:
        out: Where to.
        text: Untrusted text; line breaks in it remain.
        head: What comes before it, such as `- `; later lines begin below the text after it.
        indent: Blanks before all lines.
        style: Of the whole.
    """
    first, rest = " " * indent + head, " " * (indent + len(head))
    for number, line in enumerate(plain_text(text).split("\n")):
        for made in _lines(line, first if not number else rest, rest, out.width):
            out.print(made, soft_wrap=True, style=style)


def _lines(line: str, first: str, rest: str, width: int) -> list[str]:
    if width >= WIDTH_WITHOUT_TERMINAL:
        return [first + line]
    room = max(_LEAST, width)
    return textwrap.wrap(
        line, room, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    ) or [first.rstrip()]
