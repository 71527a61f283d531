from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy import stats

from app.domain.results import CampaignRecord
from app.ranking.comparing import compare_records, ratio_of
from app.ranking.rank import rank
from support.sample_records import MODELS, sample_record


def slower(record: CampaignRecord, solution: str, factor: float) -> CampaignRecord:
    """Return a comparison in which one VPN's round-trip times are longer."""
    attempts = tuple(
        replace(
            one,
            latency=tuple(replace(each, rtt_us=(each.rtt_us * factor).astype("u4")) for each in one.latency),
        )
        if one.key.solution == solution
        else one
        for one in record.attempts
    )
    return replace(record, campaign_id=2, attempts=attempts)


def test_what_became_slower_is_found_and_what_did_not_is_not() -> None:
    old = sample_record(models=MODELS[:5], rounds=3, noise=0.005)
    new = slower(old, "wireguard", 1.3)
    found = compare_records((old, rank(old)), (new, rank(new)))
    by_solution = {one.solution: one for one in found.changes}
    wireguard = by_solution["wireguard"]
    assert wireguard.latency is not None
    assert wireguard.latency.value == pytest.approx(1.3, rel=0.01)
    assert wireguard.is_significant
    assert wireguard.beyond_link == pytest.approx(1.3, rel=0.01)
    assert not by_solution["openvpn-udp"].is_significant
    assert found.settings == ()


def test_a_slower_link_is_taken_off() -> None:
    old = sample_record(models=MODELS[:5], rounds=3, noise=0.005)
    new = slower(slower(old, "wireguard", 2.0), "baseline", 2.0)
    found = compare_records((old, rank(old)), (new, rank(new)))
    wireguard = next(one for one in found.changes if one.solution == "wireguard")
    assert wireguard.latency is not None
    assert wireguard.latency.value == pytest.approx(2.0, rel=0.01)
    assert wireguard.beyond_link == pytest.approx(1.0, rel=0.01)


def test_versions_and_conditions_that_changed_are_named() -> None:
    old = sample_record(models=MODELS[:5], rounds=1)
    facts = {**old.facts, "b": replace(old.facts["b"], kernel="6.12.99", cpu_count=4)}
    new = replace(old, campaign_id=2, facts=facts, tunnelmark_version="9.9")
    found = compare_records((old, rank(old)), (new, rank(new)))
    assert {(one.what, one.after) for one in found.settings} == {
        ("B: kernel", "6.12.99"),
        ("B: CPUs", "4"),
        ("Tunnelmark", "9.9"),
    }


def test_one_round_has_a_ratio_without_an_interval() -> None:
    old = sample_record(models=MODELS[:5], rounds=1)
    found = compare_records((old, rank(old)), (old, rank(old)))
    assert all(one.latency is None or one.latency.low is None for one in found.changes)
    assert not any(one.is_significant for one in found.changes)


def test_the_interval_is_welchs() -> None:
    before, after = [0.1, 0.2, 0.15], [0.4, 0.3, 0.5, 0.45]
    ratio = ratio_of(before, after)
    expected = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert ratio is not None
    assert ratio.low is not None
    assert ratio.high is not None
    assert (math.log(ratio.low), math.log(ratio.high)) == pytest.approx((expected.low, expected.high))


def test_what_was_measured_in_one_of_them_only_has_no_ratio() -> None:
    old, new = sample_record(models=MODELS[:4], rounds=1), sample_record(models=MODELS[:5], rounds=1)
    found = compare_records((old, rank(old)), (new, rank(new)))
    added = next(one for one in found.changes if one.solution == "openvpn-tcp")
    assert (added.before, added.latency) == (None, None)
    assert added.after is not None
