"""A campaign whose link dies: healed, waited for, paused, stopped; what was measured on a dead link does not count."""

from __future__ import annotations

import pytest
from adaptive_stage import AdaptiveStage
from campaign_stage import THREE, Stage, by_solution
from dying_link import DEAD, LINK, SENTENCE, WELL, WRONG_REASON, Link, attended, dropped_tries, report, reported

from app.domain import events
from app.domain.commands import Command
from app.domain.errors import (
    LabFault,
    ProbeFailed,
)
from app.domain.messages import sentences
from app.domain.ranking import AdviceKind
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.control import CampaignControl
from app.measurement.messages import ATTEMPTS_NOT_RUN
from app.probes import underlay_guard
from app.probes.messages import LAB_RESTARTS_LINK, LINK_DIED_IN_A_ROW, LINK_IS_BACK, LINK_STILL_DEAD, WAITING_FOR_LINK
from app.ranking import rank
from support.message_checks import has_message


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSE_S", "HEALED_WITHIN_S", "BACK_WITHIN_S"):
        monkeypatch.setattr(underlay_guard, name, 0.0)


def test_a_link_that_is_ours_is_healed_and_the_attempt_repeated() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert link.heals == 1
    assert reported(stage) == [
        (False, sentences((SENTENCE, LAB_RESTARTS_LINK()))),
        (True, LINK_IS_BACK(link=LINK)),
    ]
    position = next(key.position for key in record.plan.attempts if key.solution == "wireguard")
    assert [event.key.position for event in stage.of(events.AttemptDropped)] == [position]
    started = [event.key.position for event in stage.of(events.AttemptStarted)]
    assert started == sorted([*range(4), position])
    # What happened is kept with the attempt that took its place, and only there; the wrong reason nowhere.
    assert [one.key.position for one in record.attempts if dropped_tries(one)] == [position]
    assert not any(WRONG_REASON.message in event.text for event in stage.of(events.LogLine))
    assert len(stage.store.saved) == 4


