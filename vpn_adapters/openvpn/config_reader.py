"""Reads OpenVPN configuration files, inline blocks included."""

from __future__ import annotations

import re

from app.domain.linting import MASK
from vpn_adapters.shared.config_parsing.der import key_size_of_pem
from vpn_adapters.shared.config_parsing.messages import BLOCK_NOT_CLOSED, INCLUDED_NOT_READ
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading, is_name, words_of
from vpn_adapters.shared.config_parsing.word_sets import word_set

PUBLIC_BLOCKS = frozenset({"ca", "cert", "extra-certs", "dh", "crl-verify", "peer-fingerprint", "verify-hash"})
"""Inline blocks without secrets. Source: openvpn(8), "INLINE FILE SUPPORT"."""

CERTIFICATE_BLOCKS = frozenset({"ca", "cert", "extra-certs"})

SECRET_OPTIONS = frozenset({"auth-token", "auth-token-user", "static-challenge", "http-proxy-user-pass"})
"""Options whose value may be a secret itself. Source: openvpn(8)."""

GLOBS = ("/etc/openvpn/*.conf", "/etc/openvpn/*.ovpn", "/etc/openvpn/server/*.conf", "/etc/openvpn/client/*.conf")

WORDS = word_set(
    """
    auth auth-nocache auth-user-pass ca cert cipher client client-to-client comp-lzo compress daemon
    data-ciphers data-ciphers-fallback dev dev-type dh duplicate-cn ecdh-curve explicit-exit-notify float
    fragment group ifconfig ifconfig-pool-persist keepalive key key-direction local log-append lport management
    max-clients mode mssfix mute ncp-ciphers ncp-disable nobind peer-fingerprint persist-key persist-tun ping
    ping-restart pkcs12 port proto push reneg-sec remote remote-cert-tls resolv-retry route rport
    script-security secret server server-bridge status tls-auth tls-cipher tls-ciphersuites tls-client tls-crypt
    tls-crypt-v2 tls-groups tls-server tls-version-min topology tun-mtu user verb verify-client-cert
    verify-x509-name
    """
)
"""Options by which such a file is known. Source: openvpn(8) of 2.4 to 2.6."""

_PATH = re.compile(r"/[\w./-]{1,400}")
_OPENING = re.compile(r"<([A-Za-z0-9-]{1,40})>")


def read(text: str) -> ConfigReading:
    """Read a file. Source: openvpn(8); options.c of OpenVPN 2.6 for words, comments and blocks."""
    page = ConfigPage(text)
    inline_private = {line for line, _ in page.private_blocks}
    block, first, content = "", 0, list[str]()
    blocks: list[range] = []
    for number, raw in enumerate(page.lines, start=1):
        line = raw.strip()
        if block:
            if line.startswith(f"</{block}>"):
                blocks.append(_close(page, block, first, number, content))
                block = ""
            elif len(content) < 5000:
                content.append(line)
            continue
        opening = _OPENING.fullmatch(line)
        if opening and opening[1] != "connection":
            block, first, content = opening[1], number, []
        elif opening or line == "</connection>":
            page.speak(number)
        else:
            _option(page, number, raw)
    if block:
        blocks.append(_close(page, block, first, len(page.lines), content))
        page.note(BLOCK_NOT_CLOSED(block=block, line=first))
    inside = inline_private & {line for lines in blocks for line in lines}
    page.private_blocks = [(line, label) for line, label in page.private_blocks if line not in inside]
    return page.reading()


def _close(page: ConfigPage, name: str, first: int, last: int, content: list[str]) -> range:
    """Add an inline block as one setting."""
    if name in PUBLIC_BLOCKS:
        page.add_plain(first, name, ", ".join(filter(None, (_about(name, "\n".join(content)), "inline"))))
    else:
        page.add(first, name, MASK)
        for number in range(first + 1, last):
            page.mask(number)
        if not page.lines[last - 1].strip().startswith("</"):
            page.mask(last)
    return range(first, last + 1)


def _about(block: str, content: str) -> str:
    """Return the facts of an inline block: the size of a group, the keys and signatures of certificates."""
    if block == "dh":
        bits = key_size_of_pem(content)
        return f"{bits} bits" if bits else ""
    if block not in CERTIFICATE_BLOCKS:
        return ""
    from vpn_adapters.shared.config_parsing.certificates import describe_certificates

    return "; ".join(describe_certificates(content))


def _option(page: ConfigPage, number: int, line: str) -> None:
    words = words_of(line, "#;")
    if not words:
        return
    name = words[0][1].removeprefix("--")
    if name == "setenv" and len(words) > 2 and words[1][1] == "opt":
        # An option that older versions pass over. Source: openvpn(8), --setenv opt.
        words = words[2:]
        name = words[0][1]
    if not is_name(name):
        page.mask(number)
        return
    if _holds_secret(name, words):
        page.add_secret(number, name, words[1][0])
        return
    if name == "plugin":
        _plugin(page, number, words)
        return
    if name == "config" and len(words) > 1:
        page.note(INCLUDED_NOT_READ(file=words[1][1]))
    page.add(number, name, " ".join(word for _, word in words[1:]))
    if name == "push" and len(words) > 1:
        _pushed(page, number, words[1][1])


def _pushed(page: ConfigPage, number: int, option: str) -> None:
    """Add the option that a server gives to its clients."""
    words = words_of(option)
    if words and is_name(words[0][1]):
        page.add(number, f"push.{words[0][1]}", " ".join(word for _, word in words[1:]))


def _holds_secret(name: str, words: list[tuple[int, str]]) -> bool:
    if len(words) < 2:
        return False
    value = words[1][1]
    return name in SECRET_OPTIONS or _is_secret_variable(name, value) or (name == "push" and _pushes_secret(value))


def _pushes_secret(option: str) -> bool:
    words = [word for _, word in words_of(option)]
    return len(words) > 1 and (words[0] in SECRET_OPTIONS or _is_secret_variable(words[0], words[1]))


def _plugin(page: ConfigPage, number: int, words: list[tuple[int, str]]) -> None:
    """Add a plugin; its arguments are its own affair and may hold a password: only paths are shown."""
    secret = next(((column, word) for column, word in words[2:] if _PATH.fullmatch(word) is None), None)
    shown = [word for column, word in words[1:] if secret is None or column < secret[0]]
    if secret is not None:
        page.mask(number, secret[0])
        shown.append(MASK)
    page.add(number, "plugin", " ".join(shown))


def _is_secret_variable(name: str, variable: str) -> bool:
    return name in {"setenv", "setenv-safe"} and re.search(r"(?i)pass|secret|token|psk|key", variable) is not None
