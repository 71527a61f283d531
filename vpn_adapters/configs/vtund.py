"""Reads vtund.conf."""

from __future__ import annotations

import re

from app.domain.adapters import Setting
from vpn_adapters.configs.braces import Sections, Token, tokens
from vpn_adapters.configs.page import Page, Reading, is_name
from vpn_adapters.configs.words import word_set

GLOBS = ("/etc/vtund.conf",)

WORDS = word_set(
    """
    options default passwd password type proto compress encrypt keepalive stat speed persist up down ifconfig
    port timeout bindaddr syslog device multi ppp route firewall ip program ipv4 ipv6 iproute
    """
)
"""Words by which such a file is known. Source: vtund.conf(5) of VTun 3.0.4."""


def parse(text: str) -> tuple[Setting, ...]:
    """Return the settings of a file, named with their session: `site.encrypt`."""
    return read(text).settings


def read(text: str) -> Reading:
    """Read a file; keywords may be cut to four letters. Source: vtund.conf(5) of VTun 3.0.4."""
    page = Page(text)
    sections = Sections()
    statement: list[Token] = []
    for token in tokens("\n".join(page.lines)):
        if token.kind == "newline":
            continue
        if token.kind == "{":
            sections.open(statement[0].text if statement else "?")
            statement = []
        elif token.kind in ("}", ";"):
            _statement(page, sections.prefix, statement)
            statement = []
            if token.kind == "}" and not sections.close():
                page.note(f"Line {token.line} closes a section that was never opened.")
            page.speak(token.line)
        elif len(statement) < 64:
            statement.append(token)
    _statement(page, sections.prefix, statement)
    if sections.depth:
        page.note(f"{sections.depth} sections are not closed.")
    return page.reading()


def _statement(page: Page, prefix: str, words: list[Token]) -> None:
    if not words:
        return
    first, rest = words[0], words[1:]
    if first.text.lower().startswith("pass"):
        page.add_secret(
            first.line, f"{prefix}{first.text[:12]}", first.column + len(first.text), last_line=words[-1].last_line
        )
    elif is_name(first.text):
        value = " ".join(word.text for word in rest)
        page.add(first.line, prefix + first.text, re.sub(r" ?([:=,]) ?", r"\1", value))
    else:
        for word in words:
            page.mask(word.line, word.column)
