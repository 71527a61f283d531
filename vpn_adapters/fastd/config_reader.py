"""Reads fastd's configuration files."""

from __future__ import annotations

import re

from vpn_adapters.shared.config_parsing.braces import BraceToken, Sections, tokens
from vpn_adapters.shared.config_parsing.messages import CLOSES_UNOPENED, INCLUDES_SKIPPED, SECTIONS_NOT_CLOSED
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/fastd/*.conf", "/etc/fastd/*/*.conf")

WORDS = word_set(
    """
    bind cipher drop float forward group hide include interface key log mac method mode mtu offload on packet peer
    persist pmtu protocol remote secret secure status user
    """
)
"""First words of settings. Source: fastd documentation, Configuration file format."""

_NAMES_OF_SEVERAL_WORDS = frozenset(
    {
        *("drop capabilities", "offload l2tp", "packet mark", "peer limit", "persist interface", "secure handshakes"),
        *("hide ip addresses", "hide mac addresses", "status socket"),
        *(
            "on pre-up",
            "on up",
            "on down",
            "on post-down",
            "on connect",
            "on establish",
            "on disestablish",
            "on verify",
        ),
    }
)
_COMMENT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|#[^\n]*|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PUBLIC = "key"
_SECRET = re.compile(r"(?i)\bsecret\b")


def read(text: str) -> ConfigReading:
    """Read a file. Included files are not read but noted. Source: fastd documentation, Configuration file format."""
    page = ConfigPage(text)
    sections = Sections()
    statement: list[BraceToken] = []
    for token in tokens(_without_comments("\n".join(page.lines))):
        if token.kind == "{":
            _open(page, sections, statement)
            statement = []
        elif token.kind in ("}", ";"):
            _statement(page, sections.prefix, statement)
            statement = []
            if token.kind == "}" and not sections.close():
                page.note(CLOSES_UNOPENED(line=token.line))
            page.speak(token.line)
        elif token.kind != "newline" and len(statement) < 64:
            statement.append(token)
    _statement(page, sections.prefix, statement)
    for number, line in enumerate(page.lines, start=1):
        # Comments, too.
        if (secret := _SECRET.search(line)) is not None:
            page.mask(number, secret.end())
    if sections.depth:
        page.note(SECTIONS_NOT_CLOSED(number=sections.depth))
    return page.reading()


def _without_comments(text: str) -> str:
    """Return a text whose comments are blanks, so that lines and columns remain; `#` is left to the tokens."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0]) if found[0].startswith("/") else found[0]

    return _COMMENT.sub(blank, text)


def _open(page: ConfigPage, sections: Sections, words: list[BraceToken]) -> None:
    """Enter `peer "NAME" {` or `peer group "NAME" {`."""
    is_peer = bool(words) and words[0].text == "peer"
    if is_peer:
        page.speak(words[0].line)
    else:
        _mask(page, words)
    sections.open("group" if is_peer and len(words) > 1 and words[1].text == "group" else "peer" if is_peer else "?")


def _statement(page: ConfigPage, prefix: str, words: list[BraceToken]) -> None:
    """Add a statement; where a semicolon was forgotten, a secret may be in the middle of it."""
    index = next((place for place, word in enumerate(words) if word.text.lower() == "secret"), None)
    if index is not None:
        secret = words[index]
        column = secret.column + len(secret.text)
        page.add_secret(secret.line, f"{prefix}secret", column, last_line=words[-1].last_line)
        words = words[:index]
    if not words:
        return
    if words[0].text not in WORDS:
        _mask(page, words)
        return
    name, value = _name_and_value(words)
    if name == _PUBLIC:
        page.add_plain(words[0].line, prefix + name, value)
    else:
        page.add(words[0].line, prefix + name, value)
    if name == "include":
        page.note(INCLUDES_SKIPPED(files=value))


def _name_and_value(words: list[BraceToken]) -> tuple[str, str]:
    texts = [word.text for word in words]
    length = next((n for n in (3, 2) if " ".join(texts[:n]) in _NAMES_OF_SEVERAL_WORDS), 1)
    return " ".join(texts[:length]), re.sub(r" ?([:=,]) ?", r"\1", " ".join(texts[length:]))


def _mask(page: ConfigPage, words: list[BraceToken]) -> None:
    for word in words:
        page.mask(word.line, word.column)
        for line in range(word.line + 1, word.last_line + 1):
            page.mask(line)
