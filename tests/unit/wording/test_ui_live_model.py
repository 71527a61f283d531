from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import MODELS, attempt, pair, plan_keys

from app.domain.events import (
    AttemptDropped,
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    CpuSample,
    LogLevel,
    LogLine,
    Paused,
    Progress,
    RttSamples,
    Stage,
    StageStarted,
    ThroughputSample,
    UnderlayChanged,
)
from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS, Profile, ProfileName
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan, CampaignStatus
from ui.common.candidate_rows import RowState
from ui.common.growing_array import Columns, SampleRing, SizeBuffer
from ui.common.sample_model import MAX_LOG_LINES, LiveModel
from ui.comparison.run_table import state_text

PINGS = 50
WIREGUARD = next(m for m in MODELS if m.candidate.solution == "wireguard")


def make_plan(rounds: int = 1, pings: int = PINGS) -> CampaignPlan:
    candidates = tuple(m.candidate for m in MODELS if m.candidate.solution in {"baseline", "wireguard"})
    keys = plan_keys(candidates, rounds)
    profile = Profile(ProfileName.CUSTOM, pings, 3, rounds)
    return CampaignPlan(pair(), profile, candidates, keys, (1.0,) * len(keys))


def started(plan: CampaignPlan, clock: float = 100.0) -> tuple[LiveModel, list[float]]:
    now = [clock]
    model = LiveModel(clock=lambda: now[0])
    model.feed(CampaignStarted(1, plan, ()))
    return model, now


def feed_size(model: LiveModel, key: AttemptKey, size: int, rtt_ms: np.ndarray, batch: int = 7) -> None:  # type: ignore[type-arg]
    for first in range(0, len(rtt_ms), batch):
        model.feed(RttSamples(key, size, tuple(rtt_ms[first : first + batch].tolist())))


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.one_of(st.floats(0.01, 1e4), st.just(float("nan"))), min_size=1, max_size=PINGS))
def test_bands_are_numpys_percentiles_of_what_was_received(samples: list[float]) -> None:
    plan = make_plan()
    model, _ = started(plan)
    model.feed(AttemptStarted(plan.attempts[0], "baseline"))
    values = np.array(samples)
    feed_size(model, plan.attempts[0], 256, values)
    seen = values[~np.isnan(values)]
    curves = model.curves()
    if not seen.size:
        assert curves == ()
        return
    (curve,) = curves
    assert curve.frame_bytes.tolist() == [256.0]
    assert curve.p5_ms[0] == pytest.approx(np.percentile(seen, 5), rel=1e-5)
    assert curve.p95_ms[0] == pytest.approx(np.percentile(seen, 95), rel=1e-5)
    assert curve.mean_ms[0] == pytest.approx(seen.mean(), rel=1e-5)
    figures = model.figures()
    assert (figures.count, figures.lost) == (len(values), len(values) - seen.size)
    assert figures.p50_ms == pytest.approx(np.percentile(seen, 50), rel=1e-5)
    assert figures.p99_ms == pytest.approx(np.percentile(seen, 99), rel=1e-5)
    assert figures.max_ms == pytest.approx(seen.max(), rel=1e-5)


def test_rounds_are_pooled_and_figures_are_those_of_the_running_one() -> None:
    plan = make_plan(rounds=2)
    model, _ = started(plan)
    rng = np.random.default_rng(3)
    pooled = []
    for key in [key for key in plan.attempts if key.solution == "wireguard"]:
        model.feed(AttemptStarted(key, "wireguard"))
        values = rng.gamma(2, 1, PINGS)
        pooled.append(values)
        feed_size(model, key, 60, values)
        model.feed(AttemptEnded(attempt(WIREGUARD, key, rng, PINGS)))
    (curve,) = model.curves()
    assert curve.p95_ms[0] == pytest.approx(np.percentile(np.concatenate(pooled), 95), rel=1e-5)
    assert model.figures().count == PINGS
    assert model.figures().p50_ms == pytest.approx(np.percentile(pooled[-1], 50), rel=1e-5)


def test_an_attempt_that_does_not_count_leaves_no_samples_in_the_curve() -> None:
    plan = make_plan(rounds=2)
    model, _ = started(plan)
    key = plan.attempts[1]
    model.feed(AttemptStarted(key, "wireguard"))
    feed_size(model, key, 60, np.full(10, 4.0))
    assert len(model.curves()) == 1
    failed = Attempt(key, AttemptStatus.FAILED, "tunnel-down", "It went down.", *(2 * (attempt_time(),)))
    model.feed(AttemptEnded(failed))
    assert model.curves() == ()
    row = model.rows()[1]
    assert (row.state, row.detail) == (RowState.FAILED, "It went down.")


