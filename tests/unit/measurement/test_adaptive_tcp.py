"""Adaptive comparisons: a round is predicted without what happens only once, TCP among it."""

from __future__ import annotations

import logging
import math
from dataclasses import replace

import pytest
import sample_records as sample
from adaptive_stage import AdaptiveStage, FakeProbes

from app.domain.capture import CaptureReport
from app.domain.events import RoundEnded
from app.domain.interim import StopReason
from app.domain.profiles import ADAPTIVE_PROFILE, CHECK_BLOCKS
from app.domain.results import AttemptStatus, CampaignRecord
from app.measurement.adaptive.block_time import BlockTime, GroupShare
from app.measurement.adaptive.past_rounds import PastRounds, stored_times
from app.measurement.adaptive.round_times import Part, RoundTimes
from app.measurement.comparison.planning import packet_tests_s

NEAR_MS = {"baseline": 0.4, "wireguard": 1.0, "openvpn-udp": 1.0}
THREE = (sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP)


def test_later_rounds_measure_latencies_only() -> None:
    stage = AdaptiveStage(candidates=THREE, probes=FakeProbes(NEAR_MS, noise=0.2))
    record = stage.compare()
    rounds = {one.key.round for one in record.attempts}
    assert max(rounds) > 2
    assert {one.key.round for one in record.attempts if one.throughput} == {1}
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert all(one.latency for one in record.attempts)
    assert stage.probes.steps_of("wireguard").count("tcp") == 1


def test_where_a_rate_is_needed_tcp_is_measured_twice_before_it_excludes_a_candidate() -> None:
    stage = AdaptiveStage(candidates=THREE, probes=FakeProbes(NEAR_MS, noise=0.2), min_rate_mbit_s=1.0)
    record = stage.compare()
    assert {one.key.round for one in record.attempts if one.throughput} == {1, 2}


def test_the_second_tcp_is_predicted_where_a_rate_is_needed() -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE, min_rate_mbit_s=1.0), None)
    past.add([one for one in record.attempts if one.key.round == 1], 60.0, times(9.0, check_s=15.0, repeated_s=6.0))
    assert past.next_round_s == 30.0 + (9.0 - 6.0) + 9.0


def times(tcp_s: float, check_s: float = 0.0, repeated_s: float = 0.0, rate_s: float = 0.0) -> RoundTimes:
    made = RoundTimes(repeated_s=repeated_s)
    made.seconds.update({Part.TCP: tcp_s, Part.CHECK: check_s, Part.RATE: rate_s})
    return made


def past_of(stage: AdaptiveStage, budget_s: float | None) -> tuple[PastRounds, CampaignRecord]:
    record = stage.compare()
    return PastRounds(replace(record.plan, profile=replace(record.plan.profile, budget_s=budget_s))), record


def test_a_round_is_predicted_without_what_happens_only_once() -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), None)
    first = [one for one in record.attempts if one.key.round == 1]
    past.add(first, 60.0, times(9.0, check_s=15.0, repeated_s=6.0))
    assert past.latency_s == 30.0
    # CPU at one rate of 3 candidates: a second less than TCP in both directions.
    assert past.next_round_s == 30.0 + (9.0 - 6.0)
    past.add((), 33.0, times(0.0, rate_s=3.0))
    assert past.next_round_s == 30.0
    past.add((), 40.0, times(0.0))
    assert (past.next_round_s, past.elapsed_s) == (40.0, 133.0)


@pytest.mark.parametrize(
    ("budget_s", "has_rate", "next_s"),
    [
        (123.0, True, 33.0),  # three rounds
        (122.0, False, 30.0),
        (93.0, True, 33.0),  # two rounds at best
        (92.0, False, 30.0),
    ],
)
def test_cpu_at_one_rate_is_left_out_where_it_would_take_away_one_of_three_rounds(
    budget_s: float, has_rate: bool, next_s: float
) -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), budget_s)
    assert not past.has_rate_next
    past.add([one for one in record.attempts if one.key.round == 1], 60.0, times(9.0, check_s=21.0))
    assert past.has_rate_next is has_rate
    assert past.next_round_s == next_s


@pytest.mark.parametrize(("budget_s", "next_s"), [(300.0, 60.0), (125.0, 60.0), (116.0, 56.0), (99.0, 53.0)])
def test_a_round_is_predicted_with_the_cycles_that_the_budget_holds(budget_s: float, next_s: float) -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), budget_s)
    made = times(0.0)
    made.seconds[Part.BLOCKS] = 42.0  # of six cycles
    past.add([one for one in record.attempts if one.key.round == 1], 60.0, made)
    assert (past.latency_s, past.shortest_s) == (60.0, pytest.approx(53.0))
    assert past.next_round_s == pytest.approx(next_s)


def test_parts_of_a_round_are_counted_once() -> None:
    now = iter((0.0, 1.0, 4.0, 5.0, 6.0, 8.0))
    made = RoundTimes(clock=lambda: next(now))
    with made.part(Part.SET_UP), made.part(Part.CHECK):
        pass
    with made.part(Part.BLOCKS):
        pass
    assert made.seconds == {Part.CHECK: 3.0, Part.SET_UP: 2.0, Part.BLOCKS: 2.0}
    assert made.sentence(1) == "Round 1 took 7.0 s: side-by-side check 3.0, set-up 2.0, blocks 2.0."
    made.belongs_to(Part.CHECK, {Part.SET_UP: 2.0, Part.BLOCKS: 1.5})
    assert made.seconds == {Part.CHECK: 3.5, Part.SET_UP: 2.0, Part.BLOCKS: 1.5}
    made.belongs_to(Part.CHECK)
    assert made.seconds == {Part.CHECK: 7.0}


