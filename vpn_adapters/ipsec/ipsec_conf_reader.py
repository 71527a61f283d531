"""Reads ipsec.conf and ipsec.secrets of strongSwan (and Libreswan, as far as they are alike)."""

from __future__ import annotations

import re

from app.domain.linting import INHERITS, MASK
from vpn_adapters.shared.config_parsing.messages import INCLUDED_NOT_READ
from vpn_adapters.shared.config_parsing.page import (
    ConfigPage,
    ConfigReading,
    is_name,
    name_and_value,
    section_name,
    words_of,
)
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/ipsec.conf", "/etc/ipsec.d/*.conf")
SECRETS_GLOBS = ("/etc/ipsec.secrets", "/etc/ipsec.d/*.secrets")

WORDS = word_set(
    """
    conn ca config keyexchange left right leftsubnet rightsubnet leftid rightid leftauth rightauth leftcert
    rightcert leftsourceip rightsourceip leftsigkey rightsigkey authby ike esp ah auto dpdaction dpddelay
    ikelifetime lifetime keylife rekeymargin margintime keyingtries aggressive compress mobike forceencaps
    fragmentation charondebug uniqueids closeaction type also strictcrlpolicy
    """
)
"""Settings by which ipsec.conf is known. Source: ipsec.conf(5) of strongSwan 5.9."""

_SECTION = re.compile(r"(conn|ca|config)\s+(\S{1,64})\s*(?:#.*)?")
_SECRET_TYPES = frozenset({"PSK", "EAP", "XAUTH", "NTLM", "PPK", "PIN"})
_FILE_TYPES = frozenset({"RSA", "ECDSA", "PKCS8", "BLISS", "P12"})


def read(text: str) -> ConfigReading:
    """Read ipsec.conf. Included files are reported, not read. Source: ipsec.conf(5)."""
    page = ConfigPage(text)
    section = ""
    for number, line in enumerate(page.lines, start=1):
        head = None if line[:1] in ("", " ", "\t") else _SECTION.fullmatch(line.rstrip())
        if head is not None:
            section = f"{head[1]}.{section_name(head[2])}"
            page.add(number, section, "")
            if head[1] == "conn" and head[2] != "%default":
                page.add(number, f"{section}.{INHERITS}", "conn.%default")
            continue
        if line.lstrip().startswith("include"):
            included = " ".join(word for _, word in words_of(line)[1:])
            page.add(number, "include", included)
            page.note(INCLUDED_NOT_READ(file=included))
            continue
        pair = name_and_value(line)
        if pair is not None:
            page.add(number, f"{section}.{pair[0]}" if section else pair[0], pair[1])
            if pair[0] == "also" and section.startswith("conn."):
                page.add(number, f"{section}.{INHERITS}", f"conn.{section_name(pair[1])}")
    return page.reading()


def read_secrets(text: str) -> ConfigReading:
    """Read ipsec.secrets; lines that are not understood are masked as a whole. Source: ipsec.secrets(5)."""
    page = ConfigPage(text)
    previous = ""
    for number, line in enumerate(page.lines, start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if stripped.startswith("include"):
            page.add(number, "include", stripped[7:].strip())
            page.note(INCLUDED_NOT_READ(file=stripped[7:].strip()))
            continue
        if line[:1].isspace() and previous:
            page.mask(number)  # goes on with a secret
            continue
        previous = _secret(page, number, line)
    return page.reading()


def _secret(page: ConfigPage, number: int, line: str) -> str:
    """Add one secret; return its type, empty if the line is not understood."""
    _, colon, rest = line.rpartition(" :") if " :" in line else ("", ":", line.removeprefix(":"))
    words = words_of(rest)
    kind = words[0][1].upper() if words else ""
    if not colon or (kind not in _SECRET_TYPES and kind not in _FILE_TYPES):
        page.mask(number)
        return ""
    start = len(line) - len(rest)
    if kind in _FILE_TYPES and len(words) > 1 and is_name(words[1][1].lstrip("/")):
        page.add(number, kind, words[1][1])
        if len(words) > 2:
            page.mask(number, start + words[2][0])
    else:
        page.add(number, kind, MASK)
        page.mask(number, start + words[0][0] + len(kind) + 1)
    return kind
