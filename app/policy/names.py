"""From a name, as any program writes it, to the policy's rows."""

from __future__ import annotations

import re
from functools import lru_cache

from app.policy.data import PolicyRow, normalise, tables

_LONGEST_NAME = 200
"""Longer names are unknown without a search: a configuration file may hold anything."""

_SIZED = re.compile(r"([a-z]+)-?(\d{3,5})")

_GROUP = re.compile(r"diffie-hellman-group(\d{1,2})-sha\d{1,3}")
_GROUP_BITS = {1: 1024, 2: 1024, 5: 1536, 14: 2048, 15: 3072, 16: 4096, 17: 6144, 18: 8192}
"""SSH's groups by number; its first one is Oakley's second. Source: RFC 4253 section 8.1, RFC 3526, RFC 8268."""

_AGREED = re.compile(r"(3des|[a-z]+\d*?)-((?:cbc|ctr|gcm|ccm|gmac|cfb|ofb|ecb)(?:-\d{1,2})?)-(\d{2,3})")
"""Negotiated algorithms of charon: `AES_GCM_16-256`, `CAMELLIA_CBC-128`. Source: swanctl --list-sas, 5.9 and 6.0."""

_CIPHERS_OF_ONE_SIZE = frozenset({"3des", "des", "cast", "rc5", "idea", "seed", "blowfish"})

_KEY_EXCHANGES = {
    "ecdhe-ecdsa": "tls-ecdhe",
    "ecdhe-rsa": "tls-ecdhe",
    "ecdhe-psk": "tls-ecdhe",
    "dhe-rsa": "tls-dhe",
    "dhe-dss": "tls-dhe",
    "dhe-psk": "tls-dhe",
    "edh-rsa": "tls-dhe",
    "edh-dss": "tls-dhe",
    "rsa-psk": "tls-rsa-kx",
    "psk-dhe": "tls-dhe",
    "srp-sha-rsa": "psk",
    "srp-sha-dss": "psk",
    "srp-rsa": "psk",
    "srp-dss": "psk",
    "srp-sha": "psk",
    "srp": "psk",
    "ecdh-ecdsa": "tls-ecdh",
    "ecdh-rsa": "tls-ecdh",
    "dh-rsa": "tls-ecdh",
    "dh-dss": "tls-ecdh",
    "ecdh-anon": "tls-anon",
    "dh-anon": "tls-anon",
    "aecdh": "tls-anon",
    "adh": "tls-anon",
    "psk": "psk-without-pfs",
    "rsa": "tls-rsa-kx",
    "ecdhe": "tls-ecdhe",
    "dhe": "tls-dhe",
}
_TLS_SUITE = re.compile(
    rf"(?:tls-|ssl-)?(?P<export>exp-)?(?P<exchange>{'|'.join(_KEY_EXCHANGES)})-(?P<is_export>export-)?(?:with-)?"
    r"(?P<cipher>.+?)(?:-(?P<mac>sha\d*|md5))?"
)
_TLS_13_SUITE = re.compile(r"tls-(?P<cipher>aes-\d+-(?:gcm|ccm|ccm-8)|chacha20-poly1305)-sha(?:256|384)")
"""Names of cipher suites. Source: the TLS parameters at IANA, and openssl-ciphers(1) for OpenSSL's own spelling."""


@lru_cache(maxsize=4096)
def find_rows(name: str) -> tuple[PolicyRow, ...]:
    """Return the rows that a name stands for.

    Args:
        name: As any program writes it: `AES-256-CFB8`, `aes256gcm16`, `hmac-sha2-256-etm@openssh.com`, `RSA-1024`,
            `ecdhe_rsa_aes256_gcm_sha384`.

    Returns:
        One row, or one per part: cipher and mode, or key exchange, cipher and MAC of a TLS suite. Empty where the
        policy does not know the name.
    """
    if len(name) > _LONGEST_NAME:
        return ()
    whole = normalise(name)
    bare = whole.partition("@")[0]
    for tried in dict.fromkeys((whole, bare)):
        rows = _one(tried) or _sized(tried) or _agreed(tried) or _tls_suite(tried)
        if rows:
            return rows
    if bare.startswith("hmac-"):
        return _mac(bare.removeprefix("hmac-"))
    if bare.startswith("exp-"):
        return _tls_suite(f"exp-rsa-{bare.removeprefix('exp-')}")
    # OpenSSL leaves RSA out: AES128-SHA. An IPsec proposal (aes128-sha256) is the same but for the case.
    return _tls_suite(f"rsa-{bare}") if name.isupper() else ()


def size_in_name(name: str) -> int | None:
    """Return the size in bits that the name of a group or a key tells; None where it tells none.

    Args:
        name: As any program writes it: `modp1536`, `RSA-4096`, `dh512`, `diffie-hellman-group5-sha1`.
    """
    bare = normalise(name[:_LONGEST_NAME]).partition("@")[0]
    match = _SIZED.fullmatch(bare)
    if match is not None and (match[1] == "ffdhe" or match[1] in tables().sizes):
        return int(match[2])
    match = _GROUP.fullmatch(bare)
    return _GROUP_BITS.get(int(match[1])) if match is not None else None


def _mac(digest: str) -> tuple[PolicyRow, ...]:
    """Return the row of HMAC with a digest, which some write with a hyphen: `sha-1-96`."""
    found = _one(digest) or _one(re.sub(r"^sha-(?=\d)", "sha", digest))
    return found if all(row.kind == "mac" for row in found) else ()


def _one(name: str) -> tuple[PolicyRow, ...]:
    found = tables()
    name = found.aliases.get(name, name)
    if name in found.algorithms:
        return (found.algorithms[name],)
    if name in found.ciphers:
        return (found.ciphers[name],)
    for mode_name, mode in found.modes.items():
        if name.endswith(mode_name):
            cipher = found.ciphers.get(name.removesuffix(mode_name).removesuffix("-"))
            if cipher is not None:
                return (cipher, mode)
    return ()


def _sized(name: str) -> tuple[PolicyRow, ...]:
    match = _SIZED.fullmatch(name)
    rows = tables().sizes.get(match[1], ()) if match else ()
    return tuple(row for bits, row in rows if match and int(match[2]) >= bits)[:1]


def _agreed(name: str) -> tuple[PolicyRow, ...]:
    match = _AGREED.fullmatch(name)
    if match is None:
        return ()
    cipher, mode, bits = match[1], match[2].replace("-", ""), match[3]
    return _one(f"{cipher}-{mode}" if cipher in _CIPHERS_OF_ONE_SIZE else f"{cipher}-{bits}-{mode}")


def _tls_suite(name: str) -> tuple[PolicyRow, ...]:
    match = _TLS_13_SUITE.fullmatch(name)
    if match is not None:
        return _tls_cipher(match["cipher"])
    match = _TLS_SUITE.fullmatch(name)
    cipher = _tls_cipher(match["cipher"]) if match else ()
    if match is None or not cipher:
        return ()
    exchange = "tls-export" if match["export"] or match["is_export"] else _KEY_EXCHANGES[match["exchange"]]
    is_aead = any(row.kind == "mode" and row.names[0] in ("gcm", "ccm", "poly1305", "gcm8") for row in cipher)
    mac = () if is_aead else _one(match["mac"] or "sha256")
    return (*_one(exchange), *cipher, *mac)


def _tls_cipher(name: str) -> tuple[PolicyRow, ...]:
    if name == "null":
        return _one("null-encryption")
    return _one(name) or _one(name.replace("ccm-8", "ccm8").replace("rc4-40", "rc4"))
