"""Samples of a candidate in the order of sending: outages, and what is known of their duration."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from sample_records import MODELS, STARTED, sample_record

from app.domain.results import LOST_RTT_US, Attempt, AttemptStatus, Block, LatencySeries
from app.ranking.sample_history import history_sizes, sample_history
from app.ranking.sample_words import history_note


def attempt(*rtt_ms: float | None, number: int = 1, blocks: tuple[float, ...] = (), lasted_s: float = 60.0) -> Attempt:
    """Return a round with these replies in ms; None is a lost request.

    Args:
        number: Of the round; each begins 100 s after the one before.
        blocks: When blocks began, in s.
        lasted_s: Of the round.
    """
    rtt_us = np.array([LOST_RTT_US if one is None else round(1_000 * one) for one in rtt_ms], np.uint32)
    series = LatencySeries(60, len(rtt_ms), sum(one is not None for one in rtt_ms), 0, rtt_us)
    one = sample_record(rounds=1, pings=5, models=MODELS[:1]).attempts[0]
    began = STARTED + timedelta(seconds=100 * number)
    return replace(
        one,
        key=replace(one.key, round=number),
        started_at=began,
        ended_at=began + timedelta(seconds=lasted_s),
        latency=(series,),
        blocks=tuple(Block(nth, at_s) for nth, at_s in enumerate(blocks, start=1)),
    )


def test_without_blocks_the_order_alone_is_known() -> None:
    found = sample_history([attempt(1.0, None, None, 2.0, None, number=2), attempt(3.0, None)], 60, STARTED)
    assert found is not None
    assert found.at_s is None
    assert found.x.tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(found.rtt_ms, [3.0, np.nan, 1.0, np.nan, np.nan, 2.0, np.nan])
    assert found.rounds.tolist() == [1, 1, 2, 2, 2, 2, 2]
    assert found.by_round() == ((1, slice(0, 2)), (2, slice(2, 7)))
    assert [(one.first, one.last, one.round) for one in found.outages] == [(1, 1, 1), (3, 4, 2), (6, 6, 2)]
    assert [(one.least_s, one.most_s) for one in found.outages] == [(None, None)] * 3
    assert [one.requests for one in found.outages] == [1, 2, 1]


@pytest.mark.parametrize(
    ("rtt_ms", "least_s", "most_s"),
    [
        ((1.0, None, 1.0, 1.0, 1.0, 1.0), 0.0, 6.0),  # within the first block, which the second follows after 6 s
        ((1.0, None, None, 1.0, 1.0, 1.0), 0.0, 15.0),  # ends in the second, before the third
        (
            (1.0, None, None, None, None, 1.0),
            9.0,
            56.0,
        ),  # all of the second, from 10 to 19 s; the third one is the last
        ((1.0, 1.0, 1.0, 1.0, 1.0, None), 0.0, 41.0),  # the round ended at 60 s
    ],
)
def test_the_duration_is_between_the_beginnings_of_blocks(
    rtt_ms: tuple[float | None, ...], least_s: float, most_s: float
) -> None:
    found = sample_history([attempt(*rtt_ms, blocks=(4.0, 10.0, 19.0))], 60, STARTED)
    assert found is not None
    assert found.x.tolist() == [104, 104, 110, 110, 119, 119]
    (outage,) = found.outages
    assert (outage.least_s, outage.most_s) == pytest.approx((least_s, most_s))


def test_an_outage_ends_with_its_block_where_the_end_is_kept() -> None:
    one = attempt(1.0, None, None, 1.0, 1.0, 1.0, blocks=(4.0, 10.0, 19.0))
    one = replace(one, blocks=tuple(replace(each, lasted_s=0.5) for each in one.blocks))
    found = sample_history([one], 60, STARTED)
    assert found is not None
    (outage,) = found.outages
    assert (outage.least_s, outage.most_s) == pytest.approx((0.0, 6.5))  # from 4 to 10.5 s


def test_an_outage_at_the_edge_of_a_block_lasts_up_to_the_next_one() -> None:
    one = attempt(1.0, None, 1.0, 1.0, None, 1.0, blocks=(4.0, 10.0, 19.0))
    one = replace(one, blocks=tuple(replace(each, lasted_s=0.5) for each in one.blocks))
    found = sample_history([one], 60, STARTED)
    assert found is not None
    times = [(one.least_s, one.most_s) for one in found.outages]
    assert times == [pytest.approx((0.0, 6.0)), pytest.approx((0.0, 9.0))]  # 4 to 10 s, and 10.5 to 19.5 s


def test_requests_that_were_not_sent_are_no_part_of_an_outage() -> None:
    one = attempt(1.0, None, None, None, 1.0, 1.0, blocks=(4.0, 10.0))
    one = replace(one, blocks=(replace(one.blocks[0], sent=(2,)), one.blocks[1]))
    found = sample_history([one], 60, STARTED)
    assert found is not None
    (outage,) = found.outages
    assert (outage.first, outage.last, outage.requests) == (1, 3, 2)
    assert (outage.least_s, outage.most_s) == pytest.approx((0.0, 56.0))
    assert found.is_sent.tolist() == [True, True, False, True, True, True]
    assert history_note(found).startswith("Requests: 5; without a reply: 2; outages: 1.")


def test_two_rounds_are_no_outage_together() -> None:
    rounds = [attempt(1.0, None, blocks=(0.0,)), attempt(None, 1.0, number=2, blocks=(0.0,))]
    found = sample_history(rounds, 60, STARTED)
    assert found is not None
    assert [(one.first, one.last) for one in found.outages] == [(1, 1), (2, 2)]


def test_only_what_was_measured_of_that_size_is_there() -> None:
    one = attempt(1.0, 2.0)
    assert sample_history([one], 1514, STARTED) is None
    assert history_sizes([one]) == (60,)
    assert sample_history([replace(one, status=AttemptStatus.FAILED)], 60, STARTED) is None
    assert sample_history([], 60, STARTED) is None


def test_a_note_counts_outages_and_names_the_longest_with_what_is_known_of_its_duration() -> None:
    replies = 1.0, None, None, 1.0, None, 1.0
    found = sample_history([attempt(*replies, number=2)], 60, STARTED)
    assert found is not None
    assert history_note(found) == (
        "Requests: 6; without a reply: 3; outages: 2. The longest: 2 requests in a row, in round 2. "
        "Only the order of requests is stored, not their times."
    )
    timed = sample_history([attempt(*replies, blocks=(4.0, 10.0, 19.0))], 60, STARTED)
    assert timed is not None
    assert "The longest: 2 requests in a row, in round 1 (duration: at most 15.0 s)." in history_note(timed)
    assert history_note(timed).endswith("durations lie between bounds.")
    whole = sample_history([attempt(1.0, 2.0, blocks=(4.0,))], 60, STARTED)
    assert whole is not None
    assert history_note(whole) == "Requests: 2; without a reply: 0; outages: 0."
