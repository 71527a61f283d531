"""Texts from resources/templates/export; what goes into them is checked before, see `one_word`."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from app.domain.errors import InvalidOption
from app.export.messages import TEXT_NOT_QUOTABLE
from app.wording.language import tr

if TYPE_CHECKING:
    from jinja2 import Template

_COLUMNS = 120
_WORD = re.compile(r"[A-Za-z0-9_.:@%+=,/~-]+")


def render(name: str, **values: object) -> str:
    """Return a text for people or programs.

    Args:
        name: File name below resources/templates/export, for example `sudoers.j2`.
    """
    return _template(name).render(**values)


@cache
def _template(name: str) -> Template:
    """Return a compiled template."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701 - plain text, no HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["tr"] = tr
    environment.filters["wrapped"] = wrapped
    text = files("resources").joinpath("templates", "export", name).read_text(encoding="utf-8")
    return environment.from_string(text)


def wrapped(text: str, indent: str = "", first: str = "") -> str:
    """Return a paragraph in lines of a text file.

    Args:
        indent: What each line begins with.
        first: What the first line begins with instead.
    """
    return textwrap.fill(
        text,
        _COLUMNS,
        initial_indent=first or indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def one_word(text: str, what: str) -> str:
    """Return a text that means nothing but itself to a shell, to YAML and to Ansible.

    Args:
        text: What came from a form, a file or a host.
        what: What it is, for the message.

    Raises:
        InvalidOption: It holds blanks, quotes, braces or the like, or nothing.
    """
    if not _WORD.fullmatch(text):
        raise InvalidOption(
            TEXT_NOT_QUOTABLE(what=what, text=repr(text)),
        )
    return text
