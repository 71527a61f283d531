from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.verdicts import Verdict
from app.policy import UNKNOWN_REASON, describe, findings, judge
from app.policy.names import find_rows
from support.algorithm_names import lists, names, openvpn_names


@pytest.mark.parametrize("which", lists())
def test_no_name_that_a_program_lists_is_unknown(which: str) -> None:
    assert [name for name in names(which) if judge(name).reason == UNKNOWN_REASON] == []


def test_no_name_that_openvpn_prints_is_unknown() -> None:
    assert [name for name in openvpn_names() if judge(name).reason == UNKNOWN_REASON] == []


def test_recordings_are_as_long_as_they_were() -> None:
    assert len(openvpn_names()) == 131
    assert {which: len(names(which)) for which in lists()} == {
        "openssh-8.4-10.0-ciphers-macs": 28,
        "openssh-kex-keys": 37,
        "openssl-3.0": 312,
        "openvpn": 131,
        "others": 62,
        "strongswan-agreed": 27,
        "strongswan-esp-keywords": 58,
        "strongswan-ike": 179,
        "tinc": 37,
        "tls-suites": 313,
    }


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("aes256gcm16", ("AES-256", "GCM")),
        ("AES_GCM_16-256", ("AES-256", "GCM")),
        ("AES_CCM_8-128", ("AES-128", "GCM or CCM with a tag of 64 bits")),
        ("3DES_CBC", ("3DES", "CBC")),
        ("BLOWFISH_CBC-256", ("Blowfish", "CBC")),
        ("aes128", ("AES-128", "CBC")),
        ("AES-128", ("AES-128",)),
        ("rijndael-cbc@lysator.liu.se", ("AES-256", "CBC")),
        ("zlib@openssh.com", ("Compression inside a tunnel",)),
        ("SM4-OFB128", ("SM4", "OFB")),
        ("RSA-1536", ("RSA below 2048 bits",)),
        ("rsa4096", ("RSA of 3072 bits or more",)),
        ("dh-2048", ("Diffie-Hellman of 2048 bits",)),
        ("ECDHE-RSA-AES128-SHA", ("Ephemeral Diffie-Hellman in TLS", "AES-128", "CBC", "HMAC-SHA-1")),
        ("TLS_AES_128_CCM_8_SHA256", ("AES-128", "GCM or CCM with a tag of 64 bits")),
        ("TLS_RSA_WITH_NULL_MD5", ("Key exchange with the certificate's own key", "No encryption", "HMAC-MD5")),
        ("DES-CBC3-SHA", ("Key exchange with the certificate's own key", "3DES", "CBC", "HMAC-SHA-1")),
        ("HMAC-SHA-1", ("HMAC-SHA-1",)),
        ("HMAC-SHA-1-96", ("HMAC-SHA-1",)),
        ("hmac_sha_256", ("HMAC-SHA-256",)),
        ("HMAC-SHA-512/256", ("HMAC-SHA-512/256",)),
        ("HMAC-SHA3-384", ("HMAC-SHA3-384",)),
        ("HMAC-SHA-224", ("HMAC-SHA-224",)),
        ("HMAC-MD4", ("HMAC-MD4",)),
        ("HMAC-AES-128-CBC", ()),
        ("HMAC-X25519", ()),
        ("EXP-RC4-MD5", ("Export-grade TLS", "RC4", "HMAC-MD5")),
    ],
)
def test_names_come_apart_into_their_parts(name: str, titles: tuple[str, ...]) -> None:
    found = find_rows(name)
    assert tuple(row.title for row in found) == titles


def test_ipsec_proposal_is_not_taken_for_a_tls_suite() -> None:
    assert find_rows("aes128-sha256") == ()


@pytest.mark.parametrize(
    ("name", "kind", "title", "key_bits", "block_bits"),
    [
        ("CAMELLIA-256-CFB8", "cipher", "Camellia-256 in CFB8", 256, 128),
        ("aes128gcm16", "aead", "AES-128 in GCM", 128, 128),
        ("ChaCha20-Poly1305", "aead", "ChaCha20-Poly1305", 256, 512),
        ("bf-cbc", "cipher", "Blowfish in CBC", 128, 64),
        ("hmac-sha2-256", "mac", "HMAC-SHA-256", 256, None),
        ("modp2048", "key-exchange", "Diffie-Hellman of 2048 bits", 2048, None),
        ("modp1536", "key-exchange", "Diffie-Hellman below 2048 bits", 1536, None),
        ("modp768", "key-exchange", "Diffie-Hellman below 2048 bits", 768, None),
        ("dh512", "key-exchange", "Diffie-Hellman below 2048 bits", 512, None),
        ("MODP_4096", "key-exchange", "Diffie-Hellman of 3072 bits or more", 4096, None),
        ("ffdhe8192", "key-exchange", "Diffie-Hellman of 3072 bits or more", 8192, None),
        ("RSA-1536", "signature", "RSA below 2048 bits", 1536, None),
        ("diffie-hellman-group5-sha1", "key-exchange", "Diffie-Hellman below 2048 bits", 1536, None),
        ("diffie-hellman-group16-sha512", "key-exchange", "Diffie-Hellman of 3072 bits or more", 4096, None),
        ("modp1024s160", "key-exchange", "Diffie-Hellman group 22", 1024, None),
    ],
)
def test_description_has_kind_and_sizes(
    name: str, kind: str, title: str, key_bits: int, block_bits: int | None
) -> None:
    found = describe(name)
    assert found is not None
    assert (found.kind, found.title, found.key_bits, found.block_bits) == (kind, title, key_bits, block_bits)
    assert found.names


def test_unknown_name_has_no_description() -> None:
    assert describe("ROT13") is None


@given(st.text() | st.from_regex(r"[a-z0-9@/_-]{1,30}", fullmatch=True))
def test_any_text_can_be_judged(name: str) -> None:
    assert findings(name)[0].subject == name


def test_very_long_names_cost_no_time() -> None:
    began_s = time.process_time()
    for name in ("aes-" * 250_000, "a" * 1_000_000, "1" * 1_000_000, "tls-rsa-with-" + "a-" * 500_000):
        assert judge(name).reason == UNKNOWN_REASON
    assert time.process_time() - began_s < 3, "quadratic, it took minutes"


def test_hmac_with_sha_1_is_outdated_by_its_own_name() -> None:
    assert judge("HMAC-SHA-1", guidelines=()).verdict is Verdict.LEGACY
