"""Adaptive comparisons: which tunnels are up side by side, and the check that idle ones change no latency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
import sample_records as sample
from adaptive_stage import FAST, AdaptiveStage, FakeProbes
from campaign_stage import by_solution

from app.domain import events
from app.domain.errors import PreflightRefused, ProbeFailed, TunnelDown
from app.domain.messages import MessageForm
from app.domain.profiles import ADAPTIVE_PROFILE, BLOCK_PINGS, CHECK_BLOCKS
from app.domain.results import AttemptStatus, Candidate
from app.measurement.adaptive import comparison
from app.measurement.adaptive.side_by_side import moved
from app.measurement.messages import (
    BARE_LINK_CHANGED,
    LATENCY_CHANGED,
    MEASURED_ONE_AT_A_TIME,
    NOT_SET_UP_TOGETHER,
    ONE_AT_A_TIME_NOW,
    SIDE_BY_SIDE_NOT_CHECKED,
)
from app.probes.blocks import WarmUp
from app.probes.messages import RTT_UNSTEADY
from app.ranking.rank import rank
from support.message_checks import has_message

FOUR = (sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP, sample.OPENVPN_TCP)


def test_all_tunnels_of_a_group_are_up_at_the_same_time_after_a_check() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    up: list[int] = []
    stage.probes.on_cycle = lambda _number: up.append(len(stage.tunnels.tunnels_up))
    stage.compare()

    names = tuple(one.solution for one in FOUR)
    assert set(stage.tunnels.together) == {names}
    assert up[:5] == [2] * 5
    assert set(up[5:]) == {4}
    assert [len(cycle) for cycle in stage.probes.cycles[:10]] == [2] * 10
    for form in (ONE_AT_A_TIME_NOW, NOT_SET_UP_TOGETHER):
        assert not any(has_message(form)(line.text) for line in stage.of(events.LogLine))


def test_tunnels_that_change_a_latency_are_measured_one_at_a_time_from_then_on() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.0))

    def on_cycle(_number: int) -> None:
        is_crowded = len(stage.tunnels.tunnels_up) > 2
        stage.probes.latency_ms = {**FAST, "wireguard": 1.3} if is_crowded else FAST

    stage.probes.on_cycle = on_cycle
    record = stage.compare()

    names = [one.solution for one in FOUR]
    assert stage.tunnels.together[1:] == [(name,) for name in names] * ((len(stage.tunnels.together) - 1) // 4)
    assert all(has_message(MEASURED_ONE_AT_A_TIME)(one.doubts[0]) for one in record.attempts)
    warnings = [line.text for line in stage.of(events.LogLine) if line.level is events.LogLevel.WARNING]
    (reported,) = [text for text in warnings if has_message(ONE_AT_A_TIME_NOW)(text)]
    assert has_message(LATENCY_CHANGED, title=sample.WIREGUARD.title, percent=pytest.approx(30.0, abs=0.5))(reported)
    bare = next(one for one in record.attempts if one.key.solution == "baseline")
    assert len(bare.blocks) == 18  # beside each of the others


def test_load_that_comes_meanwhile_is_none_of_the_tunnels_fault() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.0, slow_cycles=set(range(6, 11))))
    stage.compare()
    for form in (ONE_AT_A_TIME_NOW, NOT_SET_UP_TOGETHER):
        assert not any(has_message(form)(line.text) for line in stage.of(events.LogLine))


def test_groups_that_exclude_each_other_are_measured_after_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "side_by_side", lambda choices: ((0, 1, 2), (3,))[: len(choices) - 2])
    stage = AdaptiveStage(candidates=FOUR)
    record = stage.compare()

    assert stage.tunnels.together[:2] == [("baseline", "wireguard", "openvpn-udp"), ("openvpn-tcp",)]
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    bare = record.attempts[0]
    assert len(bare.blocks) == 12
    assert stage.probes.steps_of("baseline").count("wire") == 1
    assert {one.rate_mbit_s for one in record.attempts if one.key.round == 2} == {25.0}  # known after the first round


def test_groups_have_five_cycles_each_where_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "side_by_side", lambda choices: ((0, 1, 2), (3,))[: len(choices) - 2])
    record = AdaptiveStage(candidates=FOUR, profile=replace(ADAPTIVE_PROFILE, budget_s=0.001)).compare()
    assert [len(one.blocks) for one in record.attempts] == [10, 5, 5, 5]


def test_a_group_that_cannot_be_set_up_is_measured_one_at_a_time() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    together: list[int] = []

    def on_open(_solution: str) -> None:
        together.append(len(stage.tunnels.tunnels_up))
        if len(stage.tunnels.tunnels_up) > 2:
            raise PreflightRefused("There is no room for so many.")

    stage.tunnels.on_open = on_open
    record = stage.compare()
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert max(together) == 4


def test_the_change_that_counts_is_beyond_chance() -> None:
    quiet, slower = [1.0, 1.01, 0.99, 1.0, 1.0], [1.07, 1.08, 1.06, 1.07, 1.07]
    assert moved("x", quiet, slower).is_too_much
    assert not moved("x", quiet, [1.04] * 5).is_too_much
    assert not moved("x", [0.7, 1.0, 1.4, 0.9, 1.1], [0.8, 1.1, 1.5, 1.0, 1.2]).is_too_much
    assert not moved("x", [], slower).is_too_much


def test_a_cycle_without_any_reply_of_a_candidate_does_not_count_and_is_repeated() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    silent = 2 * CHECK_BLOCKS + 2

    def on_cycle(number: int) -> None:
        stage.probes.lost = {"openvpn-tcp"} if number == silent else set()

    stage.probes.on_cycle = on_cycle
    first = [one for one in stage.compare().attempts if one.key.round == 1]

    assert {one.status for one in first} == {AttemptStatus.COMPLETED}
    assert [[block.cycle for block in one.blocks if not block.is_counted] for one in first] == [[2]] * 4
    assert {len(one.blocks) for one in first} == {7}
    assert sum(series.sent - series.received for one in first for series in one.latency) == sum(BLOCK_PINGS)


@pytest.mark.parametrize(("cycles", "has_figures"), [(1, False), (2, False), (3, True)])
def test_a_candidate_that_is_cancelled_has_figures_from_three_cycles_on(cycles: int, *, has_figures: bool) -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_cycle(number: int) -> None:
        if number == 2 * CHECK_BLOCKS + cycles + 1:
            stage.control.cancel()

    stage.probes.on_cycle = on_cycle
    record = stage.compare()
    assert {one.status for one in record.attempts} == {AttemptStatus.CANCELLED}
    assert {bool(one.latency) for one in record.attempts} == {has_figures}
    assert {len(one.blocks) for one in record.attempts} == {cycles if has_figures else 0}
    results = rank(record).results
    assert {one.weighted_latency_ms is not None for one in results} == {has_figures}


def checked(stage: AdaptiveStage) -> list[set[str]]:
    """Return the candidates of each five cycles at the begin."""
    return [{name for cycle in stage.probes.cycles[first : first + 5] for name in cycle} for first in (0, 5)]


def test_the_first_tunnel_that_comes_up_is_checked() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.tunnels.faults["wireguard"] = TunnelDown("WireGuard did not come up.")
    record = stage.compare()

    assert checked(stage) == [{"baseline", "openvpn-udp"}] * 2
    assert stage.tunnels.opened[:4] == ["baseline", "wireguard", "openvpn-udp", "openvpn-tcp"]
    assert by_solution(record)["wireguard"] == ["failed"]
    assert "completed" in by_solution(record)["openvpn-udp"]
    assert not any(one.doubts for one in record.attempts)


def test_a_check_whose_candidate_fails_is_made_with_another_one() -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_step(solution: str, step: str) -> None:
        if (solution, step) == ("wireguard", "warm-up") and len(stage.tunnels.tunnels_up) > 2:
            raise ProbeFailed("No reply.")

    stage.probes.on_step = on_step
    record = stage.compare()

    assert checked(stage) == [{"baseline", "wireguard"}, {"baseline", "openvpn-udp"}]
    assert stage.tunnels.together[:2] == [
        ("baseline", "wireguard", "openvpn-udp", "openvpn-tcp"),
        ("baseline", "openvpn-udp", "openvpn-tcp"),
    ]
    assert by_solution(record)["wireguard"] == ["failed"]
    assert {one.status for one in record.attempts if one.key.solution != "wireguard"} == {AttemptStatus.COMPLETED}


def test_a_candidate_that_falls_silent_in_the_check_has_failed_and_no_other_one() -> None:
    stage = AdaptiveStage(candidates=FOUR)
    stage.probes.on_cycle = lambda number: stage.probes.lost.add("wireguard") if number == 6 else None
    record = stage.compare()

    assert by_solution(record)["wireguard"] == ["failed"]
    assert {one.status for one in record.attempts if one.key.solution != "wireguard"} == {AttemptStatus.COMPLETED}
    assert {"baseline", "openvpn-udp"} in [set(cycle) for cycle in stage.probes.cycles]


def test_a_check_with_too_few_replies_is_a_doubt_and_made_again_with_another_candidate() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.25))

    def on_cycle(number: int) -> None:
        stage.probes.lost = {"wireguard"} if number <= 5 else set()

    stage.probes.on_cycle = on_cycle
    record = stage.compare()

    doubtful = [one for one in record.attempts if any(map(has_message(SIDE_BY_SIDE_NOT_CHECKED), one.doubts))]
    assert {one.key.round for one in doubtful} == {1}
    assert len(doubtful) == 4
    pairs = [set(cycle) for cycle in stage.probes.cycles if len(cycle) == 2]
    assert pairs.count({"baseline", "openvpn-udp"}) == 10, "in the second round, and in no later one"
    assert max(one.key.round for one in record.attempts) > 2


def test_the_check_is_due_after_a_round_of_one_at_a_time() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.25))

    def on_open(_solution: str) -> None:
        if len(stage.tunnels.tunnels_up) > 2 and len(stage.tunnels.together) == 1:
            raise PreflightRefused("There is no room for so many.")

    stage.tunnels.on_open = on_open
    stage.compare()
    second = stage.tunnels.together.index(stage.tunnels.together[0], 1)
    assert {len(names) for names in stage.tunnels.together[1:second]} == {1}
    pairs = [set(cycle) for cycle in stage.probes.cycles]
    assert pairs.count({"baseline", "openvpn-udp"}) >= 10


def test_a_bare_link_that_answers_nothing_is_left_out_of_the_check() -> None:
    stage = AdaptiveStage(candidates=FOUR)

    def on_step(solution: str, step: str) -> None:
        if (solution, step) == ("baseline", "warm-up"):
            raise ProbeFailed("No reply.")

    stage.probes.on_step = on_step
    record = stage.compare()
    assert checked(stage) == [{"wireguard"}] * 2
    assert not reported(stage, NOT_SET_UP_TOGETHER)
    assert by_solution(record)["baseline"][0] == "failed"
    assert "failed" not in by_solution(record)["wireguard"]


THREE_VPNS = FOUR[1:]


def crowded(stage: AdaptiveStage, most: int, slow: Mapping[str, float]) -> None:
    """Make some latencies longer while more than so many tunnels are up."""

    def on_cycle(_number: int) -> None:
        stage.probes.latency_ms = {**FAST, **slow} if len(stage.tunnels.tunnels_up) > most else FAST

    stage.probes.on_cycle = on_cycle


def reported(stage: AdaptiveStage, form: MessageForm) -> bool:
    return any(has_message(form)(line.text) for line in stage.of(events.LogLine))


def test_the_bare_link_is_measured_for_the_check_where_it_is_no_candidate() -> None:
    stage = AdaptiveStage(candidates=THREE_VPNS, probes=FakeProbes(noise=0.0))
    up: list[int] = []
    stage.probes.on_cycle = lambda _number: up.append(len(stage.tunnels.tunnels_up))
    record = stage.compare()
    assert up[:6] == [1] * 5 + [3], "one tunnel is up before the others"
    assert {name for cycle in stage.probes.cycles[:10] for name in cycle} == {"baseline", "wireguard"}
    assert not any("baseline" in cycle for cycle in stage.probes.cycles[10:])
    assert "baseline" not in {one.key.solution for one in record.attempts}


@pytest.mark.parametrize("candidates", [THREE_VPNS, FOUR[1:3]])
def test_tunnels_that_change_a_latency_are_noticed_without_the_bare_link(candidates: tuple[Candidate, ...]) -> None:
    stage = AdaptiveStage(candidates=candidates, probes=FakeProbes(noise=0.0))
    crowded(stage, 1, {"wireguard": 1.3})
    record = stage.compare()
    assert reported(stage, ONE_AT_A_TIME_NOW)
    assert all(has_message(MEASURED_ONE_AT_A_TIME)(one.doubts[0]) for one in record.attempts)
    assert {len(names) for names in stage.tunnels.together[1:]} == {1}


def test_load_that_comes_meanwhile_is_no_tunnels_fault_without_the_bare_link_either() -> None:
    stage = AdaptiveStage(candidates=THREE_VPNS, probes=FakeProbes(noise=0.0, slow_cycles=set(range(6, 11))))
    record = stage.compare()
    assert not reported(stage, ONE_AT_A_TIME_NOW)
    assert not any(one.doubts for one in record.attempts)


@pytest.mark.parametrize(("slow", "is_noticed"), [({"wireguard": 1.3}, True), ({}, False)])
def test_a_candidate_is_checked_alone_where_the_bare_link_does_not_answer(
    slow: Mapping[str, float], *, is_noticed: bool
) -> None:
    stage = AdaptiveStage(candidates=THREE_VPNS, probes=FakeProbes(noise=0.0))
    crowded(stage, 1, slow)

    def on_step(solution: str, step: str) -> None:
        if (solution, step) == ("baseline", "warm-up"):
            raise ProbeFailed("No reply.")

    stage.probes.on_step = on_step
    record = stage.compare()
    assert set(stage.probes.cycles[:10]) == {("wireguard",)}
    assert reported(stage, ONE_AT_A_TIME_NOW) is is_noticed
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}


def test_a_bare_link_that_changed_as_much_is_a_doubt() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(noise=0.0))
    crowded(stage, 2, {name: 1.2 * ms for name, ms in FAST.items()})
    record = stage.compare()
    assert not reported(stage, ONE_AT_A_TIME_NOW)
    first = [one for one in record.attempts if one.key.round == 1]
    doubt = has_message(BARE_LINK_CHANGED, percent=pytest.approx(20.0, abs=0.5))
    assert all(any(map(doubt, one.doubts)) for one in first)


def test_a_warm_up_whose_windows_did_not_agree_is_known_of_each_attempt() -> None:
    unsteady = WarmUp(is_steady=False, ratio=1.3)
    record = AdaptiveStage(candidates=FOUR, probes=FakeProbes(warmed_up=unsteady)).compare()
    assert {one.warm_up_ratio for one in record.attempts} == {1.3}
    assert all(any(map(has_message(RTT_UNSTEADY), one.doubts)) for one in record.attempts)
