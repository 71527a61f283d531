from __future__ import annotations

import pytest

from app.domain.verdicts import FindingQuestion, Verdict
from app.policy import SpeedFigures, best_of, judge_speed, judge_speeds
from app.policy.messages import MEASURED_HERE
from support.message_checks import has_message

THREE_TIMES = "Slow on this pair: its latency of 6.00 ms is 3.0 times that of the best, 2.00 ms"


def test_best_is_the_least_latency_and_the_most_throughput_of_anything() -> None:
    best = best_of([SpeedFigures(2.0, 10.0), SpeedFigures(1.0, 5.0), SpeedFigures(None, None), SpeedFigures(3.0, 20.0)])
    assert best == SpeedFigures(1.0, 20.0)
    assert best_of([]) == SpeedFigures()


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (SpeedFigures(2.0, 40.0), None),
        (SpeedFigures(1.0, 80.0), None),
        (SpeedFigures(4.4, 80.0), "Slow on this pair: its latency of 4.40 ms is 2.2 times that of the best, 2.00 ms."),
        (
            SpeedFigures(2.0, 8.0),
            "Slow on this pair: its throughput of 8.0 Mbit/s is 10 % of that of the best, 80.0 Mbit/s.",
        ),
        (
            SpeedFigures(6.0, 0.0),
            f"{THREE_TIMES}, and its throughput of 0.0 Mbit/s is 0 % of that of the best, 80.0 Mbit/s.",
        ),
        (SpeedFigures(None, None), None),
        (
            SpeedFigures(None, 40.0),
            "Slow on this pair: its throughput of 40.0 Mbit/s is 50 % of that of the best, 80.0 Mbit/s.",
        ),
    ],
)
def test_slow_is_twice_the_latency_or_half_the_throughput(measured: SpeedFigures, words: str | None) -> None:
    best = SpeedFigures(2.0, 80.0) if measured != SpeedFigures(2.0, 40.0) else SpeedFigures(1.5, 60.0)
    found = judge_speed("X", measured, best)
    assert (found.reason if found else None) == words


def test_being_slow_is_a_question_of_its_own() -> None:
    found = judge_speed("AES-256-CFB1", SpeedFigures(10.0, 1.0), SpeedFigures(1.0, 10.0))
    assert found is not None
    assert found.question is FindingQuestion.SLOW
    assert found.verdict is Verdict.ACCEPTABLE
    assert has_message(MEASURED_HERE)(found.source)


def test_nothing_is_slow_without_a_best() -> None:
    assert judge_speed("X", SpeedFigures(10.0, 1.0), SpeedFigures()) is None
    assert judge_speed("X", SpeedFigures(10.0, 0.0), SpeedFigures(0.0, 0.0)) is None


def test_everything_of_a_pair_is_compared_with_the_best_of_it() -> None:
    measured = {"a": SpeedFigures(1.0, 50.0), "b": SpeedFigures(1.5, 40.0), "c": SpeedFigures(5.0, 45.0)}
    found = judge_speeds(measured, {"a": "A", "b": "B", "c": "C"})
    assert set(found) == {"c"}
    assert found["c"].subject == "C"
    assert judge_speeds({}, {}) == {}