def attempt_time() -> object:
    from sample_records import STARTED

    return STARTED


def test_weighted_latency_appears_with_the_last_size_and_is_the_weighted_mean() -> None:
    plan = make_plan()
    model, _ = started(plan)
    key = plan.attempts[1]
    model.feed(AttemptStarted(key, "wireguard"))
    means = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    for nth, (size, mean) in enumerate(zip(FRAME_BYTES, means, strict=True)):
        assert model.rows()[1].latency_ms is None, nth
        feed_size(model, key, size, np.full(5, mean))
    expected = sum(w * m for w, m in zip(FRAME_WEIGHTS, means, strict=True))
    assert model.rows()[1].latency_ms == pytest.approx(expected)


def test_the_baselines_figures_are_those_of_all_its_attempts() -> None:
    plan = make_plan()
    model, _ = started(plan)
    rng = np.random.default_rng(8)
    attempts = [attempt(MODELS[0], key, rng, PINGS) for key in plan.attempts if key.solution == "baseline"]
    assert len(attempts) == 2
    for made in attempts:
        model.feed(AttemptStarted(made.key, "baseline"))
        for series in made.latency:
            feed_size(model, made.key, series.frame_bytes, series.rtt_us / 1000)
        for speed in made.throughput:
            model.feed(ThroughputSample(made.key, speed.direction, 1.0, speed.mbit_s * 2))
        model.feed(AttemptEnded(made))
    row = model.rows()[0]
    means = [np.mean([s.mbit_s for s in made.throughput]) for made in attempts]
    assert row.mbit_s == pytest.approx(np.mean(means))
    by_size = {
        size: np.concatenate([s.rtt_us for made in attempts for s in made.latency if s.frame_bytes == size]).mean()
        / 1000
        for size in FRAME_BYTES
    }
    expected = sum(w * by_size[size] for size, w in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True))
    assert row.latency_ms == pytest.approx(expected, rel=1e-5)


def test_a_resumed_campaign_starts_with_what_was_measured() -> None:
    plan = make_plan()
    rng = np.random.default_rng(5)
    done = attempt(WIREGUARD, plan.attempts[1], rng, PINGS)
    model = LiveModel()
    model.feed(CampaignStarted(4, plan, (done,)))
    (curve,) = model.curves()
    assert curve.key == ("wireguard", WIREGUARD.candidate.suite)
    assert curve.p5_ms[0] == pytest.approx(np.percentile(done.latency[0].rtt_us / 1000, 5), rel=1e-5)
    assert model.rows()[1].state is RowState.DONE
    assert model.rows()[1].cpu_pct == pytest.approx(done.cpu_throughput["a"].busy_pct)


def test_states_follow_the_events() -> None:
    plan = make_plan(rounds=2)
    model, _ = started(plan)
    key = plan.attempts[0]
    assert [row.state for row in model.rows()] == [RowState.WAITING, RowState.WAITING]
    model.feed(AttemptStarted(key, "baseline"))
    model.feed(StageStarted(key, Stage.LATENCY, "60 B"))
    assert (model.rows()[0].state, model.rows()[0].detail) == (RowState.RUNNING, "60 B")
    assert model.status().running == ("baseline", "none")
    model.feed(Progress(0.25, 9.0, "baseline"))
    model.feed(Paused(is_paused=True))
    assert model.status().is_paused
    assert model.status().progress.fraction == 0.25
    model.feed(AttemptEnded(attempt(MODELS[0], key, np.random.default_rng(1), PINGS)))
    assert model.rows()[0].state is RowState.WAITING
    assert model.rows()[0].rounds_done == 1
    model.feed(CampaignEnded(1, CampaignStatus.CANCELLED, "Cancelled."))
    assert model.status().ended is CampaignStatus.CANCELLED
    assert not model.status().is_paused


def test_the_former_attempts_figures_are_never_drawn_in_the_colour_of_the_next() -> None:
    plan = make_plan()
    model, now = started(plan)
    first, second = plan.attempts[:2]
    model.feed(AttemptStarted(first, "baseline"))
    model.feed(ThroughputSample(first, "a_to_b", 1.0, 400.0))
    now[0] += 2
    model.feed(CpuSample(first, "a", 1.0, 10, 20, 5, 0))
    assert model.throughput("a_to_b").tolist() == [[1.0, 400.0]]
    assert model.cpu("a").tolist() == [[2.0, 10.0, 20.0, 5.0, 0.0]]
    model.feed(AttemptStarted(second, "wireguard"))
    assert model.running_key() == (second.solution, second.suite)
    assert len(model.throughput("a_to_b")) == len(model.cpu("a")) == 0


