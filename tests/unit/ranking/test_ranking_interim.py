"""Interim results by attempts of known latencies: candidates that are measured on, the end, and the sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.domain.interim import CandidateState, InterimResult, StopReason
from app.domain.messages import MessageForm
from app.domain.profiles import ADAPTIVE_PROFILE, FRAME_BYTES
from app.domain.ranking import AdviceKind, Ratio
from app.domain.results import (
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    Candidate,
    LatencySeries,
)
from app.domain.verdicts import Verdict
from app.ranking.gates import MOST_REPEATS
from app.ranking.interim import interim
from app.ranking.messages import (
    BARRED_MEASURED_AGAIN,
    BARRED_TO_THE_END,
    CLOSE_TO,
    EVERY_PAIR_DECIDED,
    FASTEST_DECIDED,
    FASTEST_SO_FAR,
    LAST_ATTEMPT_FAILED,
    MINUTES_WOULD_DISTINGUISH,
    NO_COMPLETE_ROUND,
    NO_PAIR_LEFT,
    NONE_FASTER,
    NOT_DISTINGUISHED,
    REFERENCE_MEASURED,
    SLOWER_THAN,
    TIME_LEFT_TOO_SHORT,
    TIME_USED_UP_UNDECIDED,
)
from app.ranking.rank import rank
from app.ranking.sequential import LEAST_ROUNDS, MOST_ROUNDS, rounds_needed, sequential_differences
from support.message_checks import has_message
from support.sample_records import STARTED, facts, pair

ROUND_S = 30.0
WOBBLE = (1.0, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998, 1.0)
"""Factors of the rounds, shifted from candidate to candidate, so that each pair varies by about 1 %."""


def candidate(name: str, verdict: Verdict = Verdict.RECOMMENDED) -> Candidate:
    return Candidate("vpn", name, f"VPN {name}", verdict)


def plan_of(candidates: Sequence[Candidate], budget_s: float = 300.0) -> CampaignPlan:
    keys = tuple(
        AttemptKey(number * len(candidates) + nth, one.solution, one.suite, "as-found", number + 1)
        for number in range(MOST_ROUNDS)
        for nth, one in enumerate(candidates)
    )
    profile = replace(ADAPTIVE_PROFILE, budget_s=budget_s)
    return CampaignPlan(pair(is_lab=False), profile, tuple(candidates), keys, (1.0,) * len(keys))


def attempt(key: AttemptKey, ms: float | None) -> Attempt:
    """Return an attempt all of whose replies took so long; one that failed without."""
    span = STARTED + timedelta(seconds=ROUND_S * (key.round - 1)), STARTED + timedelta(seconds=ROUND_S * key.round)
    if ms is None:
        return Attempt(key, AttemptStatus.FAILED, "tunnel-down", "It broke.", *span)
    rtt_us = np.full(20, round(1_000 * ms), np.uint32)
    series = tuple(LatencySeries(size, 20, 20, 0, rtt_us) for size in FRAME_BYTES)
    return Attempt(key, AttemptStatus.COMPLETED, "", "", *span, latency=series)


def attempts_of(plan: CampaignPlan, series: Mapping[str, Mapping[int, float | None]]) -> tuple[Attempt, ...]:
    """Return the attempts of a plan by suite and round, in ms; None where one failed."""
    return tuple(
        attempt(key, series[key.suite][key.round])
        for key in plan.attempts
        if key.round in series.get(key.suite, {})
    )  # fmt: skip


def steady(ms: float, rounds: int, shift: int = 0) -> dict[int, float | None]:
    return {number: ms * WOBBLE[(number + 3 * shift) % len(WOBBLE)] for number in range(1, rounds + 1)}


def judged(
    series: Mapping[str, Mapping[int, float | None]],
    verdicts: Mapping[str, Verdict] | None = None,
    budget_s: float = 300.0,
) -> InterimResult:
    plan = plan_of([candidate(name, (verdicts or {}).get(name, Verdict.RECOMMENDED)) for name in series], budget_s)
    done = attempts_of(plan, series)
    rounds = max(one.key.round for one in done)
    return interim(plan, done, elapsed_s=ROUND_S * rounds, round_s=ROUND_S)


def advised(series: Mapping[str, Mapping[int, float | None]], verdicts: Mapping[str, Verdict]) -> AdviceKind:
    plan = plan_of([candidate(name, verdicts[name]) for name in series])
    done = attempts_of(plan, series)
    record = CampaignRecord(
        1, plan, CampaignStatus.COMPLETED, STARTED, done[-1].ended_at, {"a": facts(), "b": facts("gw-b")}, done, "0"
    )
    return rank(record).recommendation.kind


def why(found: InterimResult, name: str) -> str:
    return next(one.why for one in found.candidates if one.suite == name)


def state(found: InterimResult, name: str) -> CandidateState:
    return next(one.state for one in found.candidates if one.suite == name)


def test_those_that_are_distinguished_leave_with_the_reason() -> None:
    found = judged({"a": steady(1.0, 3), "b": steady(2.0, 3, 1), "c": steady(4.0, 3, 2)})
    assert found.stop is StopReason.ORDER_KNOWN
    assert has_message(EVERY_PAIR_DECIDED)(found.sentence)
    assert has_message(FASTEST_DECIDED)(why(found, "a"))
    assert has_message(SLOWER_THAN, title="VPN a")(why(found, "c"))


def test_those_within_the_margin_are_called_so() -> None:
    found = judged({"a": steady(1.0, 3), "b": steady(1.01, 3, 1), "c": steady(4.0, 3, 2)})
    assert has_message(CLOSE_TO, title="VPN a")(why(found, "b"))


def test_one_that_was_not_compared_to_the_end_is_not_called_close() -> None:
    """The first failed in its second round; the second has nothing left to be measured beside."""
    found = judged({"a": {1: 1.0, 2: None}, "b": {1: 1.4, 2: 1.4}})
    assert state(found, "a") is CandidateState.FAILED
    assert has_message(LAST_ATTEMPT_FAILED)(why(found, "a"))
    assert state(found, "b") is CandidateState.DECIDED
    assert has_message(NOT_DISTINGUISHED, title="VPN a")(why(found, "b"))
    assert found.stop is StopReason.ORDER_KNOWN
    assert has_message(NO_PAIR_LEFT)(found.sentence)


def test_the_fastest_without_rivals_is_only_the_fastest_so_far() -> None:
    found = judged({"a": {1: 1.0, 2: 1.0}, "b": {1: 1.4, 2: None}})
    assert has_message(FASTEST_SO_FAR)(why(found, "a"))


def test_three_rounds_of_which_a_pair_shares_two_show_no_margin() -> None:
    series = {"a": steady(1.0, 3), "b": steady(1.001, 3), "c": steady(4.0, 3, 2)}
    assert state(judged(series), "b") is CandidateState.DECIDED
    del series["b"][2]
    assert state(judged(series), "b") is CandidateState.OPEN


def test_it_does_not_end_before_the_choice_that_would_be_made_is_decided() -> None:
    """The second has the better verdict and is within 10 %: it is the choice, though slower beyond chance."""
    verdicts = {"a": Verdict.ACCEPTABLE, "b": Verdict.RECOMMENDED, "c": Verdict.RECOMMENDED}
    series = {"a": steady(1.0, 3), "b": steady(1.08, 3, 1), "c": steady(4.0, 3, 2)}
    assert advised(series, verdicts) is AdviceKind.NOT_DECIDED
    found = judged(series, verdicts)
    assert found.stop is None
    assert {state(found, name) for name in "ab"} == {CandidateState.OPEN}
    equal = judged(series, dict.fromkeys(series, Verdict.RECOMMENDED))
    assert equal.stop in {StopReason.GOOD_ENOUGH, StopReason.ORDER_KNOWN}


def test_a_choice_that_the_budget_leaves_open_is_named() -> None:
    """The order is known: what is open is whether the first is more than 10 % faster than the choice."""
    verdicts = {"a": Verdict.ACCEPTABLE, "b": Verdict.RECOMMENDED, "c": Verdict.RECOMMENDED}
    series = {"a": steady(1.0, 3), "b": steady(1.08, 3, 1), "c": steady(4.0, 3, 2)}
    found = judged(series, verdicts, budget_s=3.5 * ROUND_S)
    assert found.stop is StopReason.BUDGET
    assert has_message(TIME_USED_UP_UNDECIDED, one="VPN b", other="VPN a")(found.sentence)


def test_it_ends_once_that_choice_is_decided() -> None:
    verdicts = {"a": Verdict.ACCEPTABLE, "b": Verdict.RECOMMENDED}
    series = {"a": steady(1.0, 4), "b": steady(1.03, 4, 1)}
    found = judged(series, verdicts)
    assert found.stop in {StopReason.GOOD_ENOUGH, StopReason.ORDER_KNOWN}
    assert advised(series, verdicts) is AdviceKind.AS_GOOD_AS
    if found.stop is StopReason.GOOD_ENOUGH:
        assert has_message(NONE_FASTER, title="VPN b")(found.sentence)


NOISY = {"a": {1: 1.0, 2: 1.0, 3: 1.0}, "b": {1: 1.01, 2: 1.116, 3: 0.914}}
"""Three more rounds of the same would show that the two are within 10 %."""
ALIKE = {"a": {1: 1.0, 2: 1.3, 3: 0.8}, "b": {1: 1.2, 2: 0.9, 3: 1.1}}


@pytest.mark.parametrize(
    ("series", "budget_s", "form"),
    [
        (NOISY, 3_000.0, MINUTES_WOULD_DISTINGUISH),
        (NOISY, 4.5 * ROUND_S, TIME_LEFT_TOO_SHORT),  # one more round fits, and is not enough
        (ALIKE, 3_000.0, TIME_LEFT_TOO_SHORT),  # eight rounds are not enough
    ],
)
def test_minutes_are_promised_only_where_budget_and_rounds_hold_them(
    series: Mapping[str, Mapping[int, float | None]], budget_s: float, form: MessageForm
) -> None:
    found = judged(series, budget_s=budget_s)
    assert found.stop is None
    assert has_message(form, one="VPN a", other="VPN b")(found.sentence)
    assert ROUND_S <= found.left_s <= min(budget_s - 3 * ROUND_S, (MOST_ROUNDS - 3) * ROUND_S)


def test_no_more_rounds_are_predicted_than_there_are() -> None:
    for series in (NOISY, ALIKE):
        found = sequential_differences(list(series.values()))
        for rounds in range(3, MOST_ROUNDS + 1):
            needed = rounds_needed(found, (0, 1), rounds)
            assert needed is None or rounds < needed <= MOST_ROUNDS


def test_a_choice_that_is_slower_is_not_decided_by_more_certainty_of_that() -> None:
    """20 % slower beyond chance: for advice nothing would decide, and the order is known."""
    series = [{n: ms * WOBBLE[n + shift] for n in (1, 2, 3)} for shift, ms in ((0, 1.2), (3, 1.0))]
    found = sequential_differences(series)
    assert found.between(0, 1).log_ratio == pytest.approx(math.log(1.2), rel=0.1)
    assert rounds_needed(found, (0, 1), 3, is_advice=True) is None


LATENCIES_MS = {"a": 1.0, "b": 1.5, "c": 4.0}


def busy_until_it_stops(
    is_busy: Callable[[str, int], bool], repeats: Mapping[int, int] | None = None
) -> tuple[list[InterimResult], CampaignRecord]:
    """Measure rounds until an interim result stops; return all of them and what is stored then.

    Args:
        is_busy: Whether this computer was too busy while a candidate was measured in a round.
        repeats: By round how often its blocks were measured again.
    """
    plan = plan_of([candidate(name) for name in LATENCIES_MS])
    found: list[InterimResult] = []
    done: tuple[Attempt, ...] = ()
    wanted = set(LATENCIES_MS)
    while not found or found[-1].stop is None:
        number = len(found) + 1
        made = []
        for shift, (name, ms) in enumerate(LATENCIES_MS.items()):
            key = next(one for one in plan.attempts if (one.suite, one.round) == (name, number))
            one = attempt(key, ms * WOBBLE[(number + 3 * shift) % len(WOBBLE)])
            load = 1.6 if is_busy(name, number) else 0.1
            if name in wanted:
                made.append(replace(one, own_load_cores=load, repeats=(repeats or {}).get(number, 0)))
        done += tuple(made)
        found.append(interim(plan, done, elapsed_s=number, round_s=1.0))
        wanted = {one.suite for one in found[-1].candidates if one.state is CandidateState.OPEN}
    ended = done[-1].ended_at
    hosts = {"a": facts(), "b": facts("gw-b")}
    return found, CampaignRecord(1, plan, CampaignStatus.COMPLETED, STARTED, ended, hosts, done, "0")


def test_a_barred_candidate_that_may_be_the_best_is_measured_again_until_it_counts() -> None:
    quiet, _ = busy_until_it_stops(lambda _name, _number: False)
    found, record = busy_until_it_stops(lambda name, number: name == "a" and number < 3)
    assert len(quiet) < 3
    assert [one.stop for one in found[:3]] == [None] * 3, "two of its three rounds were disturbed"
    assert has_message(BARRED_MEASURED_AGAIN, title="VPN a")(found[2].sentence)
    assert {state(found[2], name) for name in "ab"} == {CandidateState.OPEN}
    assert state(found[2], "c") is CandidateState.DECIDED
    assert len(found) == 4
    advice = rank(record).recommendation
    assert (advice.suite, advice.kind) == ("a", AdviceKind.CLEAR)


def test_one_that_remains_barred_is_measured_three_rounds_more_at_most() -> None:
    found, record = busy_until_it_stops(lambda name, _number: name == "a")
    assert len(found) == LEAST_ROUNDS + MOST_REPEATS
    assert has_message(BARRED_TO_THE_END, title="VPN a")(found[-1].sentence)
    assert rank(record).recommendation.kind is AdviceKind.NONE


def test_it_stops_where_no_repeat_is_left_and_the_advice_has_the_figure() -> None:
    found, record = busy_until_it_stops(lambda name, _number: name == "a", {1: MOST_REPEATS})
    assert len(found) < LEAST_ROUNDS
    assert has_message(BARRED_TO_THE_END, title="VPN a")(found[-1].sentence)
    advice = rank(record).recommendation
    assert advice.kind is AdviceKind.NONE
    assert "1.6 cores" in advice.sentence
    assert "with VPN a, after 3 repeats" in advice.sentence


def test_a_barred_candidate_that_is_slower_keeps_nothing_going() -> None:
    found, record = busy_until_it_stops(lambda name, _number: name == "c")
    assert len(found) < LEAST_ROUNDS
    assert rank(record).recommendation.suite == "a"


def test_where_most_were_disturbed_those_are_measured_again() -> None:
    found, record = busy_until_it_stops(lambda name, number: name != "a" and number < 3)
    assert found[1].stop is None
    assert {state(found[1], name) for name in "abc"} == {CandidateState.OPEN}
    assert rank(record).recommendation.kind is AdviceKind.CLEAR


def with_reference(series: Mapping[str, Mapping[int, float | None]], reference: str) -> InterimResult:
    """Judge candidates of which one has no cryptography."""
    plan = plan_of([replace(candidate(name), is_unprotected=name == reference) for name in series])
    done = attempts_of(plan, series)
    rounds = max(one.key.round for one in done)
    return interim(plan, done, elapsed_s=ROUND_S * rounds, round_s=ROUND_S)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_a_reference_without_cryptography_decides_nothing(rounds: int) -> None:
    series = {"a": steady(1.0, rounds), "b": steady(1.3, rounds, 1), "plain": steady(0.7, min(rounds, 2), 2)}
    found = with_reference(series, "plain")
    alone = judged({name: series[name] for name in ("a", "b")})
    assert (found.candidates[:2], found.stop, found.sentence) == (alone.candidates, alone.stop, alone.sentence)
    assert found.candidates[0].ratio == Ratio(1.0, 1.0, 1.0), "the fastest of those that are compared"
    plain = found.candidates[2]
    assert plain.ratio is not None
    assert plain.ratio.value == pytest.approx(0.7, rel=0.03)
    assert plain.state is (CandidateState.OPEN if rounds == 1 else CandidateState.DECIDED)
    assert plain.why == ("" if rounds == 1 else REFERENCE_MEASURED())


def test_a_reference_that_failed_has_no_figure_or_its_last() -> None:
    series: dict[str, dict[int, float | None]] = {"a": steady(1.0, 2), "b": steady(1.3, 2, 1)}
    never = with_reference({**series, "plain": {1: None}}, "plain")
    assert (state(never, "plain"), why(never, "plain")) == (CandidateState.FAILED, NO_COMPLETE_ROUND())
    later = with_reference({**series, "plain": {1: 0.7, 2: None}}, "plain")
    assert (state(later, "plain"), why(later, "plain")) == (CandidateState.FAILED, LAST_ATTEMPT_FAILED())


def test_without_any_cryptography_all_are_compared() -> None:
    plan = plan_of([replace(candidate(name), is_unprotected=True) for name in ("a", "b")])
    done = attempts_of(plan, {"a": steady(1.0, 2), "b": steady(1.3, 2, 1)})
    found = interim(plan, done, elapsed_s=60.0, round_s=30.0)
    assert [one.suite for one in found.candidates] == ["a", "b"]
    assert found.stop is not StopReason.NOTHING_LEFT
