"""Reads files of `[section]` and `name = value`: freelan.cfg, stunnel.conf, WireGuard's alike."""

from __future__ import annotations

import re
from collections.abc import Callable

from vpn_adapters.shared.config_parsing.page import SECRET_NAMES, ConfigPage, ConfigReading, name_and_value

_EMPTY = ("", '""', "''")
_HEADER = re.compile(r"\s*\[([^\]\n]{1,80})\]\s*(?:[#;].*)?")


def read_sections(text: str, *, comment_signs: str, name: Callable[[str, str], str]) -> ConfigReading:
    """Read a file.

    Args:
        comment_signs: What begins a comment.
        name: Gets section and name as written; returns the setting's name.
    """
    page = ConfigPage(text)
    section = ""
    for number, line in enumerate(page.lines, start=1):
        header = _HEADER.fullmatch(line[:400])
        if header is not None:
            section = header[1].strip()
            page.add(number, f"[{section}]", "")
            continue
        pair = name_and_value(line, comment_signs)
        if pair is None:
            continue
        is_empty = line[pair[2] :].strip() in _EMPTY
        if pair[0].lower().rpartition(".")[2] in SECRET_NAMES and not is_empty:
            page.add_secret(number, name(section, pair[0]), pair[2])
        else:
            page.add(number, name(section, pair[0]), pair[1])
    return page.reading()
