"""Data of the pictures of a comparison."""

from __future__ import annotations

import numpy as np
import pytest

from app.domain.results import LOST_RTT_US, LatencySeries
from app.ranking.pictures import cpu_bars, distribution, distributions, drawn_results, ratio_rows
from app.ranking.rank import rank
from support.sample_records import sample_record


def series(*rtt_us: int, lost: int = 0) -> LatencySeries:
    times = np.array([*rtt_us, *[LOST_RTT_US] * lost], dtype=np.uint32)
    return LatencySeries(60, times.size, len(rtt_us), 0, times)


def test_a_lost_request_is_never_answered() -> None:
    found = distribution([series(1000, 2000, 3000, lost=1), series(4000, 5000, lost=2)])
    assert found is not None
    assert (found.sent, found.replies) == (8, 5)
    assert (found.within_ms(0.125), found.within_ms(0.5), found.within_ms(0.625)) == (1.0, 4.0, 5.0)
    assert found.within_ms(0.7) is None
    assert (found.shares[0], found.shares[-1]) == (0.0, 0.625)
    assert (found.rtt_ms[0], found.rtt_ms[-1]) == (1.0, 5.0)


def test_without_a_reply_there_is_no_curve() -> None:
    assert distribution([series(lost=3)]) is None
    assert distribution([]) is None


def test_the_axis_leaves_out_single_late_replies() -> None:
    found = distribution([series(*[1000] * 999, 900_000)])
    assert found is not None
    assert found.tail_ms() == pytest.approx(1.0)


def test_each_candidate_and_size_has_a_distribution() -> None:
    record = sample_record(rounds=2, pings=20)
    found = distributions(record)
    assert {size for _, size in found} == set(record.plan.profile.frame_bytes)
    answered = {
        (one.key.solution, one.key.suite) for one in record.attempts if any(each.received for each in one.latency)
    }
    assert {key for key, _ in found} == answered


def test_references_come_first_and_ratios_rise() -> None:
    ranking = rank(sample_record(rounds=2, pings=20))
    drawn = drawn_results(ranking)
    assert [one.is_unprotected for one in drawn] == sorted((one.is_unprotected for one in drawn), reverse=True)
    ratios = [ratio.value for _, ratio in ratio_rows(ranking)]
    assert ratios == sorted(ratios)
    assert ratios[0] == 1.0


def test_cpu_is_the_mean_over_rounds_in_the_order_of_the_candidates() -> None:
    record = sample_record(rounds=2, pings=20)
    ranking = rank(record)
    bars = cpu_bars(record, ranking)
    assert [bar.side for bar in bars] == ["a", "b"] * (len(bars) // 2)
    assert [bar.key for bar in bars[::2]] == [(one.solution, one.suite) for one in drawn_results(ranking)]
    first = [one for one in record.attempts if (one.key.solution, one.key.suite) == bars[0].key]
    users = [one.cpu_throughput["a"].user_pct for one in first if one.cpu_throughput]
    assert bars[0].user_pct == pytest.approx(np.mean(users))
    assert bars[0].rounds == len(users)