def test_recent_samples_are_those_of_the_last_ten_seconds() -> None:
    plan = make_plan(pings=1000)
    model, now = started(plan)
    model.feed(AttemptStarted(plan.attempts[0], "baseline"))
    for second in range(20):
        now[0] = 100.0 + second
        feed_size(model, plan.attempts[0], 60, np.full(2, float(second)), batch=2)
    at_s, rtt_ms = model.recent()
    assert at_s.min() >= -10
    assert np.all(np.diff(at_s) >= 0)
    assert rtt_ms.min() >= 9.0
    assert rtt_ms[-1] == 19.0


def test_the_log_drops_old_lines_and_readers_keep_their_place() -> None:
    model, _ = started(make_plan())
    seen: list[str] = []
    position = 0
    for nth in range(MAX_LOG_LINES + 100):
        model.feed(LogLine(LogLevel.INFO, str(nth)))
        if nth % 40 == 0:
            lines, position = model.log_since(position)
            seen += [line.text for line in lines]
    lines, _ = model.log_since(position)
    seen += [line.text for line in lines]
    assert seen == [str(nth) for nth in range(MAX_LOG_LINES + 100)]
    assert len(model.log_since(0)[0]) <= MAX_LOG_LINES


def test_feeding_and_reading_from_several_threads_loses_nothing() -> None:
    plan = make_plan(pings=2_000)
    model, _ = started(plan)
    for key in plan.attempts[:2]:
        model.feed(AttemptStarted(key, "x"))
    rng = np.random.default_rng(2)
    values = {key: rng.gamma(2, 1, 2_000) for key in plan.attempts[:2]}
    threads = [threading.Thread(target=feed_size, args=(model, key, 60, values[key], 10)) for key in values]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        model.curves()
        model.recent()
        model.rows()
    for thread in threads:
        thread.join()
    curves = {curve.key: curve for curve in model.curves()}
    for key, samples in values.items():
        curve = curves[(key.solution, key.suite)]
        assert curve.p95_ms[0] == pytest.approx(np.percentile(samples, 95), rel=1e-5)


def test_samples_for_a_size_that_is_not_in_the_plan_are_left_out() -> None:
    plan = make_plan()
    model, _ = started(plan)
    model.feed(AttemptStarted(plan.attempts[0], "baseline"))
    model.feed(RttSamples(plan.attempts[0], 999, (1.0,)))
    assert model.curves() == ()


def test_a_full_buffer_takes_no_more() -> None:
    buffer = SizeBuffer(3)
    buffer.extend(np.arange(5, dtype=np.float32))
    assert buffer.copy().tolist() == [0.0, 1.0, 2.0]
    assert buffer.mean_ms() == 1.0


def test_a_full_ring_keeps_the_latest() -> None:
    ring = SampleRing(4)
    for second in range(10):
        ring.extend(float(second), np.full(1, second, dtype=np.float32))
    at_s, values = ring.since(9.0, 100.0)
    assert values.tolist() == [6.0, 7.0, 8.0, 9.0]
    assert at_s.tolist() == [-3.0, -2.0, -1.0, 0.0]


def test_full_columns_drop_the_older_half() -> None:
    columns = Columns(4, 1)
    for number in range(5):
        columns.append((float(number),))
    assert columns.copy().ravel().tolist() == [2.0, 3.0, 4.0]


def test_what_was_measured_on_a_dying_link_is_forgotten() -> None:
    plan = make_plan()
    model, _ = started(plan)
    key = next(key for key in plan.attempts if key.solution == "wireguard")
    for _ in range(2):
        model.feed(AttemptStarted(key, "WireGuard"))
        feed_size(model, key, FRAME_BYTES[0], np.full(PINGS, 2.0, dtype=np.float32))
        model.feed(ThroughputSample(key, "a_to_b", 1.0, 90.0))
        model.feed(AttemptDropped(key))
        model.feed(UnderlayChanged(is_up=False, text="The link carries nothing any more."))
        assert model.status().is_link_down
        assert model.status().running is None
    row = next(row for row in model.rows() if row.key == (key.solution, key.suite))
    assert (row.state, row.latency_ms, row.mbit_s, row.rounds_done) == (RowState.WAITING, None, None, 0)
    assert model.curves() == ()

    model.feed(UnderlayChanged(is_up=True, text="It carries frames again."))
    assert not model.status().is_link_down
    lines, _ = model.log_since(0)
    assert [line.level for line in lines] == [LogLevel.WARNING, LogLevel.WARNING, LogLevel.INFO]


