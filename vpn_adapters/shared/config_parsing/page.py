"""A configuration file while it is read: lines with numbers, from which what is secret has been taken."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.domain.linting import MASK
from app.domain.messages import Message
from vpn_adapters.shared.config_parsing.masking import is_command, is_secret, without_secrets

MAX_NAME = 200
MAX_VALUE = 4096
"""Longer names and values are cut, in characters; no program that is read here takes as much."""

_BEGIN = re.compile(r"-----BEGIN ([A-Za-z0-9 .-]{1,60})-----")
_SECRET_LABEL = re.compile(r"(?i)private|static key|tls-crypt|secret|encrypted")
_SECRET_WORDS = re.compile(
    r"(?i)\b((?:pass(?:wd|word|phrase)|psk|pre-?shared-?key|private-?key|auth-token)\b[\"']?[\s:=]|"
    r"(?:secret|token|pin|pass|key)[\"']?\s{0,20}[:=])\s{0,20}\S.*"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.@%*/:-]{0,63}")
_HEX_NAME = re.compile(r"[0-9A-Fa-f]{16,}")

SECRET_NAMES = frozenset({"privatekey", "presharedkey", "psk", "passphrase", "password", "passwd", "protocolpassword"})
"""Names whose values are secret in each of these files, in lower case; so also in one that was taken for another."""


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """Parsed configuration file, without secrets.

    Attributes:
        settings: In the order of lines.
        lines: Every line for showing: secrets masked, no control characters.
        notes: What the reader could not do, as sentences, for example that an included file was not read.
    """

    settings: tuple[Setting, ...]
    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()


def printable(text: str, limit: int = MAX_VALUE) -> str:
    """Return a text cut to size and without control characters, so that it can be shown on a terminal."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def is_name(word: str) -> bool:
    """Whether a word can be a setting's name; lines of a key that lost its frame cannot."""
    return _NAME.fullmatch(word) is not None and _HEX_NAME.fullmatch(word) is None


def section_name(text: str) -> str:
    """Return a section's name as a part of the names of its settings: in quotes if it has dots itself."""
    return '"' + text.replace('"', "") + '"' if "." in text else text


class ConfigPage:
    """Collects what a parser finds.

    Blocks in PEM's frame that hold something private are taken out before the parser sees them.
    """

    def __init__(self, text: str) -> None:
        self.lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
        self._masked_from: dict[int, int] = {}
        self._spoken: set[int] = set()
        self._commands: set[int] = set()
        self._found: list[Setting] = []
        self._notes: dict[str, None] = {}
        self.private_blocks = self._take_private_blocks()

    def add(self, line: int, name: str, value: str) -> None:
        """Add a setting.

        Args:
            line: From 1.
            name: Its name, with the sections it is in.
            value: Its value; keys and passwords in it are masked here.
        """
        self._spoken.add(line)
        if value not in ("", MASK) and is_secret(name):
            self.mask(line, max(self.lines[line - 1].find(value), 0))
            value = MASK
        is_command_line = is_command(name)
        if is_command_line:
            self._commands.add(line)
        value = printable(without_secrets(value[: 4 * MAX_VALUE], is_command_line=is_command_line))
        self._found.append(Setting(line, printable(name, MAX_NAME), value))

    def add_plain(self, line: int, name: str, value: str) -> None:
        """Add a setting whose value is public although it may resemble a key."""
        self._spoken.add(line)
        self._found.append(Setting(line, printable(name, MAX_NAME), printable(value)))

    def add_secret(self, line: int, name: str, column: int = 0, last_line: int | None = None) -> None:
        """Add a setting with a secret value, and mask it.

        Args:
            line: From 1.
            column: Where the secret begins in that line, from 0.
            last_line: Where it ends; None means the same line.
        """
        self.add(line, name, MASK)
        self.mask(line, column)
        for number in range(line + 1, (last_line or line) + 1):
            self.mask(number)

    def mask(self, line: int, column: int = 0) -> None:
        """Show nothing of a line from a column on."""
        if 0 < line <= len(self.lines):
            column = min(column, MAX_VALUE)
            if column < self._masked_from.get(line, MAX_VALUE + 1):
                self._masked_from[line] = column

    def speak(self, line: int) -> None:
        """Note that a line is understood and holds nothing secret, for example a section's end."""
        self._spoken.add(line)

    def note(self, sentence: str) -> None:
        """Add a sentence for the reader of the result, once."""
        if len(self._notes) < 20:
            self._notes[_masked(sentence)] = None

    def reading(self) -> ConfigReading:
        """Return everything that was found."""
        for line, label in self.private_blocks:
            self._found.append(Setting(line, printable(label, MAX_NAME), MASK))
        self._found.sort(key=lambda one: one.line)
        lines = tuple(self._show(number, line) for number, line in enumerate(self.lines, start=1))
        return ConfigReading(tuple(self._found), lines, tuple(self._notes))

    def _show(self, number: int, line: str) -> str:
        """Return a line for showing; what is no setting (comments, nonsense) is not trusted to be public."""
        if number in self._masked_from:
            # The text before a secret may hold another one that was not understood.
            return printable(without_secrets(line[: self._masked_from[number]])) + MASK
        if number not in self._spoken:
            line = _SECRET_WORDS.sub(rf"\1 {MASK}", printable(line))
        elif "#" in line:
            text, sign, comment = line.partition("#")
            line = text + sign + _SECRET_WORDS.sub(rf"\1 {MASK}", comment[:MAX_VALUE])
        return printable(without_secrets(line[:MAX_VALUE], is_command_line=number in self._commands))

    def _take_private_blocks(self) -> list[tuple[int, str]]:
        """Empty every line between the frame of something private; an unclosed one reaches to a tag or the end."""
        found: list[tuple[int, str]] = []
        end = ""
        for index, line in enumerate(self.lines):
            if end:
                if end in line:
                    end = ""
                elif line.lstrip().startswith("</"):
                    end = ""
                    continue
                self.mask(index + 1)
                self.lines[index] = ""
                continue
            if "-----BEGIN" not in line:
                continue
            begin = _BEGIN.search(line)
            if begin is not None and _SECRET_LABEL.search(begin[1]):
                found.append((index + 1, begin[1]))
                end = "-----END" if "-----END" not in line[begin.end() :] else ""
                self.mask(index + 1, 0)
                self.lines[index] = ""
        return found


