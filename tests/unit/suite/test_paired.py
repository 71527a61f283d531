"""The paired estimate of the probes' bench: what it shows, and what it leaves undecided."""

from __future__ import annotations

import math

import numpy as np
import pytest

from support.paired import Claim, estimate, paired, weighted_logs


def test_the_ends_are_the_order_statistics_of_the_sign_test() -> None:
    logs = [0.01 * number for number in range(1, 13)]
    found = estimate(logs)
    assert (found.pairs, found.log_ratio) == (12, pytest.approx(0.065))
    assert (found.low, found.high) == (logs[2], logs[9])  # 2 P(X <= 2) = 3.9 %, 2 P(X <= 3) = 14.6 %


def test_six_pairs_are_the_fewest_with_an_interval() -> None:
    assert estimate([0.0] * 5).claim(0.02) is Claim.UNDECIDED
    found = estimate([0.01, -0.01, 0.0, 0.005, 0.002, -0.005])
    assert (found.low, found.high) == (-0.01, 0.01)
    assert found.claim(0.02) is Claim.SHOWN


def test_drift_from_pair_to_pair_is_in_no_ratio() -> None:
    theirs = [0.2 * 1.1**number for number in range(8)]
    found = paired([1.01 * one for one in theirs], theirs)
    assert found.percent == pytest.approx((1.0, 1.0, 1.0))
    assert found.claim(0.02) is Claim.SHOWN


@pytest.mark.parametrize(
    ("true", "noise", "claim"),
    [
        (1.0, 0.005, Claim.SHOWN),
        (1.06, 0.01, Claim.REFUTED),
        (1.0, 0.1, Claim.UNDECIDED),
        (1.02, 0.02, Claim.UNDECIDED),
    ],
)
def test_a_claim_is_shown_refuted_or_undecided(true: float, noise: float, claim: Claim) -> None:
    rng = np.random.default_rng(1)
    theirs = np.exp(rng.normal(0.0, 0.1, 24))
    ours = theirs * true * np.exp(rng.normal(0.0, noise, 24))
    assert paired(ours.tolist(), theirs.tolist()).claim(0.02) is claim


def test_one_pair_that_is_far_off_moves_nothing() -> None:
    theirs = [1.0] * 12
    assert paired([1.0] * 11 + [9.0], theirs).claim(0.02) is Claim.SHOWN


def test_the_interval_holds_the_true_ratio_in_95_of_100_simulated_benches() -> None:
    rng = np.random.default_rng(2)
    found = [estimate(rng.standard_t(2, size).tolist()) for size in (6, 9, 20) for _ in range(1_000)]
    assert sum(one.low <= 0.0 <= one.high for one in found) >= 0.95 * len(found)


def test_sizes_are_weighted_within_each_pair() -> None:
    logs = weighted_logs([(1.1, 2.0), (1.0, 3.0)], [(1.0, 2.0), (1.0, 2.0)], (0.75, 0.25))
    assert logs == pytest.approx([0.75 * math.log(1.1), 0.25 * math.log(1.5)])