def test_progress_ends_where_the_plan_does_although_an_attempt_was_dropped() -> None:
    stage = Stage()
    stage.healer = Link(stage)
    stage.run()

    fractions = [event.fraction for event in stage.of(events.Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_a_link_that_comes_back_by_itself_needs_no_healer() -> None:
    stage = Stage()
    Link(stage)
    stage.on_event = lambda event: report(stage.pair, WELL) if isinstance(event, events.UnderlayChanged) else None
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert [is_up for is_up, _ in reported(stage)] == [False, True]
    assert has_message(WAITING_FOR_LINK)(reported(stage)[0][1])
    assert reported(stage)[0][1].startswith(SENTENCE)


def test_a_link_that_remains_dead_stops_with_the_rest_of_the_plan_intact_and_can_be_resumed() -> None:
    stage = Stage()
    Link(stage)
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    first = next(key.position for key in record.plan.attempts if key.solution == "wireguard")
    statuses = [one.status.value for one in record.attempts]
    assert statuses == ["completed"] * first + ["not-run"] * (4 - first)
    assert {one.reason for one in record.attempts[first:]} == {"underlay-down"}
    ((_, text),) = reported(stage)
    assert text.startswith(SENTENCE)
    assert stage.store.messages[record.campaign_id].startswith(SENTENCE)
    assert has_message(ATTEMPTS_NOT_RUN, left=4 - first, number=4)(stage.store.messages[record.campaign_id])

    again = Stage(store=stage.store)
    resumed = again.run(resume_id=record.campaign_id)
    assert resumed.status is CampaignStatus.COMPLETED
    assert [event.key.position for event in again.of(events.AttemptStarted)] == list(range(first, 4))


def test_healing_is_tried_twice_for_one_attempt_and_not_more() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    link.heals_in_vain = 9
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert link.heals == underlay_guard.MAX_HEALS
    in_vain = [event for event in stage.of(events.LogLine) if has_message(LINK_STILL_DEAD)(event.text)]
    assert len(in_vain) == underlay_guard.MAX_HEALS


def test_the_second_restart_may_help() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    link.heals_in_vain = 1

    assert stage.run().status is CampaignStatus.COMPLETED
    assert link.heals == 2


def test_an_attempt_that_kills_the_link_each_time_is_not_repeated_for_ever() -> None:
    stage = Stage()
    stage.healer = link = Link(stage, deaths=99)
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert link.heals == underlay_guard.MAX_HEALS
    assert len(stage.of(events.AttemptDropped)) == underlay_guard.MAX_REPEATS + 1
    assert has_message(LINK_DIED_IN_A_ROW, tries=3)(reported(stage)[-1][1])
    assert AttemptStatus.FAILED not in {one.status for one in record.attempts}


def test_each_attempt_has_its_own_heals() -> None:
    stage = Stage()
    stage.healer = link = Link(stage, deaths=2)
    first = stage.run()
    assert (first.status, link.heals) == (CampaignStatus.COMPLETED, 2)

    stage = Stage(rounds=3)
    stage.healer = link = Link(stage, "openvpn-udp", deaths=3)
    opened: list[str] = []

    def open_(solution: str) -> None:
        opened.append(solution)
        if solution == "openvpn-udp" and opened.count(solution) % 2 == 0:  # the repetition goes through
            return
        link.open(solution)

    stage.tunnels.on_open = open_
    record = stage.run()
    assert (record.status, link.heals) == (CampaignStatus.COMPLETED, 3)


@pytest.mark.parametrize("trouble", ["not ours", "fault"])
def test_what_cannot_be_healed_is_reported_and_stops(trouble: str) -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    link.is_ours = trouble != "not ours"
    link.fault = LabFault("The lab “one” does not answer.") if trouble == "fault" else None
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert link.heals == 1
    reported = any("The lab “one” does not answer." in event.text for event in stage.of(events.LogLine))
    assert reported is (trouble == "fault")


def test_with_a_user_there_it_pauses_and_going_on_tries_the_attempt_again() -> None:
    stage = attended(Stage())
    Link(stage)
    reasons: list[str] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.Paused) and event.is_paused:
            reasons.append(event.reason)
            assert stage.tunnels.tunnels_up == []
            if len(reasons) == 2:
                report(stage.pair, WELL)
            stage.control.resume()

    stage.on_event = on_event
    record = stage.run()

    # The first time the user goes on too early.
    assert [reason.startswith(SENTENCE) for reason in reasons] == [True, True]
    assert record.status is CampaignStatus.COMPLETED
    assert by_solution(record)["wireguard"] == ["completed"]
    assert [one.key.solution for one in record.attempts if dropped_tries(one)] == ["wireguard"]


def test_a_pause_of_the_users_own_has_no_reason_of_an_earlier_one() -> None:
    control = CampaignControl(is_attended=True)
    control.pause("The link is dead.")
    control.resume()
    control.pause()
    seen: list[events.Paused] = []

    def emit(event: events.Paused) -> None:
        seen.append(event)
        control.resume()

    control.wait_while_paused(emit)
    assert seen == [events.Paused(is_paused=True), events.Paused(is_paused=False)]


def test_cancelling_that_pause() -> None:
    stage = attended(Stage())
    Link(stage)
    stage.on_event = lambda event: stage.control.cancel() if isinstance(event, events.Paused) else None
    record = stage.run()

    assert record.status is CampaignStatus.CANCELLED
    assert {one.reason for one in record.attempts if one.status is AttemptStatus.NOT_RUN} == {"cancelled"}
    assert AttemptStatus.FAILED not in {one.status for one in record.attempts}


def test_cancelling_while_it_is_healed() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    link.on_heal = stage.control.cancel
    record = stage.run()

    assert record.status is CampaignStatus.CANCELLED
    assert AttemptStatus.FAILED not in {one.status for one in record.attempts}
    assert len(record.attempts) == 4


def test_cancelling_while_the_link_is_inspected_after_a_failure() -> None:
    stage = Stage()
    Link(stage)

    def interfere(_side: str, command: Command) -> None:
        if "ip neigh" in " ".join(command.argv) and stage.pair.pings["a"][0] == DEAD:
            stage.control.cancel()

    stage.pair.interfere = interfere
    record = stage.run()

    assert record.status is CampaignStatus.CANCELLED
    assert AttemptStatus.FAILED not in {one.status for one in record.attempts}


def test_nothing_is_recommended_where_the_link_died_in_a_later_round_until_that_is_measured() -> None:
    stage = AdaptiveStage()

    def on_step(_solution: str, _what: str) -> None:
        if any(event.key.round == 2 for event in stage.of(events.AttemptStarted)):
            report(stage.pair, DEAD)
            raise ProbeFailed("No echo reply.")

    stage.probes.on_step = on_step
    record = stage.compare()

    assert record.status is CampaignStatus.INTERRUPTED
    assert by_solution(record) == {one.solution: ["completed", "not-run"] for one in THREE}
    found = rank(record)
    assert all(one.weighted_latency_ms for one in found.results)
    assert found.recommendation.kind is AdviceKind.NONE
    assert "the link between the two hosts failed during the comparison" in found.recommendation.sentence

    stage.probes.on_step = lambda _solution, _what: None
    report(stage.pair, WELL)
    resumed = stage.compare(record.campaign_id)
    assert resumed.status is CampaignStatus.COMPLETED
    assert {one.status for one in resumed.attempts} == {AttemptStatus.COMPLETED}
    assert rank(resumed).recommendation.solution == "wireguard"
