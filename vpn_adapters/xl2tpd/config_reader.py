"""Reads xl2tpd.conf."""

from __future__ import annotations

import re

from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/xl2tpd/*.conf",)

WORDS = word_set(
    """
    access assign auth autodial bps call cap challenge debug defaultroute exclusive flow force hidden hostname ip ipsec
    lac length listen-addr lns local max max_retries name no pass ppp pppoptfile port rand redial redials refuse remote
    require rx saref tunnel tx unix
    """
)
"""First words of settings, many of which have two. Source: xl2tpd.conf(5) and file.c of xl2tpd 1.3.18."""

_HEADER = re.compile(r"\s*\[([^\]\n]{1,80})\]\s*(?:;.*)?")
_SETTING = re.compile(r"\s*([A-Za-z][\w-]{0,30}(?:[ \t]+[A-Za-z]{1,30}){0,2})[ \t]*=[ \t]*([^;]*)")


def read(text: str) -> ConfigReading:
    """Read a file; names have the kind of their section before them, and what is no setting is masked.

    Source: xl2tpd.conf(5) of xl2tpd 1.3.18.
    """
    page = ConfigPage(text)
    section = ""
    for number, line in enumerate(page.lines, start=1):
        header, setting = _HEADER.fullmatch(line[:400]), _SETTING.match(line)
        if header is not None:
            section, _, title = header[1].lower().strip().partition(" ")
            page.add(number, f"[{section}]", title.strip())
        elif setting is not None and (words := setting[1].lower().split())[0] in WORDS:
            name = " ".join(words)
            page.add(number, f"{section}.{name}" if section else name, setting[2].strip())
        elif line.strip() and line.lstrip()[0] != ";":
            page.mask(number)
    return page.reading()
