"""Cryptographic choices that two hosts' OpenSSHs have in common."""

from __future__ import annotations

from app.domain.hosts import HostFacts
from app.domain.solutions import Suite
from vpn_adapters.shared.discovering import are_both_able, best_first, fastest_first, supports_of
from vpn_adapters.shared.openssh.algorithms import is_aead
from vpn_adapters.shared.openssh.discovery import KEX_PREFIX, PREFERRED_KEX

CHACHA20 = "chacha20-poly1305@openssh.com"
AES_256 = "aes256-gcm@openssh.com"
AES_128 = "aes128-gcm@openssh.com"
UNUSED_MAC = "hmac-sha2-256-etm@openssh.com"
"""MAC that is named beside an AEAD, which does not use it."""

_TITLES = {CHACHA20: "ChaCha20-Poly1305", AES_256: "AES-256-GCM", AES_128: "AES-128-GCM"}


def common_kex(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> str:
    """Return the best key exchange that both hosts list; empty where there is none."""
    both = supports_of(solution, facts_a, facts_b)
    wanted = (name for name in PREFERRED_KEX if all(f"{KEX_PREFIX}{name}" in one.features for one in both))
    return next(wanted, "")


def offered(solution: str, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
    """Return what both hosts can do, best first.

    AES-256-GCM is best where both CPUs have AES instructions, ChaCha20-Poly1305 where one has not: software AES is
    several times slower and leaks through caches. OpenSSH's own order puts ChaCha20-Poly1305 first, which also hides
    the length of packets; that counts little here, where every packet holds one frame.
    """
    if not are_both_able(solution, facts_a, facts_b):
        return ()
    kex = common_kex(solution, facts_a, facts_b)
    if not kex:
        return ()
    order = (*fastest_first(facts_a, facts_b, AES_256, CHACHA20), AES_128)
    both = supports_of(solution, facts_a, facts_b)
    common = [cipher for cipher in order if all(cipher in one.ciphers for one in both)]
    return best_first(chosen(kex, name=_TITLES[cipher].lower(), cipher=cipher, mac=UNUSED_MAC) for cipher in common)


def chosen(kex: str, *, name: str, cipher: str, mac: str) -> Suite:
    """Return a suite."""
    title = _TITLES.get(cipher, cipher)
    protection = (title,) if is_aead(cipher) else (title, mac)
    return Suite(
        name=name,
        title=f"{', '.join(protection)}, {kex}, Ed25519 keys",
        algorithms=(*((cipher,) if is_aead(cipher) else (cipher, mac)), kex, "ssh-ed25519"),
        settings={"cipher": cipher, "mac": mac, "kex": kex},
    )
