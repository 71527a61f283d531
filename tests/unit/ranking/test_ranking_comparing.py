from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking.comparing import beyond_chance, compare_records, ratio_of
from app.ranking.messages import LINK_CHANGED
from app.ranking.rank import rank
from support.message_checks import shows
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


def test_a_link_that_changedbeyond_chance_is_named() -> None:
    old = sample_record(models=MODELS[:5], rounds=3, noise=0.005)
    new = slower(slower(old, "wireguard", 2.0), "baseline", 2.0)
    assert shows(compare_records((old, rank(old)), (new, rank(new))).note, LINK_CHANGED.text)
    assert compare_records((old, rank(old)), (old, rank(old))).note == ""


def test_one_of_several_needs_more_to_have_changedbeyond_chance() -> None:
    """Holm: a change that one candidate alone would have at 5 % is chance among ten."""
    alone = {("vpn", "0"): 0.03}
    assert beyond_chance(alone) == {("vpn", "0")}
    others = {("vpn", str(number)): 0.2 + 0.05 * number for number in range(1, 10)}
    assert beyond_chance({**alone, **others}) == frozenset()
    assert beyond_chance({**alone, **others, ("vpn", "0"): 0.001}) == {("vpn", "0")}


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
    assert found.summary.startswith("Whether a latency changed is not known: with one round")


def test_the_summary_says_what_is_known() -> None:
    old = sample_record(models=MODELS[:5], rounds=3, noise=0.005)
    new = slower(old, "wireguard", 1.3)

    def summary(before: CampaignRecord, after: CampaignRecord) -> str:
        return compare_records((before, rank(before)), (after, rank(after))).summary

    assert summary(old, new) == "Beyond chance: WireGuard, ChaCha20-Poly1305 (1.30 times)."
    assert summary(old, replace(old, campaign_id=2)) == "No latency changed beyond chance."
    assert summary(old, replace(new, attempts=())).startswith("Nothing can be compared")


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


def test_what_failed_in_the_later_one_was_tried_in_both() -> None:
    old = sample_record(models=MODELS[:5], rounds=1)
    attempts = tuple(
        replace(one, status=AttemptStatus.FAILED, latency=(), throughput=None)
        if one.key.solution == "openvpn-tcp"
        else one
        for one in old.attempts
    )
    new = replace(old, campaign_id=2, attempts=attempts)
    found = compare_records((old, rank(old)), (new, rank(new)))
    failed = next(one for one in found.changes if one.solution == "openvpn-tcp")
    assert (failed.after, failed.outcomes) == (None, (AttemptStatus.COMPLETED, AttemptStatus.FAILED))
    assert failed.state == "failed in the later one"
    assert failed.before is not None

    fewer = sample_record(models=MODELS[:4], rounds=1)
    found = compare_records((old, rank(old)), (fewer, rank(fewer)))
    gone = next(one for one in found.changes if one.solution == "openvpn-tcp")
    assert gone.outcomes == (AttemptStatus.COMPLETED, None)
    assert gone.state == "only in the earlier one"


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        (AttemptStatus.COMPLETED, AttemptStatus.COMPLETED, ""),
        (AttemptStatus.COMPLETED, AttemptStatus.SKIPPED, "skipped in the later one"),
        (AttemptStatus.CANCELLED, AttemptStatus.COMPLETED, "cancelled in the earlier one"),
        (AttemptStatus.NOT_RUN, AttemptStatus.FAILED, "not measured in the earlier one, failed in the later one"),
        (AttemptStatus.SKIPPED, AttemptStatus.SKIPPED, "skipped both times"),
    ],
)
def test_a_candidate_without_a_ratio_has_the_reason_in_its_state(
    before: AttemptStatus, after: AttemptStatus, state: str
) -> None:
    """Also where the user ended it late enough for figures: they are shown, and no factor."""
    record = sample_record(models=MODELS[:5], rounds=1)
    ended = [
        replace(
            record,
            campaign_id=number,
            attempts=tuple(
                replace(one, status=status) if one.key.solution == "openvpn-tcp" else one for one in record.attempts
            ),
        )
        for number, status in enumerate((before, after), start=1)
    ]
    found = compare_records(*((one, rank(one)) for one in ended))
    change = next(one for one in found.changes if one.solution == "openvpn-tcp")
    assert change.state == state
    assert (change.latency is None) is bool(state)
    if after is AttemptStatus.SKIPPED and before is AttemptStatus.COMPLETED:
        assert change.after is not None


def test_a_factor_of_medians_is_called_so_where_the_means_have_another_one() -> None:
    old = sample_record(models=MODELS[:5], rounds=1)
    assert compare_records((old, rank(old)), (old, rank(old))).note == ""
    attempts = tuple(
        replace(one, latency=tuple(replace(each, rtt_us=_with_outliers(each.rtt_us)) for each in one.latency))
        if one.key.solution == "wireguard"
        else one
        for one in old.attempts
    )
    new = replace(old, campaign_id=2, attempts=attempts)
    found = compare_records((old, rank(old)), (new, rank(new)))
    change = next(one for one in found.changes if one.solution == "wireguard")
    assert change.latency is not None
    assert change.before is not None
    assert change.after is not None
    assert change.after.mean / change.before.mean > 2 * change.latency.value
    assert found.note == "Factors are of medians; the means beside them may be in another ratio."


def _with_outliers(rtt_us: np.ndarray) -> np.ndarray:
    """Return round-trip times of which every fifth is twenty times as long: the median hardly moves."""
    longer = rtt_us.copy()
    longer[::5] = 20 * longer.min()
    return longer
