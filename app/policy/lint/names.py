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
        "digest": _digest,
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


def _digest(value: str) -> Iterator[tuple[str, str]]:
    """Yield the digest; none at all is no authentication."""
    for written, name in _words(value):
        yield written, "null-authentication" if name.lower() in ("none", "null") else name


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
    """Yield TLS 1.3's suites. Source: RFC 8446 appendix B.4."""
    for suite in re.split(r"[:,\s]+", value):
        if suite:
            yield suite, suite.upper()


def _tls(value: str) -> Iterator[tuple[str, str]]:
    """Yield suites up to TLS 1.2 and OpenSSL's keywords. Source: ciphers(1) of OpenSSL 3, RFC 5246 appendix A.5.

    What is excluded by `!` or `-` is left out. A keyword such as `HIGH` or `RC4` is called `tls-keyword-high`.
    """
    for item in re.split(r"[:,\s]+", value):
        if not item or item[0] in "!-":
            continue
        if item.startswith("@"):
            if item.upper() == "@SECLEVEL=0":
                yield item, "tls-keyword-seclevel=0"
            continue
        for part in item.lstrip("+").split("+"):
            if part:
                yield item, part.upper() if re.search(r"[-_]", part) else f"tls-keyword-{part.lower()}"