def words_of(line: str, comment_signs: str = "#") -> list[tuple[int, str]]:
    """Return the words of a line with the columns they begin at; quotes and backslashes as in most of these files.

    Args:
        line: One line.
        comment_signs: Characters that begin a comment where a word could begin.

    Returns:
        (column from 0, word); at most 64, as no option has more.
    """
    found: list[tuple[int, str]] = []
    for match in _WORD.finditer(line[: 4 * MAX_VALUE]):
        double, single, bare = match.groups()
        if bare is not None and bare[0] in comment_signs:
            break
        word = bare if bare is not None else single if single is not None else double
        if single is None and "\\" in word:
            word = _ESCAPED.sub(r"\1", word)
        found.append((match.start(), word))
        if len(found) == 64:
            break
    return found


_ESCAPED = re.compile(r"\\(.)")
_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|((?:[^\s\\\"']|\\.|\\$)(?:[^\s\\]|\\.|\\$)*|[\"'][^\s]*)")


def name_and_value(line: str, comment_signs: str = "#") -> tuple[str, str, int] | None:
    """Split `name = value`.

    Args:
        line: One line.
        comment_signs: Characters that begin a comment at a line's begin, and after white space.

    Returns:
        Name, value without quotes and comments, and the column the value begins at; None where it is no such line.
    """
    stripped = line.strip()
    if not stripped or stripped[0] in comment_signs:
        return None
    name, found, rest = line.partition("=")
    name = name.strip()
    if not found or not is_name(name):
        return None
    column = len(line) - len(rest.lstrip())
    value = rest.strip()
    if value[:1] in ("'", '"'):
        inner, closed, _ = value[1:].partition(value[0])
        return (name, inner, column) if closed else (name, value, column)
    for sign in comment_signs:
        if sign in value:
            value = re.split(rf"(?:^|[ \t]){re.escape(sign)}", value, maxsplit=1)[0]
    return name, value.strip(), column


def _masked(sentence: str) -> str:
    """Return a sentence without secrets and control characters, as a message where it was one."""
    if not isinstance(sentence, Message):
        return printable(without_secrets(sentence), 400)
    data = {name: printable(without_secrets(str(value)), 300) for name, value in sentence.data.items()}
    return Message(sentence.form, data)
