"""Takes settings apart into the names of algorithms, as each program writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_NAMES = 256
"""So many names of one setting are judged; the longest list any program prints has about a hundred."""

_PSEUDO_RANDOM = re.compile(r"prf(?=[a-z0-9])")
_ADDITIONAL_KEY_EXCHANGE = re.compile(r"ke[1-7]_")
_LIBRESWAN_CIPHER = re.compile(
    r"aes(?:[-_](?P<mode>cbc|ctr|gcm|ccm)(?:_?(?P<tag>[abc]|16|12|8))?)?(?:[-_]?(?P<bits>128|192|256))?"
)
_GROUPS = {
    0: "none", 1: "modp768", 2: "modp1024", 5: "modp1536", 14: "modp2048", 15: "modp3072", 16: "modp4096",
    17: "modp6144", 18: "modp8192", 19: "ecp256", 20: "ecp384", 21: "ecp521", 22: "modp1024s160",
    23: "modp2048s224", 24: "modp2048s256", 25: "ecp192", 26: "ecp224", 27: "ecp224bp", 28: "ecp256bp",
    29: "ecp384bp", 30: "ecp512bp", 31: "x25519", 32: "x448",
}  # fmt: skip
"""Groups by their number. Source: IANA, Internet Key Exchange Version 2 Parameters, transform type 4."""

_NO_ALGORITHM = frozenset({"default", "esn", "noesn"})
_NO_GROUP = frozenset({"none", "modpnone"})


def split_names(style: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the algorithms that a setting names.

    Args:
        style: How it names them, one of `app.policy.lint.rules.STYLES`.

    Yields:
        (name as written, name as the policy knows it); names that are taken out of a default list, patterns and words
        that mean `what is usual` are left out.
    """
    splitters = {
        "word": _words,
        "digest": _digest,
        "colon": _colon,
        "comma": _comma,
        "ssh": _ssh,
        "proposals": _proposals,
        "ipsec-proposals": _ipsec_proposals,
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
    """Yield the parts of proposals. Source: swanctl.conf(5): `aes256-sha256-modp2048`, where `null` is a cipher."""
    for proposal in value.split(","):
        for part in proposal.strip().rstrip("!").split("-"):
            name = _ADDITIONAL_KEY_EXCHANGE.sub("", _PSEUDO_RANDOM.sub("", part.strip().lower()))
            if name and name not in _NO_ALGORITHM | _NO_GROUP:
                yield part.strip(), "null-encryption" if name == "null" else name


def _ipsec_proposals(value: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of proposals in ipsec.conf, which strongSwan and Libreswan write differently.

    Source: ipsec.conf(5) of strongSwan; ipsec.conf(5) of Libreswan 4, `ike` and `esp`:
    `aes_gcm256+aes_gcm128-sha2_512;dh20`, fields in the order cipher, integrity or PRF, group.
    """
    for proposal in value.split(","):
        is_sealed = False
        for field, written in enumerate(re.split(r"[-;]", proposal.strip().rstrip("!"))):
            for part in written.split("+"):
                name = _libreswan(_ADDITIONAL_KEY_EXCHANGE.sub("", _PSEUDO_RANDOM.sub("", part.strip().lower())))
                is_sealed = is_sealed or re.search(r"gcm|ccm|gmac|poly1305", name) is not None
                if name in ("null", "none"):
                    name = "" if is_sealed or field > 1 else ("null-encryption", "null-authentication")[field]
                if name and name not in _NO_ALGORITHM | _NO_GROUP:
                    yield part.strip(), name


def _libreswan(name: str) -> str:
    """Return Libreswan's name for an algorithm as the policy knows it. Source: ipsec algparse of Libreswan 4."""
    if (group := re.fullmatch(r"dh-?(\d{1,2})", name)) is not None:
        return _GROUPS.get(int(group[1]), name)
    if (cipher := _LIBRESWAN_CIPHER.fullmatch(name)) is not None:
        tag = {"a": "8", "8": "8", "b": "12", "12": "12"}.get(cipher["tag"] or "", "")
        return f"aes-{cipher['bits'] or 128}-{cipher['mode'] or 'cbc'}{tag}"
    if name.startswith("null_auth_aes_gmac"):
        return f"aes-{name[18:].strip('_') or 128}-gmac"
    return {"sha2": "sha2-256", "sha": "sha1", "sha2_256_truncbug": "sha2-256"}.get(name, name)


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
