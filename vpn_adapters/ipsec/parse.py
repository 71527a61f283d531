"""Reads existing swanctl.conf files."""

from __future__ import annotations

import re

from app.domain.adapters import Setting

MASK = "(hidden)"
_SECRET = re.compile(r"^(secret\w*|handle|pin)$")


def settings(text: str) -> tuple[Setting, ...]:
    """Return the settings of a file in the format of strongswan.conf(5), named by their sections.

    Args:
        text: The file.

    Returns:
        Settings in order, for example `connections.l2.version`, with line numbers from 1; secrets are masked.
    """
    found: list[Setting] = []
    sections: list[str] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = re.sub(r"(?:^|\s)#.*$", "", raw).strip()
        while line.startswith("}"):
            del sections[-1:]
            line = line[1:].strip()
        name, opening, rest = line.partition("{")
        while opening and "=" not in name:
            if name.strip():
                sections.append(name.strip())
            line = rest.strip()
            name, opening, rest = line.partition("{")
        found += _setting(number, line, sections)
        closed = line.count("}") - line.count("{")
        if closed > 0:
            del sections[-closed:]
    return tuple(found)


def _setting(number: int, line: str, sections: list[str]) -> list[Setting]:
    name, separator, value = line.partition("=")
    name = name.strip()
    if not separator or not name:
        return []
    shown = value.rstrip("} \t").strip().strip('"')
    return [Setting(number, ".".join((*sections, name)), MASK if _SECRET.match(name) else shown)]
