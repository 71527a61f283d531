"""Readings of attempts in comparisons of fixed rounds: before and after the echo requests; disturbed attempts again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import sample_records as sample
from campaign_stage import by_solution
from disturbed_stage import Lines, gate, second_time, stage_with, throttled_always, throttled_once, warnings
from dying_link import DEAD, WRONG_REASON, Link, report
from fake_captures import able

from app.domain import events
from app.domain.errors import TunnelDown
from app.domain.gates import GateName, GateVerdict
from app.domain.ranking import AdviceKind
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.measurement.comparison.repeats import Repeats
from app.measurement.messages import ATTEMPT_AGAIN, ATTEMPTS_NOT_RUN, REPEAT_ENDED_EARLY
from app.probes import underlay_guard
from app.ranking import rank
from app.ranking.gates import MOST_REPEATS, gates_of
from app.ranking.messages import HOSTS_TOO_BUSY
from app.ranking.warnings import candidate_warnings
from support.message_checks import has_message

REQUESTS = 50 + 7 * 5
"""Echo requests of an attempt of the stage, those of the warm-up included."""


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSE_S", "HEALED_WITHIN_S", "BACK_WITHIN_S"):
        monkeypatch.setattr(underlay_guard, name, 0.0)


def grows(form: str, step: float) -> Lines:
    """Return a counter that grows by so much within each attempt."""
    return lambda number: (form.format(step * (number // 2)),)


def stolen(percent: int) -> Lines:
    """Return CPU time of which a hypervisor takes a share within each attempt."""
    return lambda number: (
        f"{number} 7 cpu 0 0 0 {1_000 + (100 - percent) * (number // 2)} 0 0 0 {5 + percent * (number // 2)}",
    )


def clock(step_s: float) -> Lines:
    return lambda number: (f"wall {1_000 + number + step_s * (number // 2):.3f}", f"uptime {number}.00")


# --- each reading ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines", "verdict"),
    [
        (GateName.STEAL, stolen(1), GateVerdict.OK),
        (GateName.STEAL, stolen(5), GateVerdict.DOUBT),
        (GateName.STEAL, stolen(20), GateVerdict.FAILED),
        (GateName.DAEMON_WAIT, grows("waits 1000 {:.0f}", 1e6), GateVerdict.OK),
        (GateName.DAEMON_WAIT, grows("waits 1000 {:.0f}", 50e6), GateVerdict.DOUBT),
        (GateName.DAEMON_WAIT, grows("waits 1000 {:.0f}", 200e6), GateVerdict.FAILED),
        (GateName.DROPS, grows("device tmk0 rx_dropped {:.0f}", 0), GateVerdict.OK),
        (GateName.DROPS, grows("device tmk0 rx_dropped {:.0f}", 3), GateVerdict.DOUBT),
        (GateName.DROPS, grows("softnet 0000000{:.0f} 00000000", 1), GateVerdict.DOUBT),
        (GateName.UNDERLAY_DROPS, grows("underlay rx_dropped {:.0f}", 8), GateVerdict.OK),
        (GateName.UNDERLAY_DROPS, grows("underlay rx_dropped {:.0f}", 80), GateVerdict.DOUBT),
        (GateName.UNDERLAY_DROPS, grows("underlay rx_errors {:.0f}", 2_000), GateVerdict.FAILED),
        (GateName.CLOCK_STEP, clock(0.0), GateVerdict.OK),
        (GateName.CLOCK_STEP, clock(-0.4), GateVerdict.DOUBT),
        (GateName.CLOCK_STEP, clock(5.0), GateVerdict.FAILED),
        (GateName.THROTTLING, grows("throttled {:.0f}", 0), GateVerdict.OK),
        (GateName.THROTTLING, throttled_always, GateVerdict.FAILED),
        (GateName.CLOCK_SOURCE, grows("clocksource tsc", 0), GateVerdict.OK),
        (GateName.CLOCK_SOURCE, grows("clocksource acpi_pm", 0), GateVerdict.DOUBT),
        (GateName.GOVERNOR, grows("governor performance", 0), GateVerdict.OK),
        (GateName.GOVERNOR, grows("governor powersave", 0), GateVerdict.DOUBT),
        (GateName.GOVERNOR, lambda _: ("governor powersave", "scaling_driver intel_pstate"), GateVerdict.OK),
    ],
)
def test_a_reading_of_a_host_is_taken_judged_and_named(name: GateName, lines: Lines, verdict: GateVerdict) -> None:
    stage = stage_with(lines)
    record = stage.run()

    (attempt,) = record.attempts
    found = gate(attempt, name)
    assert found.verdict is verdict
    is_disturbed = verdict is GateVerdict.FAILED
    assert attempt.repeats == (MOST_REPEATS if is_disturbed else 0)
    assert stage.tunnels.opened == ["wireguard"] * (1 + attempt.repeats)
    assert len(stage.store.saved) == 1 + attempt.repeats
    assert {one.key for one in stage.store.saved} == {attempt.key}
    ranking = rank(record)
    doubted = any(found.words in doubt for doubt in warned(record))
    assert doubted is (verdict is GateVerdict.DOUBT)
    assert (ranking.recommendation.kind is AdviceKind.NONE) is is_disturbed
    if is_disturbed:
        assert HOSTS_TOO_BUSY() in ranking.recommendation.sentence
        assert found.words in ranking.recommendation.sentence
        assert [found.words in text for text in warnings(stage)] == [True] * MOST_REPEATS


def warned(record: CampaignRecord) -> tuple[str, ...]:
    return tuple(text for text in candidate_warnings(record, rank(record).results[0]) if "in doubt" in text)


def test_what_hosts_do_not_report_has_no_value_and_passes() -> None:
    (attempt,) = stage_with(lambda _number: ()).run().attempts

    found = {one.name: one for one in gates_of(attempt)}
    for name in (GateName.STEAL, GateName.DROPS, GateName.UNDERLAY_DROPS, GateName.CLOCK_STEP):
        assert (found[name].value, found[name].verdict) == (None, GateVerdict.OK)
    unknown = {GateName.DAEMON_WAIT, GateName.OWN_LOAD, GateName.THROTTLING, GateName.CLOCK_SOURCE, GateName.GOVERNOR}
    assert not unknown & found.keys()
    assert attempt.repeats == 0


def test_waits_are_those_of_the_tunnels_daemons_by_all_requests_of_the_same_time() -> None:
    stage = stage_with(lambda number: (f"waits 1000 {number * 10_000_000}",))
    (attempt,) = stage.run().attempts

    assert attempt.readings["a"].wait_ms == pytest.approx(10.0)
    assert attempt.readings["b"].wait_ms is None
    assert attempt.readings["a"].requests == attempt.readings["b"].requests == REQUESTS
    (asked,) = {command.argv[-2] for command in stage.pair.a.commands if "softnet" in " ".join(command.argv)}
    assert asked == "1000"
    assert gate(attempt, GateName.DAEMON_WAIT).value == pytest.approx(10_000 / REQUESTS / 500)


@pytest.mark.parametrize(
    ("cores", "verdict", "repeats"),
    [
        ([0.2], GateVerdict.OK, 0),
        ([0.7], GateVerdict.DOUBT, 0),
        ([1.7, 0.1], GateVerdict.OK, 1),
        ([1.7] * 4, GateVerdict.FAILED, 3),
    ],
)
def test_load_of_the_users_computer_is_measured_beside_a_practice_lab(
    monkeypatch: pytest.MonkeyPatch, cores: list[float], verdict: GateVerdict, repeats: int
) -> None:
    left = iter(cores)
    of_guests: list[tuple[int, ...]] = []

    class Load:
        def __init__(self, guests: tuple[int, ...]) -> None:
            of_guests.append(guests)

        def start(self) -> None:
            pass

        def cores(self) -> float:
            return next(left)

    monkeypatch.setattr("app.measurement.comparison.probe_run.OwnLoad", Load)
    stage = stage_with(lambda _number: ())
    stage.guests = (77, 78)
    record = stage.run()

    (attempt,) = record.attempts
    assert (gate(attempt, GateName.OWN_LOAD).verdict, attempt.repeats) == (verdict, repeats)
    assert attempt.own_load_cores == cores[-1]
    assert set(of_guests) == {(77, 78)}
    if verdict is GateVerdict.FAILED:
        assert "1.7 cores" in rank(record).recommendation.sentence


def test_counters_are_read_before_and_after_the_echo_requests_and_not_meanwhile() -> None:
    stage = stage_with(lambda _number: ())
    stage.run()

    def kind(argv: Sequence[str]) -> str:
        text = " ".join(argv)
        kinds = {"softnet": "counters", "warm-up": "pings", "iperf3 -c": "TCP"}
        return next((word for part, word in kinds.items() if part in text), "")

    of_a = [found for command in stage.pair.a.commands if (found := kind(command.argv))]
    assert of_a[:3] == ["counters", "pings", "counters"]
    assert of_a.count("counters") == 2
    assert [kind(command.argv) for command in stage.pair.b.commands].count("counters") == 2


# --- spread of the replies -------------------------------------------------------------------------------------------


def stretched(number: int) -> float:
    """Return round trips of which the first is short and the others are long."""
    return 0.2 if number == 1 else 0.9


def test_an_attempt_whose_replies_spread_is_repeated_and_the_quiet_one_counts() -> None:
    stage = stage_with(lambda _number: (), sample.BASELINE, sample.WIREGUARD)
    # Two readings of the bare link came before.
    stage.pair.rtt_ms = lambda number: stretched(number) if stage.pair.readings["a"] == 3 else 0.5
    record = stage.run()

    assert [one.repeats for one in record.attempts] == [0, 1, 0]
    assert all(series.rtt_us.tolist() == [500] * 5 for series in record.attempts[1].latency)
    (text,) = warnings(stage)
    assert has_message(ATTEMPT_AGAIN, title=sample.WIREGUARD.title, number=1, most=MOST_REPEATS, round=1)(text)


def test_replies_that_spread_as_those_of_the_bare_link_are_not_repeated() -> None:
    stage = stage_with(lambda _number: (), sample.BASELINE, sample.WIREGUARD)
    stage.pair.rtt_ms = stretched
    record = stage.run()

    assert [one.repeats for one in record.attempts] == [0, 0, 0]
    (of_wireguard,) = [one for one in record.attempts if one.key.solution == "wireguard"]
    assert gate(of_wireguard, GateName.SPREAD).value == pytest.approx(0.9 / 0.34, rel=0.01)


def test_a_candidate_that_spreads_as_much_in_each_round_is_not_repeated_for_it() -> None:
    first, second = (
        replace(
            one,
            latency=tuple(
                replace(each, rtt_us=np.where(np.arange(each.rtt_us.size) % 4 == 0, 200, 900).astype(np.uint32))
                for each in one.latency
            ),
        )
        for one in sample.sample_record(rounds=2).attempts
        if one.key.solution == "wireguard"
    )
    assert Repeats(()).due(first) is not None
    assert Repeats((first,)).due(second) is None


# --- repeats ---------------------------------------------------------------------------------------------------------


def test_a_disturbed_attempt_is_repeated_as_a_whole_at_its_place() -> None:
    stage = stage_with(throttled_once, sample.BASELINE, sample.WIREGUARD, rounds=2)
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert [one.repeats for one in record.attempts] == [1, 0, 0, 0, 0]
    assert [event.key.position for event in stage.of(events.AttemptStarted)] == [0, 0, 1, 2, 3, 4]
    assert [event.key.position for event in stage.of(events.AttemptDropped)] == [0]
    assert [event.attempt.key for event in stage.of(events.AttemptEnded)] == list(record.plan.attempts)
    pings = [command.argv for command in stage.pair.a.commands if "warm-up" in " ".join(command.argv)]
    assert len(pings) == 6
    assert pings[0] == pings[1], "the same requests of the same sizes in the same order"
    fractions = [event.fraction for event in stage.of(events.Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_three_repeats_are_those_of_the_whole_comparison() -> None:
    stage = stage_with(throttled_always, sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP)
    record = stage.run()

    assert [one.repeats for one in record.attempts] == [MOST_REPEATS, 0, 0, 0]
    verdicts = [gate(one, GateName.THROTTLING).verdict for one in record.attempts]
    assert verdicts == [GateVerdict.FAILED, *(GateVerdict.REPEAT,) * 3]
    assert len(warnings(stage)) == MOST_REPEATS
    advice = rank(record).recommendation
    assert advice.kind is AdviceKind.NONE
    assert "throttled 1 times on A" in advice.sentence


def test_packet_tests_are_made_once() -> None:
    stage = stage_with(throttled_once)
    stage.facts = {side: able(facts) for side, facts in stage.facts.items()}
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.repeats) == (AttemptStatus.COMPLETED, 1)
    assert attempt.capture is not None
    kinds = [
        "tests" if isinstance(event, events.StageStarted) and event.stage is events.Stage.PACKET_TESTS else "dropped"
        for event in stage.seen
        if isinstance(event, events.AttemptDropped)
        or (isinstance(event, events.StageStarted) and event.stage is events.Stage.PACKET_TESTS)
    ]
    assert kinds[-1] == "dropped", "there is none in the repeat"
    assert "tests" in kinds


@pytest.mark.parametrize("does_cancel", [True, False], ids=["cancelled", "skipped"])
def test_a_repeat_that_the_user_ends_leaves_the_disturbed_figures(does_cancel: bool) -> None:
    stage = stage_with(throttled_always, sample.WIREGUARD, sample.OPENVPN_UDP)
    second_time(stage, stage.control.cancel if does_cancel else stage.control.skip)
    first, second = stage.run().attempts

    assert (first.status, first.repeats) == (AttemptStatus.COMPLETED, 1)
    assert has_message(REPEAT_ENDED_EARLY)(first.doubts[-1])
    assert second.status is (AttemptStatus.NOT_RUN if does_cancel else AttemptStatus.COMPLETED)


def test_what_is_cancelled_before_the_repeat_begins_keeps_the_disturbed_figures() -> None:
    stage = stage_with(throttled_always, sample.WIREGUARD, sample.OPENVPN_UDP)
    stage.on_event = lambda event: stage.control.cancel() if isinstance(event, events.AttemptDropped) else None
    record = stage.run()

    assert record.status is CampaignStatus.CANCELLED
    assert [one.status for one in record.attempts] == [AttemptStatus.COMPLETED, AttemptStatus.NOT_RUN]
    disturbed = stage.store.load_campaign(record.campaign_id).attempts[0]
    assert disturbed.repeats == 1, "it counts when the comparison is resumed"
    assert any(map(has_message(REPEAT_ENDED_EARLY), disturbed.doubts))
    assert has_message(ATTEMPTS_NOT_RUN, left=1, number=2)(stage.store.messages[record.campaign_id])


def test_a_link_that_dies_in_a_repeat_costs_no_further_one() -> None:
    stage = stage_with(throttled_once)
    stage.healer = link = Link(stage, "")

    def die() -> None:
        report(stage.pair, DEAD)
        raise WRONG_REASON

    second_time(stage, die)
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.repeats, link.heals) == (AttemptStatus.COMPLETED, 1, 1)
    assert len(stage.tunnels.opened) == 3
    assert len(warnings(stage)) == 1


def test_resuming_repeats_nothing_that_was_stored_and_counts_its_repeats() -> None:
    stage = stage_with(throttled_always, sample.BASELINE, sample.WIREGUARD)
    stage.run()
    record = stage.store.records[1]
    first = replace(record.attempts[0], repeats=2)
    stage.store.records[1] = replace(record, attempts=(first,), status=CampaignStatus.INTERRUPTED)
    again = stage_with(throttled_always, sample.BASELINE, sample.WIREGUARD)
    again.store = stage.store

    resumed = again.run(resume_id=1)

    assert [one.repeats for one in resumed.attempts] == [2, 1, 0]
    assert by_solution(resumed) == {"baseline": ["completed"] * 2, "wireguard": ["completed"]}


def test_a_failed_attempt_is_not_repeated() -> None:
    stage = stage_with(throttled_always)
    stage.tunnels.faults["wireguard"] = TunnelDown("WireGuard did not come up.")
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.repeats) == (AttemptStatus.FAILED, 0)
    assert warnings(stage) == []
