"""Reads files of `[section]` and `name = value`: freelan.cfg, stunnel.conf, WireGuard's alike."""

from __future__ import annotations

import re
from collections.abc import Callable

from vpn_adapters.configs.page import Page, Reading, name_and_value

_HEADER = re.compile(r"\s*\[([^\]\n]{1,80})\]\s*(?:[#;].*)?")


def read_sections(
    text: str, *, comment_signs: str, is_secret: Callable[[str, str], bool], name: Callable[[str, str], str]
) -> Reading:
    """Read a file.

    Args:
        text: The file.
        comment_signs: What begins a comment.
        is_secret: Gets section and name in lower case; says whether the value is secret.
        name: Gets section and name as written; returns the setting's name.
    """
    page = Page(text)
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
        if is_secret(section.lower(), pair[0].lower()):
            page.add_secret(number, name(section, pair[0]), pair[2])
        else:
            page.add(number, name(section, pair[0]), pair[1])
    return page.reading()
