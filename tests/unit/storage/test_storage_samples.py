"""Round-trip times to bytes and back."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from app.domain.errors import StorageFault
from app.domain.results import LOST_RTT_US
from app.storage.samples import pack_samples, unpack_samples

_RNG = np.random.default_rng(20)


def _series(mean_us: float, spread_us: float, count: int, *, lost: float = 0.0) -> npt.NDArray[np.uint32]:
    """Return made-up times with a tail to the right, as ping prints them; some of them lost."""
    rtt_us = (mean_us + spread_us * _RNG.gamma(2.0, 1.0, count)).astype(np.uint32)
    rtt_us[_RNG.random(count) < lost] = LOST_RTT_US
    return rtt_us


@given(arrays.arrays(np.uint32, st.integers(0, 400)))
def test_every_sample_comes_back_exactly(rtt_us: npt.NDArray[np.uint32]) -> None:
    back = unpack_samples(pack_samples(rtt_us), len(rtt_us))
    assert back.dtype == np.uint32
    assert back.tolist() == rtt_us.tolist()


def test_what_comes_back_cannot_be_changed() -> None:
    back = unpack_samples(pack_samples(np.array([1, 2], dtype=np.uint32)), 2)
    with pytest.raises(ValueError, match="read-only"):
        back[0] = 5


@pytest.mark.parametrize("byte_order", ["<u4", ">u4"])
def test_the_order_of_bytes_in_memory_does_not_matter(byte_order: str) -> None:
    rtt_us = np.array([1, 0x01020304, LOST_RTT_US], dtype=byte_order)
    assert pack_samples(rtt_us) == pack_samples(rtt_us.astype(np.uint32))


def test_a_part_of_a_larger_array_is_packed_as_it_is_seen() -> None:
    rtt_us = np.arange(20, dtype=np.uint32)[::2]
    assert unpack_samples(pack_samples(rtt_us), 10).tolist() == list(range(0, 20, 2))


@pytest.mark.parametrize(
    ("name", "rtt_us"),
    [
        ("bare link", _series(420, 60, 1400)),
        ("software emulation", _series(1200, 450, 1400)),
        ("geostationary satellite", _series(502_000, 900, 1400)),
        ("low orbit", _series(24_000, 9_000, 1400)),
        ("one in twenty lost", _series(1200, 450, 1400, lost=0.05)),
        ("paper profile", _series(1200, 450, 70_000, lost=0.001)),
    ],
)
def test_realistic_times_take_at_most_two_and_a_half_bytes_each(name: str, rtt_us: npt.NDArray[np.uint32]) -> None:
    size = len(pack_samples(rtt_us)) / len(rtt_us)
    print(f"{name}: {size:.2f} bytes per sample")
    assert size <= 2.5


@pytest.mark.parametrize("count", [1, 3, 5, 2**20])
def test_another_number_than_was_announced_is_damage(count: int) -> None:
    with pytest.raises(StorageFault):
        unpack_samples(pack_samples(np.arange(4, dtype=np.uint32)), count)


@given(st.binary(max_size=200), st.integers(0, 64))
def test_damaged_bytes_are_reported(packed: bytes, count: int) -> None:
    try:
        back = unpack_samples(packed, count)
    except StorageFault:
        return
    assert zlib.decompress(packed) == back.view(np.uint8).reshape(-1, 4).T.tobytes()


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zlib.compress(bytes(64 * 2**20))
    with pytest.raises(StorageFault):
        unpack_samples(bomb, 4)
