"""Reads WireGuard configuration files."""

from __future__ import annotations

import re

from app.domain.linting import MASK
from vpn_adapters.shared.config_parsing.page import SECRET_NAMES, ConfigPage, ConfigReading, name_and_value
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/wireguard/*.conf",)

WORDS = word_set(
    """
    [interface] [peer] privatekey presharedkey publickey allowedips endpoint persistentkeepalive listenport
    fwmark postup postdown preup predown saveconfig
    """
)
"""Settings by which such a file is known. Source: wg(8), wg-quick(8)."""


def read(text: str) -> ConfigReading:
    """Read a file in the format of wg-quick(8)."""
    page = ConfigPage(text)
    is_in_section = not any(line.lstrip().startswith("[") for line in page.lines)  # a snippet has none
    for number, raw in enumerate(page.lines, start=1):
        line = raw.split("#", 1)[0].strip()
        if line.startswith("["):
            page.add(number, line, "")
            is_in_section = True
            continue
        pair = name_and_value(raw)
        if pair is None or not is_in_section:
            if line:
                name = _first_name(line)
                column = raw.find(name) + len(name) + 1 if name else 0
                page.add_secret(
                    number, f"{name or MASK} ({'no value' if is_in_section else 'outside a section'})", column
                )
            continue
        name, value, column = pair
        if name.lower() in SECRET_NAMES:
            page.add_secret(number, name, column)
        elif name.lower() == "publickey":
            page.add_plain(number, name, value)
        else:
            page.add(number, name, value)
    return page.reading()


def _first_name(line: str) -> str:
    """Return a line's first word where that is a setting's name; nothing where it may be a key."""
    word = re.split(r"[\s=]", line, maxsplit=1)[0]
    return word if word.lower() in WORDS else ""
