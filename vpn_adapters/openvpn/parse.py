"""Reads existing OpenVPN configuration files."""

from __future__ import annotations

import re

from app.domain.adapters import Setting

MASK = "(hidden)"
PUBLIC_BLOCKS = frozenset({"ca", "cert", "extra-certs", "dh", "crl-verify", "connection", "peer-fingerprint"})
"""Inline blocks without secrets. Source: openvpn(8), "INLINE FILE SUPPORT"."""

_OPENING = re.compile(r"^<([A-Za-z0-9-]+)>$")
_WORD = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|((?:[^\s\"'#;\\]|\\.)(?:[^\s\\]|\\.)*)|([#;].*)")


def settings(text: str) -> tuple[Setting, ...]:
    """Return the settings of a configuration file.

    An inline block becomes one setting named like the block at its first line; what is in it is kept only where it is
    public. Settings inside `<connection>` are settings too.

    Args:
        text: The file.

    Returns:
        Settings in order, with line numbers from 1.
    """
    found: list[Setting] = []
    block = ""
    block_line = 0
    content: list[str] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip().removeprefix("\ufeff")
        if block:
            if line == f"</{block}>":
                found.append(_block(block_line, block, content))
                block, content = "", []
            else:
                content.append(line)
            continue
        opening = _OPENING.match(line)
        if opening and opening.group(1) != "connection":
            block, block_line = opening.group(1), number
        elif not opening and line != "</connection>":
            found.extend(_option(number, line))
    if block:
        found.append(_block(block_line, block, content))
    return tuple(found)


def _block(line: int, name: str, content: list[str]) -> Setting:
    return Setting(line, name, "\n".join(content) if name in PUBLIC_BLOCKS else MASK)


def _option(number: int, line: str) -> list[Setting]:
    words: list[str] = []
    for match in _WORD.finditer(line):
        double, single, bare, comment = match.groups()
        if comment is not None:
            break
        words.append(re.sub(r"\\(.)", r"\1", double or bare or "") if single is None else single)
    name = words[0].removeprefix("--") if words else ""
    return [Setting(number, name, " ".join(words[1:]))] if name else []
