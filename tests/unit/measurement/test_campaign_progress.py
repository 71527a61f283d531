from __future__ import annotations

import pytest
from fake_hosts import FakeClock

from app.domain.events import Progress
from app.domain.results import AttemptKey
from app.measurement.progress import TICK_S, ProgressMeter


def keys(*solutions: str) -> list[AttemptKey]:
    return [AttemptKey(index, name, "s", "as-found", 1) for index, name in enumerate(solutions)]


class Reported:
    def __init__(self) -> None:
        self.events: list[Progress] = []

    def __call__(self, event: object) -> None:
        assert isinstance(event, Progress)
        self.events.append(event)

    @property
    def last(self) -> Progress:
        return self.events[-1]


def make(*solutions: str, predicted_s: list[float] | None = None, done: frozenset[int] = frozenset()):
    clock, reported = FakeClock(), Reported()
    meter = ProgressMeter(
        list(zip(keys(*solutions), predicted_s or [10.0] * len(solutions), strict=True)), done, reported, clock
    )
    return meter, clock, reported


def test_time_left_falls_while_an_attempt_runs() -> None:
    meter, clock, reported = make("a", "b")
    meter.begin(0, "A")
    assert (reported.last.fraction, reported.last.left_s, reported.last.text) == (0.0, 20.0, "A")

    clock.now_s += 5
    meter.tick()

    assert reported.last.fraction == pytest.approx(0.25)
    assert reported.last.left_s == pytest.approx(15.0)


def test_an_attempt_that_takes_longer_than_predicted_does_not_reach_its_end() -> None:
    meter, clock, reported = make("a", "b")
    meter.begin(0, "A")
    clock.now_s += 100
    meter.tick()

    assert reported.last.fraction < 0.5
    assert reported.last.left_s > 10


def test_what_was_measured_corrects_what_was_predicted() -> None:
    meter, clock, reported = make("a", "b", "a", predicted_s=[10.0, 20.0, 10.0])
    meter.begin(0, "A")
    clock.now_s += 15
    meter.end(0, is_typical=True)

    # b is expected to be slower than predicted in the same proportion; a takes as long as it did.
    assert reported.last.left_s == pytest.approx(30.0 + 15.0)


def test_a_failed_attempt_corrects_nothing() -> None:
    meter, clock, reported = make("a", "b")
    meter.begin(0, "A")
    clock.now_s += 1
    meter.end(0, is_typical=False)

    assert reported.last.left_s == pytest.approx(10.0)


def test_the_end_is_the_end() -> None:
    meter, clock, reported = make("a")
    meter.begin(0, "A")
    clock.now_s += 12
    meter.end(0, is_typical=True)

    assert (reported.last.fraction, reported.last.left_s) == (1.0, 0.0)


def test_the_bar_never_returns() -> None:
    meter, clock, reported = make("a", "b", predicted_s=[10.0, 10.0])
    meter.begin(0, "A")
    clock.now_s += 9
    meter.tick()
    clock.now_s += 60
    meter.end(0, is_typical=True)
    meter.begin(1, "B")

    fractions = [event.fraction for event in reported.events]
    assert fractions == sorted(fractions)


def test_attempts_of_before_count_as_done() -> None:
    meter, _, reported = make("a", "b", done=frozenset({0}))
    meter.begin(1, "B")

    assert reported.last.fraction == pytest.approx(0.5)


def test_not_more_often_than_twice_a_second() -> None:
    meter, clock, reported = make("a")
    meter.begin(0, "A")
    for _ in range(1000):
        clock.now_s += 0.01
        meter.tick()

    assert len(reported.events) == pytest.approx(1 + 10 / TICK_S, abs=1)


def test_the_pace_of_the_probes_corrects_what_is_left_of_an_attempt() -> None:
    meter, clock, reported = make("a")
    meter.begin(0, "A")
    clock.now_s += 2
    meter.probed(0.0)
    clock.now_s += 48
    meter.probed(0.8)

    # 48 s for 80 %: 12 s more, and a little for cleaning up; the prediction of 10 s counts for a fifth.
    assert reported.last.left_s == pytest.approx(0.8 * (62 + 1) + 0.2 * 10 - 50, abs=2.0)


def test_a_new_attempt_begins_with_its_own_pace() -> None:
    meter, clock, reported = make("a", "b")
    meter.begin(0, "A")
    meter.probed(0.0)
    clock.now_s += 10
    meter.probed(1.0)
    meter.end(0, is_typical=True)
    clock.now_s += 5
    meter.begin(1, "B")

    assert reported.last.left_s == pytest.approx(10.0)
