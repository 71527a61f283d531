"""Takes settings apart into the names of algorithms, as each program writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_NAMES = 256
"""So many names of one setting are looked at; the longest list any program prints has about a hundred."""

_PSEUDO_RANDOM = re.compile(r"prf(?=[a-z0-9])")
_ADDITIONAL_KEY_EXCHANGE = re.compile(r"ke[1-7]_")
_NO_ALGORITHM = frozenset({"default", "esn", "noesn"})


def split_names(style: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the algorithms that a setting names.

    Args:
        style: How it names them, one of `app.policy.lint.rules.STYLES`.
        value: The setting's value.

    Yields:
        (name as written, name as the policy knows it); names that are taken out of a default list, patterns and words
        that stand for `what is usual` are left out.
    """
    splitters = {
        "word": _words,
        "colon": _colon,
        "comma": _comma,
        "ssh": _ssh,
        "proposals": _proposals,
        "tls": _tls,
        "tls13": _tls13,
    }
    for count, pair in enumerate(splitters[style](value)):
        if count == MAX_NAMES:
            return
        yield pair


def _words(value: str) -> Iterator[tuple[str, str]]:
    """Yield the first word. Source: tinc.conf(5), openvpn(8) for `auth`."""
    for word in value.split()[:1]:
        yield word, word


def _colon(value: str) -> Iterator[tuple[str, str]]:
    """Yield names between colons. Source: openvpn(8), `--data-ciphers`: a `?` marks what may be unknown."""
    for name in value.replace(" ", "").split(":"):
        bare = name.lstrip("?")
        if bare and bare.lower() not in _NO_ALGORITHM:
            yield bare, bare


def _comma(value: str) -> Iterator[tuple[str, str]]:
    for name in value.split(","):
        if name.strip():
            yield name.strip(), name.strip()


def _ssh(value: str) -> Iterator[tuple[str, str]]:
    """Yield names of a list. Source: sshd_config(5): `+` appends, `^` puts first, `-` removes from the default."""
    text = value.strip()
    if text.startswith("-"):
        return
    for name in text.lstrip("+^").split(","):
        if name.strip() and "*" not in name and not name.strip().startswith("!"):
            yield name.strip(), name.strip()


def _proposals(value: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of proposals. Source: swanctl.conf(5), ipsec.conf(5): `aes256-sha256-modp2048!`."""
    for proposal in value.split(","):
        for part in proposal.strip().rstrip("!").split("-"):
            name = _ADDITIONAL_KEY_EXCHANGE.sub("", _PSEUDO_RANDOM.sub("", part.strip().lower()))
            if name and name not in _NO_ALGORITHM:
                yield part.strip(), name


def _tls13(value: str) -> Iterator[tuple[str, str]]:
    """Yield the ciphers of TLS 1.3's suites. Source: RFC 8446 appendix B.4."""
    for suite in value.replace(" ", "").split(":"):
        body = re.sub(r"^TLS[_-]", "", suite.upper())
        if body:
            yield suite, re.sub(r"[_-]SHA(?:256|384)$", "", body).replace("_", "-")


def _tls(value: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of suites up to TLS 1.2. Source: ciphers(1) of OpenSSL 3, RFC 5246 appendix A.5.

    What is excluded by `!` or `-` is left out. A keyword such as `HIGH` or `RC4` is one part: `tls-keyword-high`.
    """
    for item in re.split(r"[:,\s]+", value):
        if not item or item[0] in "!-":
            continue
        for part in item.lstrip("+").split("+"):
            if part:
                for name in _suite_parts(part):
                    yield item, name


_KEY_EXCHANGE = re.compile(r"^(ECDHE|DHE|EDH|ECDH|DH|ADH|AECDH|RSA|PSK|SRP|KRB5|EXP|NULL)(?=-)")
_AUTHENTICATION = re.compile(r"^(RSA|DSS|ECDSA|ANON|PSK|NULL|DES(?=-CBC))(?=-)")


def _suite_parts(suite: str) -> list[str]:
    """Return key exchange, cipher and MAC of a suite in OpenSSL's or IANA's spelling; a keyword is one part."""
    name = suite.upper().replace("_", "-")
    if name.startswith("@"):
        return [f"tls-keyword-{name[1:].lower()}"] if name == "@SECLEVEL=0" else []
    if "-" not in name:
        return [f"tls-keyword-{name.lower()}"]
    exchange, body = _exchange(re.sub(r"^(?:TLS|SSL)-", "", name).replace("-WITH-", "-"))
    parts = [exchange] if exchange else []
    mac = ""
    found = re.search(r"-(SHA(?:256|384|512)?|MD5)$", body)
    if found is not None:
        mac, body = found[1], body[: found.start()]
    parts.append(_cipher(body))
    if mac and not re.search(r"GCM|CCM|POLY1305", body):
        parts.append({"SHA": "SHA1"}.get(mac, mac))
    return parts


def _exchange(name: str) -> tuple[str, str]:
    """Return what the key exchange is called in the linter's names, and the rest."""
    found = _KEY_EXCHANGE.match(name)
    if found is None:
        return "tls-rsa-key-exchange", name
    word, rest = found[1], name[found.end() + 1 :]
    second = _AUTHENTICATION.match(rest)
    if second is not None and word not in ("RSA", "NULL") and second[1] != "DES":
        rest = rest[second.end() + 1 :]
        if second[1] in ("ANON", "NULL"):
            return "tls-keyword-anull", rest
    named = {
        "ECDHE": "",
        "DHE": "",
        "EDH": "",
        "SRP": "",
        "ADH": "tls-keyword-anull",
        "AECDH": "tls-keyword-anull",
        "EXP": "tls-keyword-exp",
        "PSK": "tls-psk-key-exchange",
    }
    if word == "NULL":
        return "tls-rsa-key-exchange", name
    return named.get(word, "tls-rsa-key-exchange"), rest


def _cipher(body: str) -> str:
    """Return a cipher with its mode as the policy knows it; without a mode it is CBC."""
    if body in ("DES-CBC3", "3DES-EDE-CBC"):
        return "3DES-CBC"
    body = re.sub(r"^(AES|CAMELLIA|ARIA)-?(128|192|256)$", r"\1-\2-CBC", body)
    body = re.sub(r"^(AES|CAMELLIA|ARIA)(128|192|256)-", r"\1-\2-", body)
    if body.startswith("RC4"):
        return "RC4"
    return body or "NULL"