def test_after_a_cancelled_comparison_nothing_waits_any_more() -> None:
    plan = make_plan(rounds=2)
    model, _ = started(plan)
    rng = np.random.default_rng(9)
    first, second = plan.attempts[0], next(key for key in plan.attempts if key.solution == "wireguard")
    baseline = next(m for m in MODELS if m.candidate.solution == "baseline")
    model.feed(AttemptStarted(first, "baseline"))
    model.feed(AttemptEnded(attempt(baseline, first, rng, PINGS)))
    model.feed(AttemptStarted(second, "wireguard"))
    broken_off = replace(attempt(WIREGUARD, second, rng, PINGS), status=AttemptStatus.CANCELLED, throughput=())
    model.feed(AttemptEnded(broken_off))
    model.feed(CampaignEnded(1, CampaignStatus.CANCELLED, ""))
    rows = {row.key[0]: row for row in model.rows()}
    assert rows["baseline"].state is RowState.ENDED_EARLY
    assert state_text(rows["baseline"]) == "1 of 2 rounds measured"
    assert rows["wireguard"].state is RowState.CANCELLED
    assert rows["wireguard"].cpu_pct is None, "no load was measured"


def test_the_last_inspection_of_the_bare_underlay_is_no_round() -> None:
    plan = make_plan(rounds=1)
    model, _ = started(plan)
    first, last = plan.attempts[0], plan.attempts[-1]
    assert (first.solution, last.solution) == ("baseline", "baseline")
    rng, baseline = np.random.default_rng(9), next(m for m in MODELS if m.candidate.solution == "baseline")
    model.feed(AttemptEnded(attempt(baseline, first, rng, PINGS)))
    row = model.rows()[0]
    assert (row.rounds_done, row.rounds, row.attempts_done, row.attempts) == (1, 1, 1, 2)
    assert state_text(row) == "waiting for a repetition"
    model.feed(CampaignEnded(1, CampaignStatus.CANCELLED, ""))
    assert state_text(model.rows()[0]) == "measured, but not repeated at the end"


def test_rounds_before_a_host_was_lost_keep_their_latency_and_curve() -> None:
    plan = make_plan(rounds=2)
    model, _ = started(plan)
    first = plan.attempts[0]
    baseline = next(m for m in MODELS if m.candidate.solution == "baseline")
    model.feed(AttemptStarted(first, "baseline"))
    for size in FRAME_BYTES:
        feed_size(model, first, size, np.full(5, 2.0))
    model.feed(AttemptEnded(attempt(baseline, first, np.random.default_rng(9), PINGS)))
    before = model.rows()[0].latency_ms
    for key in plan.attempts[1:]:
        lost = Attempt(key, AttemptStatus.NOT_RUN, "host-unreachable", "B stays away.", *(2 * (attempt_time(),)))
        model.feed(AttemptEnded(lost))
    model.feed(CampaignEnded(1, CampaignStatus.INTERRUPTED, "B stays away."))
    assert before is not None
    assert model.rows()[0].latency_ms == before
    assert len(model.curves()) == 1
    assert [state_text(row) for row in model.rows()] == [
        "1 of 2 rounds measured: B stays away.",
        "not run: B stays away.",
    ]


def test_what_was_never_begun_is_not_run() -> None:
    plan = make_plan()
    model, _ = started(plan)
    model.feed(CampaignEnded(1, CampaignStatus.CANCELLED, ""))
    assert [state_text(row) for row in model.rows()] == ["not run", "not run"]


def test_after_the_end_the_last_replies_remain_on_show() -> None:
    plan = make_plan()
    model, now = started(plan)
    model.feed(AttemptStarted(plan.attempts[0], "baseline"))
    feed_size(model, plan.attempts[0], 60, np.full(7, 1.0))
    now[0] += 30.0
    assert model.recent()[0].size == 0
    model.feed(CampaignEnded(1, CampaignStatus.COMPLETED))
    now[0] += 300.0
    at_s, rtt_ms = model.recent()
    assert rtt_ms.tolist() == [1.0] * 7
    assert at_s[-1] == 0
