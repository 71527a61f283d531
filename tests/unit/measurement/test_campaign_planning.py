from __future__ import annotations

from dataclasses import dataclass

import pytest
import sample_records as sample

from app.domain.errors import InvalidPlan
from app.domain.messages import MessageForm
from app.domain.profiles import Profile, ProfileName
from app.domain.results import CampaignPlan
from app.measurement.comparison import plan_campaign
from app.measurement.messages import (
    BYTES_IN_A_FRAME,
    CANDIDATE_TWICE,
    DEADLINE_OUT_OF_RANGE,
    ECHO_REQUESTS_PER_SIZE,
    FRAME_SIZES_ALIKE,
    NOTHING_TO_COMPARE,
    NUMBER_OUT_OF_RANGE,
    ROUNDS,
    SECONDS_OF_TCP,
)
from app.probes.capture import capture_tests_s
from support.message_checks import HasMessage, has_message

ALL = (sample.BASELINE, sample.L2TP, sample.WIREGUARD, sample.OPENVPN_UDP, sample.OPENVPN_TCP)


def plan(candidates: tuple = ALL, *, rounds: int = 3, seed: int = 7, **options: object) -> CampaignPlan:
    profile = Profile(ProfileName.CUSTOM, pings=100, seconds=3, rounds=rounds)
    return plan_campaign(sample.pair(), candidates, profile, seed=seed, **options)  # type: ignore[arg-type]


def solutions(made: CampaignPlan) -> list[str]:
    return [key.solution for key in made.attempts]


def test_one_round_begins_and_ends_with_the_baseline() -> None:
    made = plan(rounds=1)

    assert solutions(made)[0] == solutions(made)[-1] == "baseline"
    assert sorted(solutions(made)[1:-1]) == ["l2tp", "openvpn-tcp", "openvpn-udp", "wireguard"]
    assert [key.round for key in made.attempts] == [1] * 6


def test_every_round_begins_with_the_baseline_and_the_last_ends_with_it() -> None:
    made = plan(rounds=3)

    assert [index for index, name in enumerate(solutions(made)) if name == "baseline"] == [0, 5, 10, 15]
    assert [key.position for key in made.attempts] == list(range(16))
    assert [key.round for key in made.attempts] == [1] * 5 + [2] * 5 + [3] * 6
    assert len(set(made.attempts)) == 16


def test_the_order_is_new_in_each_round_and_the_same_for_the_same_seed() -> None:
    candidates = (*ALL, sample.BLOWFISH)
    orders = {tuple(solutions(plan(candidates, rounds=6))[start : start + 6]) for start in range(0, 36, 6)}

    assert len(orders) > 1
    assert plan(seed=1).attempts == plan(seed=1).attempts
    assert len({plan(seed=seed).attempts for seed in range(10)}) > 1


def test_each_candidate_once_per_round() -> None:
    made = plan((*ALL, sample.BLOWFISH), rounds=4)

    for number in range(1, 4):
        of_round = [(key.solution, key.suite) for key in made.attempts if key.round == number]
        assert sorted(of_round) == sorted((one.solution, one.suite) for one in (*ALL, sample.BLOWFISH))


def test_without_the_baseline_there_is_none() -> None:
    assert "baseline" not in solutions(plan(ALL[1:], rounds=2))


def test_the_baseline_alone_is_not_measured_twice_in_a_row() -> None:
    assert solutions(plan((sample.BASELINE,), rounds=2)) == ["baseline", "baseline"]


@dataclass
class Past:
    setup_s: float = 2.0
    probe_s: float = 30.0
    cleanup_s: float = 1.0


def test_times_are_predicted_from_the_past_where_there_is_one() -> None:
    made = plan(rounds=1, history={"wireguard": Past()})

    by_solution = dict(zip(solutions(made), made.predicted_s, strict=True))
    assert by_solution["wireguard"] == pytest.approx(33.0 + capture_tests_s(2))
    assert by_solution["l2tp"] > 6.0


def test_more_pings_and_seconds_take_longer() -> None:
    def total(pings: int, seconds: int) -> float:
        profile = Profile(ProfileName.CUSTOM, pings, seconds, 1)
        return sum(plan_campaign(sample.pair(), ALL, profile, seed=1).predicted_s)

    assert total(1000, 3) > total(100, 3)
    assert total(100, 10) == pytest.approx(total(100, 3) + 6 * 14)


def out_of_range(value: int, what: MessageForm) -> HasMessage:
    return has_message(NUMBER_OUT_OF_RANGE, value=value, what=what())


@pytest.mark.parametrize(
    ("candidates", "profile", "deadline_ms", "refusal"),
    [
        ((), Profile(ProfileName.CUSTOM, 1, 1, 1), None, has_message(NOTHING_TO_COMPARE)),
        (
            (sample.WIREGUARD, sample.WIREGUARD),
            Profile(ProfileName.CUSTOM, 1, 1, 1),
            None,
            has_message(CANDIDATE_TWICE),
        ),
        (ALL, Profile(ProfileName.CUSTOM, 0, 1, 1), None, out_of_range(0, ECHO_REQUESTS_PER_SIZE)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 0, 1), None, out_of_range(0, SECONDS_OF_TCP)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 0), None, out_of_range(0, ROUNDS)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 1, (59,)), None, out_of_range(59, BYTES_IN_A_FRAME)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 1, (9000,)), None, out_of_range(9000, BYTES_IN_A_FRAME)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 1, (60, 60)), None, has_message(FRAME_SIZES_ALIKE)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 1, ()), None, has_message(FRAME_SIZES_ALIKE)),
        (ALL, Profile(ProfileName.CUSTOM, 1, 1, 1), 0.0, has_message(DEADLINE_OUT_OF_RANGE, deadline_ms=0.0)),
    ],
)
def test_what_cannot_be_done_is_refused(
    candidates: tuple, profile: Profile, deadline_ms: float | None, refusal: HasMessage
) -> None:
    with pytest.raises(InvalidPlan, check=refusal):
        plan_campaign(sample.pair(), candidates, profile, seed=1, deadline_ms=deadline_ms)


def test_an_even_round_runs_the_order_of_the_round_before_backwards() -> None:
    names = solutions(plan(rounds=4))
    rounds = [names[start + 1 : start + 5] for start in range(0, 20, 5)]
    assert rounds[1] == rounds[0][::-1]
    assert rounds[3] == rounds[2][::-1]