def test_a_round_fits_that_is_short_without_the_check(caplog: pytest.LogCaptureFixture) -> None:
    stage = AdaptiveStage(candidates=THREE, profile=replace(ADAPTIVE_PROFILE, budget_s=80.0))
    stage.probes = FakeProbes(NEAR_MS, noise=0.2)
    now = [0.0]
    stage.clock = lambda: now[0]

    def on_cycle(number: int) -> None:
        now[0] += 4.0 if number <= 2 * CHECK_BLOCKS else 2.0

    stage.probes.on_cycle = on_cycle
    with caplog.at_level(logging.INFO, "app.measurement"):
        record = stage.compare()

    # 40 s of check and 12 s of blocks; two more rounds of 12 s are within the budget, a third one is not.
    assert caplog.messages[0] == "Round 1 took 52.0 s: side-by-side check 40.0, blocks 12.0."
    assert max(one.key.round for one in record.attempts) == 3
    assert stage.of(RoundEnded)[-1].result.stop is StopReason.BUDGET


def test_packet_tests_count_against_a_quarter_of_the_budget() -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), 120.0)
    first = [one for one in record.attempts if one.key.round == 1]
    keys = [one.key for one in first]
    predicted_s = sum(packet_tests_s(key) for key in keys)
    assert past.left_s(keys) == 120.0 - predicted_s
    made = times(0.0)
    made.seconds[Part.PACKETS] = 40.0
    past.add([replace(one, capture=CaptureReport()) for one in first], 30.0, made)
    assert (past.elapsed_s, past.tests_s) == (60.0, 40.0)
    assert past.left_s(keys) == 60.0
    past.add((), 20.0, made)
    assert (past.elapsed_s, past.left_s(keys)) == (80.0, 40.0)


def test_cycles_of_the_bare_link_in_several_groups_do_not_shorten_the_next_round() -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), 300.0)
    bare, *others = [one for one in record.attempts if one.key.round == 1]
    made = times(0.0)
    made.seconds[Part.BLOCKS] = 60.0
    blocks = bare.blocks[:5]
    past.add([replace(bare, blocks=blocks * 2), *(replace(one, blocks=one.blocks[:5]) for one in others)], 100.0, made)
    assert past.shortest_s == past.latency_s == 100.0


def test_without_a_budget_nothing_limits_a_round() -> None:
    past, record = past_of(AdaptiveStage(candidates=THREE), None)
    assert past.left_s([one.key for one in record.attempts]) == math.inf


def test_times_of_a_stored_round_are_taken_from_its_figures() -> None:
    record = sample.sample_record(rounds=1, models=sample.MODELS[:2])
    seconds = sum(len(each.interval_mbit_s) * each.interval_s for one in record.attempts for each in one.throughput)
    count = sum(len(one.throughput) for one in record.attempts)
    tests_s = sum(packet_tests_s(one.key) for one in record.attempts if one.capture is not None)
    assert tests_s > 0
    assert stored_times(record.attempts).seconds == {
        Part.TCP: pytest.approx(seconds + count),
        Part.PACKETS: tests_s,
        Part.CHECK: 0.0,  # without blocks nothing is known of it
    }


@pytest.mark.parametrize(
    ("left_s", "number", "cycle_s", "most_s"),
    [
        (math.inf, 1, 1.0, math.inf),
        # 20 s of TCP, 3 s of clean-up; each further round 13 s. Three rounds of 23 s, two of 32 s.
        (118.0, 1, 2.0, 23.0),
        (118.0, 1, 5.0, 41.0),
        (118.0, 1, 10.0, 95.0),
        (118.0, 1, 30.0, 0.0),
        (118.0, 2, 2.0, 41.0),
        (118.0, 3, 2.0, 95.0),
        (118.0, 7, 2.0, 95.0),
        (10.0, 2, 2.0, 0.0),
    ],
)
def test_blocks_take_no_more_time_than_leaves_the_budget_three_rounds_or_two(
    left_s: float, number: int, cycle_s: float, most_s: float
) -> None:
    assert BlockTime(left_s, 10.0, 20.0, number).most_s(cycle_s) == pytest.approx(most_s)


def test_groups_of_a_round_share_what_the_budget_leaves() -> None:
    # Three rounds of two groups, each of 10 s before its blocks, 3 s of clean-up, and 20 s of TCP in the first round.
    left_s = 3 * 2 * (3.0 + 20.0) + 5 * 10.0 + 2 * 20.0
    first_s = BlockTime(left_s, 10.0, 20.0, 1, GroupShare(begun=1, left=2)).most_s(2.0)
    left_s -= first_s + 20.0 + 3.0 + 10.0
    assert BlockTime(left_s, 10.0, 20.0, 1, GroupShare(begun=2, left=1)).most_s(2.0) == pytest.approx(first_s)
    for done in range(4):  # of the later rounds, without TCP
        left_s -= (first_s + 20.0 + 3.0 if not done else first_s + 3.0) + 10.0
        share = GroupShare(begun=1 + done % 2, left=2 - done % 2)
        assert BlockTime(left_s, 10.0, 0.0, 2 + done // 2, share).most_s(2.0) == pytest.approx(first_s)


def test_a_round_has_five_cycles_where_time_is_short() -> None:
    stage = AdaptiveStage(candidates=THREE, profile=replace(ADAPTIVE_PROFILE, budget_s=0.001))
    assert {len(one.blocks) for one in stage.compare().attempts} == {5}
