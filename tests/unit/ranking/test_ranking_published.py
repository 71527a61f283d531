from __future__ import annotations

import pytest

from app.ranking import STUDY_2011, published_2011


def test_ratios_follow_from_the_printed_table() -> None:
    found = published_2011()
    assert len(found) == 6
    response, rate = found["OpenVPN", "AES"]
    assert response == pytest.approx((0.092 + 0.093) / (0.014 + 0.018))
    assert rate == pytest.approx((98 + 99) / (553 + 440))


def test_the_fastest_of_2011_is_up_first_and_the_study_is_named() -> None:
    assert next(iter(published_2011())) == ("IPsec", "AES")
    assert "Kotuliak" in STUDY_2011
