"""Reads tinc.conf and tinc's host files."""

from __future__ import annotations

import re

from vpn_adapters.shared.config_parsing.der import key_size_of_pem
from vpn_adapters.shared.config_parsing.messages import KEY_WITHOUT_END
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading, is_name
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/tinc/tinc.conf", "/etc/tinc/*/tinc.conf")
HOST_GLOBS = ("/etc/tinc/*/hosts/*",)

WORDS = word_set(
    """
    name connectto mode devicetype interface device addressfamily autoconnect broadcast decrementttl directonly
    experimentalprotocol forwarding graphdumpfile hostnames keyexpire localdiscovery macexpire maxtimeout
    pinginterval pingtimeout priorityinheritance privatekeyfile ed25519privatekeyfile processpriority proxy
    replaywindow strictsubnets tunnelserver upnp
    """
)
HOST_WORDS = word_set(
    """
    address subnet ed25519publickey publickey publickeyfile port weight cipher digest maclength compression
    indirectdata pmtu pmtudiscovery clampmss tcponly
    """
)
"""Settings by which these files are known. Source: tinc.conf(5) of 1.0.36 and 1.1pre18."""

_SECRET_NAMES = frozenset({"privatekey", "ed25519privatekey", "proxy"})
_LINE = re.compile(r"\s*([A-Za-z0-9]{1,40})\s*[=\s]\s*(.*)")


def read(text: str) -> ConfigReading:
    """Read a file. Source: tinc.conf(5); public keys in PEM as tinc 1.0 writes them."""
    page = ConfigPage(text)
    key: list[str] | None = None
    begun = 0
    for number, line in enumerate(page.lines, start=1):
        if key is not None:
            page.speak(number)
            if "-----END" in line:
                _key(page, begun, key)
                key = None
            elif len(key) < 500:
                key.append(line.strip())
        elif "-----BEGIN" in line:
            key, begun = [], number
        else:
            _setting(page, number, line)
    if key is not None:
        page.note(KEY_WITHOUT_END(line=begun))
    return page.reading()


def _key(page: ConfigPage, line: int, body: list[str]) -> None:
    bits = key_size_of_pem("\n".join(body))
    page.add(line, "RSA public key", f"{bits or '?'} bits")


def _setting(page: ConfigPage, number: int, line: str) -> None:
    found = _LINE.fullmatch(line.split("#", 1)[0].rstrip()[:8192])
    if found is None or not is_name(found[1]):
        return
    if found[1].lower() in _SECRET_NAMES:
        page.add_secret(number, found[1], found.start(2))
    elif found[1].lower().endswith("publickey"):
        page.add_plain(number, found[1], found[2].strip())
    else:
        page.add(number, found[1], found[2].strip())
