from __future__ import annotations

import pytest

from app.ranking import STUDY_2011, published_2011


def test_ratios_follow_from_the_printed_table() -> None:
    found = {(one.solution, one.cipher): one for one in published_2011()}
    assert len(found) == 6
    aes = found["OpenVPN", "AES"]
    assert aes.latency_vs_baseline == pytest.approx((0.092 + 0.093) / (0.014 + 0.018))
    assert aes.throughput_vs_baseline == pytest.approx((98 + 99) / (553 + 440))


def test_the_fastest_of_2011_is_up_first_and_the_study_is_named() -> None:
    assert (published_2011()[0].solution, published_2011()[0].cipher) == ("IPsec", "AES")
    assert "Kotuliak" in STUDY_2011
