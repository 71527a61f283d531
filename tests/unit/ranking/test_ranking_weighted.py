from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from app.ranking import weighted_latency_ms


def test_sizes_and_weights_are_those_of_the_study() -> None:
    path = Path(__file__).parents[2] / "support" / "published" / "weighted_latency.toml"
    published = tomllib.loads(path.read_text(encoding="utf-8"))
    assert list(FRAME_BYTES) == published["frame_bytes"]
    assert list(FRAME_WEIGHTS) == published["weight"]
    assert sum(FRAME_WEIGHTS) == pytest.approx(1.0)


def test_equals_hand_arithmetic() -> None:
    means = {60: 1.0, 128: 2.0, 256: 3.0, 512: 4.0, 1024: 5.0, 1400: 6.0, 1514: 7.0}
    # 0.35·1 + 0.30·2 + 0.10·3 + 0.10·4 + 0.05·5 + 0.05·6 + 0.05·7 = 0.35 + 0.60 + 0.30 + 0.40 + 0.25 + 0.30 + 0.35
    assert weighted_latency_ms(means) == pytest.approx(2.55, abs=1e-12)


def test_small_frames_weigh_most() -> None:
    flat = dict.fromkeys(FRAME_BYTES, 1.0)
    assert weighted_latency_ms(flat | {60: 2.0}) == pytest.approx(1.35)
    assert weighted_latency_ms(flat | {1514: 2.0}) == pytest.approx(1.05)


@pytest.mark.parametrize("missing", FRAME_BYTES)
def test_is_unknown_without_one_size(missing: int) -> None:
    means = {size: 1.0 for size in FRAME_BYTES if size != missing}
    assert weighted_latency_ms(means) is None
    assert weighted_latency_ms(means | {missing: float("nan")}) is None


def test_ignores_sizes_that_the_study_does_not_have() -> None:
    assert weighted_latency_ms(dict.fromkeys(FRAME_BYTES, 1.0) | {9000: 50.0}) == pytest.approx(1.0)
