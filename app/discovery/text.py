"""Untrusted text from hosts: cut to size, without control characters, numbers only where there are some."""

from __future__ import annotations

MAX_NAME = 255
MAX_ENTRIES = 1024

_MAX_DIGITS = 18


def clean(text: str, limit: int = MAX_NAME) -> str:
    """Return a text on one line, without control characters, at most `limit` characters long."""
    return "".join(c if c.isprintable() else " " for c in text[: limit * 2]).strip()[:limit]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, at most MAX_ENTRIES times ten of them."""
    return text.split("\n", MAX_ENTRIES * 10)[: MAX_ENTRIES * 10]


def line_at(text: str, index: int) -> str:
    """Return one line, cleaned; empty where there is none."""
    lines = lines_of(text)
    return clean(lines[index]) if index < len(lines) else ""


def to_int(text: str, default: int = 0) -> int:
    """Return a whole number in decimal ASCII digits, or the default."""
    digits = text.strip()
    plain = digits.removeprefix("-")
    if not plain.isascii() or not plain.isdigit() or len(plain) > _MAX_DIGITS:
        return default
    return int(digits)


def fields_of(text: str, separator: str = ":") -> dict[str, str]:
    """Return `name: value` lines as a mapping; of several lines with one name, the first."""
    fields: dict[str, str] = {}
    for line in lines_of(text):
        name, found, value = line.partition(separator)
        if found:
            fields.setdefault(clean(name), clean(value, 4096))
    return fields
