"""Reads vtund.conf."""

from __future__ import annotations

import re

from app.domain.linting import INHERITS
from vpn_adapters.shared.config_parsing.braces import BraceToken, Sections, tokens
from vpn_adapters.shared.config_parsing.messages import CLOSES_UNOPENED, SECTIONS_NOT_CLOSED
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/vtund.conf",)

WORDS = word_set(
    """
    options default passwd password type proto compress encrypt keepalive stat speed persist up down ifconfig
    port timeout bindaddr iface addr srcaddr nat proxyarp syslog device multi ppp route firewall ip program ipv4
    ipv6 iproute
    """
)
"""Words by which such a file is known. Source: vtund.conf(5) of VTun 3.0.4."""


def read(text: str) -> ConfigReading:
    """Read a file; keywords may be cut to four letters. Source: vtund.conf(5) of VTun 3.0.4."""
    page = ConfigPage(text)
    sections = Sections()
    statement: list[BraceToken] = []
    for token in tokens("\n".join(page.lines)):
        if token.kind == "newline":
            continue
        if token.kind == "{":
            name = statement[0].text if statement else "?"
            is_session = sections.depth == 0 and name not in ("options", "default")
            sections.open(name)
            if is_session:
                page.add(statement[0].line if statement else token.line, f"{sections.prefix}{INHERITS}", "default")
            statement = []
        elif token.kind in ("}", ";"):
            _statement(page, sections.prefix, statement)
            statement = []
            if token.kind == "}" and not sections.close():
                page.note(CLOSES_UNOPENED(line=token.line))
            page.speak(token.line)
        elif len(statement) < 64:
            statement.append(token)
    _statement(page, sections.prefix, statement)
    if sections.depth:
        page.note(SECTIONS_NOT_CLOSED(number=sections.depth))
    return page.reading()


def _statement(page: ConfigPage, prefix: str, words: list[BraceToken]) -> None:
    """Add a statement; where a semicolon was forgotten, a password may be in the middle of it."""
    if not words:
        return
    index = next((place for place, word in enumerate(words) if word.text.lower().startswith("pass")), None)
    if index is not None:
        secret = words[index]
        page.add_secret(
            secret.line, f"{prefix}{secret.text[:8]}", secret.column + len(secret.text), last_line=words[-1].last_line
        )
        words = words[:index]
    if words and words[0].text.lower() in _KEYWORDS:
        value = " ".join([word.text for word in words[1:]])
        if any(word.kind in ":=," for word in words):
            value = re.sub(r" ?([:=,]) ?", r"\1", value)
        page.add(words[0].line, prefix + words[0].text, value)
    else:
        for word in words:
            page.mask(word.line, word.column)


_KEYWORDS = WORDS | {word[:length] for word in WORDS for length in range(4, len(word))}
"""Keywords, also cut short."""
