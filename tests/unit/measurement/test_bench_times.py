from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sample_records as sample
from fake_hosts import FakeClock

from app.cli.bench import print_bench, print_measured
from app.cli.terminal import CleanConsole
from app.domain.events import AttemptDropped, AttemptEnded, AttemptStarted, Stage, StageStarted
from app.domain.profiles import PROFILES, Profile, ProfileName
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignRecord, CampaignStatus
from app.measurement.bench import (
    Bench,
    CandidateTimes,
    StageClock,
    bench_data,
    candidate_times,
    measured_agreement,
    measured_s,
    predicted_adaptive_s,
    predicted_fixed_s,
)
from app.measurement.comparison import plan_campaign
from app.measurement.overhead import Overheads, Pass, ProbeOverhead

PROFILE = Profile(ProfileName.CUSTOM, pings=100, seconds=2, rounds=1)
STAGES = (
    (Stage.PREFLIGHT, 1.0),
    (Stage.APPLY, 2.0),
    (Stage.LATENCY, 0.1),
    (Stage.LATENCY, 0.6),
    (Stage.THROUGHPUT, 6.5),
    (Stage.PACKET_TESTS, 10.0),
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


def test_of_an_attempt_that_was_repeated_the_repeat_counts_with_the_packet_tests_before_it() -> None:
    record, _ = short_run()
    key, now = record.plan.attempts[1], FakeClock()
    clock = StageClock(now)
    for is_repeat in (False, True):
        clock.handle(AttemptStarted(key, key.solution))
        for stage, seconds in STAGES:
            if stage is not Stage.PACKET_TESTS or not is_repeat:
                clock.handle(StageStarted(key, stage))
                now.now_s += seconds
        clock.handle(AttemptEnded(attempt(key)) if is_repeat else AttemptDropped(key))

    assert clock.seconds[key][Stage.PACKET_TESTS] == 10.0
    assert clock.seconds[key][Stage.LATENCY] == pytest.approx(0.7)


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
    # 6 cycles of 200 requests of 1 ms each; 2 s of TCP and 1 s of CPU at one rate, both once.
    round_s = 4.0 + 1.0 + 1.5 + 4 * 1.2
    once_s = 4 * (6.5 + 4.5) + 40.0

    assert predicted_adaptive_s(four, adaptive, 1) == pytest.approx(round_s + once_s)
    assert predicted_adaptive_s(four, adaptive, 2) == pytest.approx(2 * round_s + once_s)


def made(**measured_s: float) -> Bench:
    passes = (Pass(0.5, (200.0, 210.0)),) * 2
    overhead = ProbeOverhead((60, 1514), (Pass(0.6, (202.0, 210.0)),) * 2, passes, passes)
    cycle = ProbeOverhead((60, 1514), (Pass(0.55, (200.0, 210.0)),) * 2, passes, passes)
    measured = {ProfileName(name): seconds for name, seconds in measured_s.items()}
    return Bench(Overheads(overhead, cycle), (times_of("baseline"), times_of("wireguard")), measured)


def test_figures_are_ratios_of_one_run() -> None:
    data = json.loads(json.dumps(bench_data(made(adaptive=60.0, paper=1200.0))))

    assert data["overhead"]["time_ratio"] == pytest.approx(1.2)
    assert data["cycle_overhead"]["time_ratio"] == pytest.approx(1.1)
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
    print_bench(CleanConsole(width=120), made())
    without = capsys.readouterr().out
    print_measured(CleanConsole(width=120), made(adaptive=60.0, paper=1200.0))
    with_both = capsys.readouterr().out

    assert "Latency phase over bare pings: 1.20" in without
    assert "Adaptive cycle over bare pings: 1.10" in without
    assert "Measured:" not in without
    assert "Measured: paper 20.0 min; adaptive 1.0 min, 0.050 of paper, 0.150 of one of its rounds." in with_both
    assert "Order:" not in with_both


def record_of(**base_ms: float) -> CampaignRecord:
    by_name = {"wireguard": sample.WIREGUARD, "openvpn_udp": sample.OPENVPN_UDP, "openvpn_tcp": sample.OPENVPN_TCP}
    models = [sample.Model(by_name[name], ms, 0.05, 40.0, 60.0, 100) for name, ms in base_ms.items()]
    return sample.sample_record(models=models, rounds=4, pings=40, noise=0.001)


def test_orders_are_compared_wherever_paper_distinguishes_two(capsys: pytest.CaptureFixture[str]) -> None:
    paper = record_of(wireguard=0.5, openvpn_udp=1.0, openvpn_tcp=2.0)
    same = record_of(wireguard=0.5, openvpn_udp=1.2, openvpn_tcp=2.0)
    other = record_of(wireguard=0.5, openvpn_udp=2.5, openvpn_tcp=2.0)
    for adaptive, words in (
        (same, "paper distinguishes 3 pairs; adaptive has the same order in 3 and distinguishes 3 of those.\n"),
        (
            other,
            "Not in paper's order (OpenVPN over UDP, AES-256-GCM before OpenVPN over TCP, AES-256-GCM): 1 of 1 ",
        ),
    ):
        records = {ProfileName.ADAPTIVE: adaptive, ProfileName.PAPER: paper}
        run = replace(made(adaptive=60.0, paper=1200.0), agreement=measured_agreement(records))
        print_measured(CleanConsole(width=120), run)
        assert words in capsys.readouterr().out
    order = bench_data(run)["measured"]["order"]  # type: ignore[index]
    assert (order["pairs"], order["same"], len(order["contradicted"])) == (3, 2, 1)
    assert measured_agreement({ProfileName.PAPER: paper}) is None


def test_seconds_of_comparisons_are_from_start_to_end() -> None:
    record, _ = short_run()
    later = replace(record, ended_at=record.started_at + timedelta(seconds=90))
    running = replace(record, ended_at=None)
    assert measured_s({ProfileName.PAPER: later, ProfileName.ADAPTIVE: running}) == {ProfileName.PAPER: 90.0}
