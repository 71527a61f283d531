"""Adaptive comparisons: rounds, cycles, who leaves, what ends them; and what the user and the hosts do to them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from adaptive_stage import AdaptiveStage, FakeProbes
from campaign_stage import by_solution

from app.domain import events
from app.domain.errors import ConnectionLost, HostUnreachable, ProbeFailed, TunnelDown
from app.domain.gates import GateName, GateVerdict
from app.domain.interim import CandidateState, StopReason
from app.domain.messages import SENTENCES
from app.domain.profiles import ADAPTIVE_PROFILE, BLOCK_PINGS, CHECK_BLOCKS, FRAME_BYTES
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.measurement.messages import BLOCKS_AGAIN, NOT_MEASURED_ANY_MORE, ROUND_COMPLETE, WORK_CANCELLED
from app.probes import underlay_guard
from app.ranking.gates import gates_of
from app.ranking.outcome import left_behind
from app.ranking.rank import rank
from support.message_checks import has_message

FOUR = (sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP, sample.OPENVPN_TCP)

CHECKED = 2 * CHECK_BLOCKS
"""Cycles of the check whether idle tunnels change a latency, which come first."""


def test_it_ends_once_the_order_is_known() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    record = stage.compare()

    assert record.status is CampaignStatus.COMPLETED
    rounds = {attempt.key.round for attempt in record.attempts}
    assert rounds in ({1, 2}, {1, 2, 3})
    assert len(record.plan.attempts) == 4 * 8
    assert record.attempts_needed == len(record.attempts)
    results = [event.result for event in stage.of(events.RoundEnded)]
    assert [result.round for result in results] == sorted(rounds)
    assert results[-1].stop in (StopReason.ORDER_KNOWN, StopReason.GOOD_ENOUGH)
    assert [one.solution for one in results[-1].candidates] == ["wireguard", "openvpn-udp", "openvpn-tcp"]
    assert stage.tunnels.tunnels_up == []
    assert stage.of(events.Progress)[-1].left_s == 0.0


def test_an_attempt_has_every_round_trip_time_of_its_blocks() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    attempt = next(one for one in stage.compare().attempts if one.key.solution == "openvpn-udp")

    assert [block.cycle for block in attempt.blocks] == sorted({block.cycle for block in attempt.blocks})
    assert len(attempt.blocks) == 6
    assert [series.frame_bytes for series in attempt.latency] == list(FRAME_BYTES)
    assert [series.sent for series in attempt.latency] == [6 * count for count in BLOCK_PINGS]
    assert [series.received for series in attempt.latency] == [6 * count for count in BLOCK_PINGS]
    assert len(attempt.throughput) == 2
    assert attempt.capture is not None
    assert (attempt.setup_s, attempt.cleanup_s) == (2.0, 1.0)


def test_each_cycle_is_in_random_order_and_begins_with_another_size() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.compare()

    whole = [cycle for cycle in stage.probes.cycles if len(cycle) == 4]
    assert {cycle.index("baseline") for cycle in whole} == {0, 1, 2, 3}
    assert stage.probes.first_sizes[10:17] == [0, 1, 2, 3, 4, 5, 0]  # the check that comes first has ten cycles


def test_disturbed_cycles_are_repeated_and_do_not_count() -> None:
    probes = FakeProbes(slow_cycles={CHECKED + 1, CHECKED + 4})
    stage = AdaptiveStage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP), probes=probes)
    attempt = stage.compare().attempts[0]

    assert len(attempt.blocks) == 8
    assert [block.cycle for block in attempt.blocks if not block.is_counted] == [1, 4]
    first_round = [event for event in stage.of(events.CycleEnded) if event.round == 1]
    assert [event.is_counted for event in first_round[:5]] == [True, True, True, False, True]


def test_so_many_disturbed_cycles_end_after_twelve() -> None:
    stage = AdaptiveStage(
        candidates=(sample.WIREGUARD,), probes=FakeProbes(slow_cycles={one for one in range(1, 200) if one % 3})
    )
    assert len(stage.compare().attempts[0].blocks) == 12


def test_packet_tests_are_made_once_and_the_cpu_is_compared_at_one_rate() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    record = stage.compare()

    for solution in ("wireguard", "openvpn-udp", "openvpn-tcp"):
        steps = stage.probes.steps_of(solution)
        assert steps.count("wire") == 1
        assert steps[-2 - steps[::-1].index("wire")] == "tcp"  # last of all: the tunnel does not work afterwards
        assert steps.count("rate 25") == 1
    rated = [attempt for attempt in record.attempts if attempt.cpu_at_rate]
    assert {attempt.rate_mbit_s for attempt in rated} == {25.0}
    assert {attempt.key.round for attempt in rated} == {2}
    assert [len(one.interval_mbit_s) for attempt in record.attempts for one in attempt.throughput] == [2] * 8


def test_a_candidate_that_is_decided_leaves_and_the_others_go_on() -> None:
    latency_ms = {"baseline": 0.4, "wireguard": 1.0, "openvpn-udp": 1.0, "openvpn-tcp": 5.0}
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(latency_ms, noise=0.2))
    record = stage.compare()

    rounds = {name: len(found) for name, found in by_solution(record).items()}
    assert rounds["openvpn-tcp"] < rounds["wireguard"] == rounds["openvpn-udp"] == rounds["baseline"]
    left = [line.text for line in stage.of(events.LogLine) if has_message(NOT_MEASURED_ANY_MORE)(line.text)]
    assert any("OpenVPN over TCP" in text for text in left)


def test_the_budget_ends_it() -> None:
    stage = AdaptiveStage(candidates=FOUR, profile=replace(ADAPTIVE_PROFILE, budget_s=0.001))
    record = stage.compare()

    assert record.status is CampaignStatus.COMPLETED
    assert {attempt.key.round for attempt in record.attempts} == {1}
    assert stage.of(events.RoundEnded)[-1].result.stop is StopReason.BUDGET


def test_a_candidate_that_fails_is_a_result_and_the_others_go_on() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.tunnels.faults["openvpn-udp"] = TunnelDown("OpenVPN did not come up.", context={"log": "no route"})
    record = stage.compare()

    failed = [attempt for attempt in record.attempts if attempt.key.solution == "openvpn-udp"]
    assert [(one.status, one.reason, one.daemon_log) for one in failed] == [
        (AttemptStatus.FAILED, "tunnel-down", "no route")
    ]
    assert record.status is CampaignStatus.COMPLETED
    assert "failed" not in by_solution(record)["wireguard"]


def test_a_tunnel_that_stops_answering_fails_with_its_daemons_words() -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_cycle(number: int) -> None:
        if number == 15:
            stage.probes.lost = {"openvpn-tcp"}

    stage.probes.on_cycle = on_cycle
    record = stage.compare()

    failed = next(one for one in record.attempts if one.key.solution == "openvpn-tcp")
    assert (failed.status, failed.reason, failed.stage) == (AttemptStatus.FAILED, "probe-failed", "latency")
    assert failed.daemon_log == "daemon: last words"
    assert by_solution(record)["openvpn-tcp"] == ["failed"]
    assert stage.probes.steps_of("openvpn-tcp") == ["warm-up"]


def test_plaintext_ends_a_candidate() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(leaking={"openvpn-udp"}))
    record = stage.compare()

    failed = next(one for one in record.attempts if one.key.solution == "openvpn-udp")
    assert (failed.reason, failed.stage) == ("leak", "wire")
    assert failed.capture is not None
    assert failed.latency
    assert by_solution(record)["openvpn-udp"] == ["failed"]


@pytest.mark.parametrize("step", ["warm-up", "tcp", "wire"])
def test_a_candidate_that_is_skipped_is_left_out_from_then_on(step: str) -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_step(solution: str, what: str) -> None:
        if (solution, what) == ("openvpn-udp", step):
            stage.control.skip()

    stage.probes.on_step = on_step
    record = stage.compare()

    assert by_solution(record)["openvpn-udp"] == ["skipped"]
    assert record.status is CampaignStatus.COMPLETED
    assert by_solution(record)["wireguard"][-1] == "completed"


def test_skipping_while_a_tunnel_is_set_up_leaves_it_out() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.tunnels.on_open = lambda solution: stage.control.skip() if solution == "openvpn-udp" else None
    record = stage.compare()

    assert by_solution(record)["openvpn-udp"] == ["skipped"]
    assert stage.tunnels.tunnels_up == []


def test_skipping_ends_the_cycles_of_a_candidate_that_has_figures() -> None:
    stage = AdaptiveStage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP))
    stage.probes.on_cycle = lambda number: stage.control.skip() if number == CHECKED + 5 else None
    record = stage.compare()

    assert record.attempts[0].status is AttemptStatus.COMPLETED
    assert len(record.attempts[0].blocks) == 4


def test_cancelling_restores_the_hosts_and_keeps_complete_rounds() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.on_event = lambda event: stage.control.cancel() if isinstance(event, events.RoundEnded) else None
    record = stage.compare()

    assert record.status is CampaignStatus.CANCELLED
    assert stage.tunnels.tunnels_up == []
    first = [one.status for one in record.attempts if one.key.round == 1]
    assert first == [AttemptStatus.COMPLETED] * 4
    assert stage.store.messages[record.campaign_id] == SENTENCES(
        first=WORK_CANCELLED(kind="comparison"), rest=ROUND_COMPLETE()
    )
    assert record.attempts_needed == 32


def test_cancelling_in_the_first_round_names_all_candidates() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.probes.on_cycle = lambda number: stage.control.cancel() if number == 3 else None
    record = stage.compare()

    assert record.status is CampaignStatus.CANCELLED
    assert {one.status for one in record.attempts} == {AttemptStatus.CANCELLED}
    assert len(record.attempts) == 4


def test_it_is_resumed_from_the_last_complete_round() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.25))

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.CycleEnded) and event.round == 2:
            stage.control.cancel()

    stage.on_event = on_event
    first = stage.compare()
    assert first.status is CampaignStatus.CANCELLED

    again = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.25, seed=2), store=stage.store)
    record = again.compare(first.campaign_id)

    assert record.status is CampaignStatus.COMPLETED
    assert [one for one in record.attempts if one.key.round == 1] == [
        one for one in first.attempts if one.key.round == 1
    ]
    assert "wire" not in again.probes.steps_of("wireguard")
    assert {event.key.round for event in again.of(events.AttemptStarted)} == {
        one.key.round for one in record.attempts if one.key.round > 1
    }


def test_a_round_of_which_a_part_is_stored_is_measured_again() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    record = stage.compare()
    kept = tuple(one for one in record.attempts if one.key.solution != "wireguard" or one.key.round == 1)
    last = max(one.key.round for one in record.attempts)
    killed = replace(record, status=CampaignStatus.INTERRUPTED, attempts=kept)
    stage.store.records[record.campaign_id] = killed

    again = AdaptiveStage(candidates=FOUR, store=stage.store)
    resumed = again.compare(record.campaign_id)
    assert {event.key.round for event in again.of(events.AttemptStarted)} >= {2}
    assert 1 not in {event.key.round for event in again.of(events.AttemptStarted)}
    assert max(one.key.round for one in resumed.attempts) >= last - 1
    assert resumed.status is CampaignStatus.COMPLETED


def test_a_lost_connection_repeats_the_round() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    losses = iter([ConnectionLost("gateway-a: the connection broke.")])

    def on_cycle(number: int) -> None:
        if number == 5:
            for loss in losses:
                raise loss

    stage.probes.on_cycle = on_cycle
    record = stage.compare()

    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert stage.tunnels.recovered == 1


def test_a_host_that_is_lost_in_a_later_round_is_reported_although_no_attempt_says_so() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    lost = ConnectionLost("gateway-a: the connection broke.")

    def on_step(_solution: str, _what: str) -> None:
        if any(event.key.round == 2 for event in stage.of(events.AttemptStarted)):
            raise lost

    stage.probes.on_step = on_step
    record = stage.compare()

    assert record.status is CampaignStatus.INTERRUPTED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert left_behind(record) == ""
    assert stage.of(events.CampaignEnded)[-1].left == lost.sentence()


def with_dead_link(monkeypatch: pytest.MonkeyPatch, number: int) -> tuple[AdaptiveStage, CampaignRecord]:
    """Return a comparison that a dead link ended in a round."""
    for name in ("PAUSE_S", "HEALED_WITHIN_S", "BACK_WITHIN_S"):
        monkeypatch.setattr(underlay_guard, name, 0.0)
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.25))
    stage.pair.pings = {side: [*["pings 1 1"] * number, "pings 3 0"] for side in ("a", "b")}

    def on_step(solution: str, what: str) -> None:
        is_due = any(event.key.round == number for event in stage.of(events.AttemptStarted))
        if is_due and (solution, what) == ("wireguard", "warm-up"):
            raise ProbeFailed("No echo reply.")

    stage.probes.on_step = on_step
    return stage, stage.compare()


def test_a_dead_link_drops_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, record = with_dead_link(monkeypatch, 1)

    assert record.status is CampaignStatus.INTERRUPTED
    assert {(one.status, one.reason) for one in record.attempts} == {(AttemptStatus.NOT_RUN, "underlay-down")}
    assert len(record.attempts) == 4
    assert len(stage.of(events.AttemptDropped)) == 4


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_resumed_comparison_that_ends_at_once_names_its_own_end_and_no_former_dead_link(
    monkeypatch: pytest.MonkeyPatch, *, is_cancelled: bool
) -> None:
    stage, record = with_dead_link(monkeypatch, 2)
    assert {one.reason for one in record.attempts if one.key.round == 2} == {"underlay-down"}
    assert rank(record).recommendation.solution is None

    again = AdaptiveStage(candidates=FOUR, store=stage.store)
    if is_cancelled:
        again.control.cancel()
    else:
        again.tunnels.recover_fault = ConnectionLost("gateway-a: the connection broke.")
    resumed = again.compare(record.campaign_id)

    assert resumed.status is (CampaignStatus.CANCELLED if is_cancelled else CampaignStatus.INTERRUPTED)
    left = {(one.status, one.reason) for one in resumed.attempts if one.key.round == 2}
    assert left == {(AttemptStatus.NOT_RUN, "cancelled" if is_cancelled else HostUnreachable.reason)}
    assert {one.status for one in resumed.attempts if one.key.round == 1} == {AttemptStatus.COMPLETED}
    assert rank(resumed).recommendation.solution is not None, "the round that is complete counts"


def test_a_pause_takes_effect_between_rounds() -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.CycleEnded) and event.round == 1 and event.cycle == 1:
            stage.control.pause()
        if isinstance(event, events.Paused) and event.is_paused:
            assert stage.tunnels.tunnels_up == []
            assert {one.key.round for one in stage.store.saved} == {1}
            stage.control.resume()

    stage.on_event = on_event
    assert stage.compare().status is CampaignStatus.COMPLETED
    assert [event.is_paused for event in stage.of(events.Paused)] == [True, False]


def test_samples_are_reported_block_by_block() -> None:
    stage = AdaptiveStage(candidates=(sample.WIREGUARD,))
    stage.compare()
    smallest = [event for event in stage.of(events.RttSamples) if event.frame_bytes == 60 and event.key.round == 1]
    assert [len(event.rtt_ms) for event in smallest] == [70] * 6


def test_states_of_candidates_are_those_of_the_last_round() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.compare()
    last = stage.of(events.RoundEnded)[-1].result
    assert {one.state for one in last.candidates} <= {CandidateState.DECIDED, CandidateState.OPEN}
    assert all(one.ratio is not None for one in last.candidates)


def test_blocks_are_measured_again_where_a_gate_asks_for_it_three_times_at_most() -> None:
    stage = AdaptiveStage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP), probes=FakeProbes(own_load_cores=1.7))
    attempt, *others = stage.compare().attempts

    assert [one.repeats for one in others if one.key.round > 1] == [0] * (len(others) - 1)
    assert attempt.repeats == 3
    assert attempt.own_load_cores == 1.7
    assert len(attempt.blocks) == 24
    assert [block.is_counted for block in attempt.blocks] == [False] * 18 + [True] * 6
    (again, *_) = [line.text for line in stage.of(events.LogLine) if has_message(BLOCKS_AGAIN, round=1)(line.text)]
    assert "1.7 cores" in again


def test_waits_of_daemons_are_divided_by_the_requests_of_the_same_time_after_repeats_too() -> None:
    stage = AdaptiveStage(candidates=(sample.WIREGUARD, sample.OPENVPN_UDP), probes=FakeProbes(wait_ms=6_000.0))
    attempt = stage.compare().attempts[0]

    assert attempt.repeats == 3
    assert attempt.readings["a"].requests == 6 * sum(BLOCK_PINGS)
    (wait,) = [gate for gate in gates_of(attempt) if gate.name is GateName.DAEMON_WAIT]
    assert wait.verdict is GateVerdict.FAILED
    shortest_ms = min(int(series.rtt_us.min()) for series in attempt.latency) / 1_000
    assert wait.value == pytest.approx(6_000.0 / 1_200 / shortest_ms, rel=0.05)
