from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Carrier
from vpn_adapters.openvpn.algorithms import Mode, alias_of, block_bytes, canonical_digest, digest_bytes, mode
from vpn_adapters.openvpn.overhead import Overhead


@pytest.mark.parametrize(("carrier", "overhead"), [(Carrier.UDP, 66), (Carrier.TCP, 92)])
@pytest.mark.parametrize("cipher", ["AES-256-GCM", "CHACHA20-POLY1305", "SM4-GCM"])
def test_aead_as_measured_on_debian_13(carrier: Carrier, overhead: int, cipher: str) -> None:
    cost = Overhead(carrier, cipher, "SHA256")
    assert {cost.bytes_at(size) for size in FRAME_BYTES} == {overhead}
    assert cost.by_frame() == {}


@pytest.mark.parametrize(
    ("cipher", "digest", "frame_bytes", "outer_bytes"),
    [
        # Ethernet 14 + IPv4 20 + UDP 8 + peer id 4, then by hand from crypto.c's openvpn_encrypt_v1.
        ("AES-128-CBC", "SHA1", 60, 46 + 20 + 16 + 80),  # 4 + 60 fills its blocks, hence a whole one of padding
        ("AES-128-CBC", "SHA1", 59, 46 + 20 + 16 + 64),
        ("AES-128-CBC", "SHA512", 1000, 46 + 64 + 16 + 1008),
        ("BF-CBC", "SHA1", 1000, 46 + 20 + 8 + 1008),
        ("AES-128-CBC", "none", 128, 46 + 16 + 144),
        ("AES-256-CFB8", "SHA1", 1000, 46 + 20 + 16 + 1000),
        ("DES-OFB", "MD5", 60, 46 + 16 + 8 + 60),
        ("none", "SHA1", 1000, 46 + 20 + 4 + 1000),
    ],
)
def test_other_modes_by_hand(cipher: str, digest: str, frame_bytes: int, outer_bytes: int) -> None:
    assert Overhead(Carrier.UDP, cipher, digest).bytes_at(frame_bytes) == outer_bytes - frame_bytes


def test_only_cbc_varies_by_frame_size() -> None:
    assert set(Overhead(Carrier.UDP, "AES-128-CBC", "SHA1").by_frame()) == set(FRAME_BYTES)
    for cipher in ("AES-128-CFB", "none", "AES-128-GCM", "BF-OFB"):
        assert Overhead(Carrier.UDP, cipher, "SHA1").by_frame() == {}


def test_largest_unfragmented_frame() -> None:
    assert Overhead(Carrier.UDP, "AES-256-GCM", "SHA256").largest_unfragmented_frame_bytes(1500) == 1448
    assert Overhead(Carrier.TCP, "AES-256-GCM", "SHA256").largest_unfragmented_frame_bytes(1500) is None


@given(
    cipher=st.sampled_from(["AES-128-CBC", "DES-CBC", "CAMELLIA-256-CFB1", "none", "AES-256-GCM"]),
    digest=st.sampled_from(["SHA1", "SHA512", "none"]),
    mtu_bytes=st.integers(600, 9000),
)
def test_largest_unfragmented_frame_fits_and_one_byte_more_does_not(cipher: str, digest: str, mtu_bytes: int) -> None:
    cost = Overhead(Carrier.UDP, cipher, digest)
    largest = cost.largest_unfragmented_frame_bytes(mtu_bytes)
    assert largest is not None
    overheads = [cost.bytes_at(size) for size in (largest, largest + 1)]
    assert [largest + index + (over or 0) <= mtu_bytes + 14 for index, over in enumerate(overheads)] == [True, False]


@pytest.mark.parametrize(("cipher", "digest"), [("KUZNYECHIK-MGM", "SHA1"), ("AES-128-CBC", "STREEBOG"), ("X-CBC", "")])
def test_unknown_algorithms_have_no_arithmetic(cipher: str, digest: str) -> None:
    cost = Overhead(Carrier.UDP, cipher, digest)
    assert cost.bytes_at(1000) is None
    assert cost.by_frame() == {}
    assert cost.largest_unfragmented_frame_bytes(1500) is None


@pytest.mark.parametrize(
    ("cipher", "expected"),
    [
        ("AES-128-CBC", Mode.CBC),
        ("camellia-256-cfb1", Mode.STREAM),
        ("ChaCha20-Poly1305", Mode.AEAD),
        ("none", Mode.NONE),
        ("AES-256-XTS", None),
    ],
)
def test_mode_is_reported_by_the_name(cipher: str, expected: Mode | None) -> None:
    assert mode(cipher) is expected


def test_names_are_found_in_any_case_and_by_alias() -> None:
    assert digest_bytes("whirlpool") == digest_bytes("WHIRLPOOL") == 64
    assert digest_bytes("RSA-SHA512/224") == 28
    assert canonical_digest("rsa-sha1-2") == alias_of("RSA-SHA1-2") == "SHA1"
    assert canonical_digest("SHA256") == "SHA256"
    assert alias_of("SHA256") == ""
    assert block_bytes("DES-EDE3-CBC") == 8
    assert block_bytes("SEED-CBC") == 16
