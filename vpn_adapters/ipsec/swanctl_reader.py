"""Reads swanctl.conf."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from app.domain.linting import INHERITS, MASK
from vpn_adapters.shared.config_parsing.braces import BraceToken, Sections, tokens
from vpn_adapters.shared.config_parsing.messages import CLOSES_UNOPENED, INCLUDES_SKIPPED, SECTIONS_NOT_CLOSED
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading, is_name
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/swanctl/swanctl.conf", "/etc/swanctl/conf.d/*.conf")

WORDS = word_set(
    """
    connections children secrets pools authorities local remote proposals esp_proposals ah_proposals local_addrs
    remote_addrs local_ts remote_ts start_action dpd_action close_action mobike version auth certs pubkeys
    cacerts rekey_time reauth_time dpd_delay keyingtries encap fragmentation childless ppk_id ppk_required
    unique if_id_in updown
    """
)
"""Sections and settings by which such a file is known. Source: swanctl.conf(5) of strongSwan 5.9 and 6.0."""

_PUBLIC_SECRETS = ("id", "file", "handle", "slot", "module")
"""Public keys of the section `secrets`; names such as `id-1` count as `id`. Source: swanctl.conf(5)."""


def read(text: str) -> ConfigReading:
    """Read a file. Included files are not read but noted.

    Source: strongswan.conf(5), "FILE FORMAT".
    """
    page = ConfigPage(text)
    stream = _Stream(tokens("\n".join(page.lines)))
    sections = Sections()
    while (token := stream.take()) is not None:
        if token.kind == "}":
            page.speak(token.line)
            if not sections.close():
                page.note(CLOSES_UNOPENED(line=token.line))
        elif token.kind in ("word", "string"):
            _statement(page, stream, sections, token)
    if sections.depth:
        page.note(SECTIONS_NOT_CLOSED(number=sections.depth))
    return page.reading()


class _Stream:
    """Tokens with a look-ahead of one: `ahead` is the next token, which was not taken yet."""

    def __init__(self, source: Iterator[BraceToken]) -> None:
        self._source = source
        self.ahead: BraceToken | None = next(source, None)

    def take(self) -> BraceToken | None:
        """Return the next token and go on."""
        token, self.ahead = self.ahead, next(self._source, None)
        return token

    def skip_newlines(self) -> None:
        """Go on to what is no line's end."""
        while self.ahead is not None and self.ahead.kind == "newline":
            self.take()

    def rest_of_line(self) -> list[BraceToken]:
        """Take what belongs to a value: up to the line's end or a brace."""
        taken = []
        while self.ahead is not None and self.ahead.kind not in ("newline", "{", "}"):
            token = self.take()
            if token is not None:
                taken.append(token)
        return taken


def _statement(page: ConfigPage, stream: _Stream, sections: Sections, first: BraceToken) -> None:
    name = first.text
    if name == "include" and stream.ahead is not None and stream.ahead.kind in ("word", "string"):
        words = stream.rest_of_line()
        page.add(first.line, sections.prefix + "include", _joined(words))
        page.note(INCLUDES_SKIPPED(files=_joined(words)))
        return
    ahead = stream.ahead
    if ahead is not None and ahead.kind == "=":
        stream.take()
        _value(page, sections.prefix + name, first, stream.rest_of_line())
        return
    references = stream.rest_of_line() if ahead is not None and ahead.kind == ":" else []
    stream.skip_newlines()
    if stream.ahead is None or stream.ahead.kind != "{":
        page.mask(first.line, first.column)
        return
    stream.take()
    if is_name(name) or name.isdecimal():
        page.speak(first.line)
    sections.open(name)
    parents = ",".join(token.text for token in references if token.kind == "word")
    if parents:
        page.add(first.line, sections.prefix + INHERITS, parents)


def _value(page: ConfigPage, name: str, first: BraceToken, words: list[BraceToken]) -> None:
    if not is_name(first.text):
        page.mask(first.line, first.column)
    elif words and (_is_secret(name) or _holds_secret(words)):
        page.add_secret(first.line, name, words[0].column, last_line=words[-1].last_line)
    else:
        page.add(first.line, name, _joined(words))
        for line in range(first.line + 1, (words[-1].last_line if words else first.line) + 1):
            page.speak(line)


def _is_secret(name: str) -> bool:
    parts = name.lower().split(".")
    if parts[0] == "secrets":
        return parts[-1].partition("-")[0].rstrip("0123456789") not in _PUBLIC_SECRETS
    return _is_secret_word(parts[-1])


def _holds_secret(words: list[BraceToken]) -> bool:
    """Whether a secret was written on the line of another value."""
    pairs = itertools.pairwise(words)
    return any(after.kind == "=" and _is_secret_word(word.text.lower()) for word, after in pairs)


def _is_secret_word(word: str) -> bool:
    return any(part in word for part in ("secret", "password", "passphrase", "psk"))


def _joined(words: list[BraceToken]) -> str:
    """Return a value's words as the file has them; signs such as commas stick to what is before them."""
    text = ""
    for word in words:
        text += word.text if not text or word.kind in ",:=;" else f" {word.text}"
    return text if text != MASK else ""
