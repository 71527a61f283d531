from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sample_records as sample
from fake_hosts import FakeClock
from rich.console import Console

from app.cli.bench import print_bench
from app.domain.events import AttemptEnded, AttemptStarted, Stage, StageStarted
from app.domain.results import (
    PROFILES,
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignRecord,
    CampaignStatus,
    Profile,
    ProfileName,
)
from app.measurement.bench import (
    Bench,
    CandidateTimes,
    StageClock,
    bench_data,
    candidate_times,
    predicted_adaptive_s,
    predicted_fixed_s,
)
from app.measurement.comparison import plan_campaign
from app.measurement.overhead import Pass, ProbeOverhead

PROFILE = Profile(ProfileName.CUSTOM, pings=100, seconds=2, rounds=1)
STAGES = (
    (Stage.PREFLIGHT, 1.0),
    (Stage.APPLY, 2.0),
    (Stage.LATENCY, 0.1),
    (Stage.LATENCY, 0.6),
    (Stage.THROUGHPUT, 6.5),
    (Stage.WIRE, 10.0),
    (Stage.CLEANUP, 1.5),
)


def attempt(key: AttemptKey, status: AttemptStatus = AttemptStatus.COMPLETED) -> Attempt:
    now = datetime.now(UTC)
    return Attempt(key, status, "", "", now, now)


def short_run(failed: str = "") -> tuple[CampaignRecord, StageClock]:
    plan = plan_campaign(sample.pair(), (sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP), PROFILE, seed=1)
    now = FakeClock()
    clock, attempts = StageClock(now), list[Attempt]()
    for key in plan.attempts:
        clock.handle(AttemptStarted(key, key.solution))
        for stage, seconds in STAGES:
            clock.handle(StageStarted(key, stage))
            now.now_s += seconds
        attempts.append(attempt(key, AttemptStatus.FAILED if key.solution == failed else AttemptStatus.COMPLETED))
        clock.handle(AttemptEnded(attempts[-1]))
        now.now_s += 50.0
    begun = datetime.now(UTC)
    record = CampaignRecord(1, plan, CampaignStatus.COMPLETED, begun, begun, {}, tuple(attempts), "1")
    return record, clock


def test_times_are_those_of_the_stages_of_each_candidates_first_attempt() -> None:
    times = candidate_times(*short_run())

    assert times[0].solution == "baseline"
    assert len(times) == 3
    one = times[1]
    assert (one.setup_s, one.cleanup_s, one.throughput_s, one.packets_s) == (3.0, 1.5, 6.5, 10.0)
    assert one.latency_s == pytest.approx(0.7)
    assert (one.pings, one.seconds) == (700, 2)


def test_a_candidate_that_failed_has_no_times() -> None:
    times = candidate_times(*short_run(failed="wireguard"))

    assert {one.solution for one in times} == {"baseline", "openvpn-udp"}


def times_of(solution: str, **changes: float) -> CandidateTimes:
    one = CandidateTimes(
        solution,
        "suite",
        solution,
        setup_s=3.0,
        cleanup_s=1.5,
        latency_s=0.7,
        throughput_s=6.5,
        packets_s=10.0,
        pings=700,
        seconds=2,
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def test_a_profile_of_fixed_rounds_repeats_everything_but_the_packet_tests() -> None:
    standard = PROFILES[ProfileName.STANDARD]
    # 14 000 requests of 1 ms, and 8 s more of TCP in each direction.
    once_s = 3.0 + 14.0 + 6.5 + 16.0 + 1.5

    assert predicted_fixed_s([times_of("wireguard")], standard) == pytest.approx(3 * once_s + 10.0)
    assert predicted_fixed_s([times_of("baseline")], standard) == pytest.approx(4 * once_s + 10.0)


def test_the_study_leaves_out_no_second_of_tcp() -> None:
    paper = PROFILES[ProfileName.PAPER]
    once_s = 3.0 + 70.0 + 6.5 + 16.0 - 2.0 + 1.5

    assert predicted_fixed_s([times_of("wireguard")], paper) == pytest.approx(3 * once_s + 10.0)


def test_an_adaptive_round_builds_three_tunnels_at_a_time() -> None:
    adaptive = PROFILES[ProfileName.ADAPTIVE]
    four = [times_of(name, setup_s=setup_s) for name, setup_s in (("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0))]
    # 10 cycles of 200 requests of 1 ms each; 1 s of TCP in the first round, 2 s afterwards.
    first_s = 4.0 + 1.0 + 1.5 + 4 * 2.0 + 4 * 4.5
    second_s = first_s + 4 * 2.0

    assert predicted_adaptive_s(four, adaptive, 1) == pytest.approx(first_s + 40.0)
    assert predicted_adaptive_s(four, adaptive, 2) == pytest.approx(first_s + second_s + 40.0)


def made(**measured_s: float) -> Bench:
    passes = (Pass(0.5, (200.0, 210.0)),) * 2
    overhead = ProbeOverhead((60, 1514), (Pass(0.6, (202.0, 210.0)),) * 2, passes, passes)
    measured = {ProfileName(name): seconds for name, seconds in measured_s.items()}
    return Bench(overhead, (times_of("baseline"), times_of("wireguard")), measured)


def test_figures_are_ratios_of_one_run() -> None:
    data = json.loads(json.dumps(bench_data(made(adaptive=60.0, paper=1200.0))))

    assert data["overhead"]["time_ratio"] == pytest.approx(1.2)
    assert data["overhead"]["rtt_ratios"] == [pytest.approx(1.01), 1.0]
    assert data["candidates"][1]["setup_ratio"] == pytest.approx(6.0)
    assert data["candidates"][1]["cleanup_ratio"] == pytest.approx(3.0)
    assert data["measured"]["adaptive_to_paper"] == pytest.approx(0.05)
    shortest, longest = data["predicted"]["adaptive_to_paper"]
    assert 0 < shortest <= longest < 1


def test_the_longest_adaptive_comparison_is_its_budget_and_the_packet_tests() -> None:
    slow = replace(made(), times=tuple(times_of(name, latency_s=70.0) for name in ("baseline", "wireguard")))
    assert made().longest_s < 300 + 20
    assert slow.longest_s == pytest.approx(max(300 + 20.0, slow.shortest_s))


def test_what_was_not_measured_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_bench(Console(width=120), made())
    without = capsys.readouterr().out
    print_bench(Console(width=120), made(adaptive=60.0, paper=1200.0))
    with_both = capsys.readouterr().out

    assert "Latency phase over bare pings: 1.20" in without
    assert "Measured:" not in without
    assert "Measured: paper 20.0 min; adaptive 1.0 min, 0.050 of paper." in with_both
