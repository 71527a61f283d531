"""Reads WireGuard configuration files."""

from __future__ import annotations

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
    for number, raw in enumerate(page.lines, start=1):
        line = raw.split("#", 1)[0].strip()
        if line.startswith("["):
            page.add(number, line, "")
            continue
        pair = name_and_value(raw)
        if pair is None:
            continue
        name, value, column = pair
        if name.lower() in SECRET_NAMES:
            page.add_secret(number, name, column)
        elif name.lower() == "publickey":
            page.add_plain(number, name, value)
        else:
            page.add(number, name, value)
    return page.reading()
