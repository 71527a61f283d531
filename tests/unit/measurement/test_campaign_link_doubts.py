"""Campaigns over a link that is silent, with hosts that are lost with it; failures that are not the link's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sample_records as sample
from campaign_stage import Stage, by_solution
from dying_link import CUT, DEAD, SENTENCE, WELL, WRONG_REASON, Link, dropped_tries, report, reported
from fake_captures import able

from app.domain import events
from app.domain.commands import Command
from app.domain.errors import (
    CleanupFailed,
    ConnectionLost,
    HostUnreachable,
    PlaintextSeen,
    TunnelDown,
    TunnelmarkError,
)
from app.domain.results import AttemptStatus, CampaignStatus
from app.probes import underlay_guard
from app.probes.messages import LINK_DEAD, LINK_NAME
from support.message_checks import has_message


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSE_S", "HEALED_WITHIN_S", "BACK_WITHIN_S"):
        monkeypatch.setattr(underlay_guard, name, 0.0)


# --- at the start, and where pings were never answered ---------------------------------------------------------------


def test_a_dead_link_at_the_start_is_reported_once_and_nothing_is_tried() -> None:
    stage = Stage(is_lab=False, allow_load=True)
    report(stage.pair, CUT)
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert stage.tunnels.opened == []
    ((is_up, text),) = reported(stage)
    assert not is_up
    # Nothing was seen of it before, so it is not reported to have died.
    assert has_message(LINK_DEAD, link=LINK_NAME(a="gateway-a", b="gateway-b"), sent=6)(text)


def test_the_link_of_a_practice_lab_is_healed_at_the_start_without_a_doubt_on_an_attempt() -> None:
    stage = Stage()
    stage.healer = link = Link(stage, "")
    report(stage.pair, DEAD)
    record = stage.run()

    assert (record.status, link.heals) == (CampaignStatus.COMPLETED, 1)
    assert not any(dropped_tries(one) for one in record.attempts)


def test_hosts_on_which_no_ping_was_ever_answered_are_measured_as_before() -> None:
    stage = Stage(is_lab=False, allow_load=True)
    report(stage.pair, DEAD)
    stage.tunnels.faults["wireguard"] = WRONG_REASON
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert reported(stage) == []
    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert (failed.status, failed.reason) == (AttemptStatus.FAILED, "preflight")
    assert any(WRONG_REASON.message in event.text for event in stage.of(events.LogLine))


def test_a_link_that_answered_before_the_campaign_was_resumed_is_known_to_have_died() -> None:
    stage = Stage(is_lab=False, allow_load=True)
    Link(stage)
    stage.run()
    again = Stage(is_lab=False, allow_load=True, store=stage.store)
    report(again.pair, DEAD)
    resumed = again.run(resume_id=1)

    assert resumed.status is CampaignStatus.INTERRUPTED
    assert reported(again)[0][1].startswith(SENTENCE)


def test_pings_of_one_host_alone_are_enough() -> None:
    stage = Stage(is_lab=False, allow_load=True)
    stage.pair.pings.update(a=[WELL], b=[DEAD])
    stage.tunnels.faults["wireguard"] = TunnelDown("It did not come up.")
    record = stage.run()

    assert by_solution(record)["wireguard"] == ["failed"]
    assert reported(stage) == []


def test_a_healed_link_has_to_answer_every_host_that_it_answered_before() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    link.heals_in_vain = 9
    link.on_heal = lambda: stage.pair.pings.update(a=[WELL], b=[DEAD])

    assert stage.run().status is CampaignStatus.INTERRUPTED


@pytest.mark.parametrize("output", ["", "ping: command not found", "pings x y"])
def test_hosts_that_cannot_tell_claim_nothing(output: str) -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    report(stage.pair, output)
    stage.tunnels.faults["wireguard"] = TunnelDown("It did not come up.")

    assert by_solution(stage.run())["wireguard"] == ["failed"]
    assert reported(stage) == []


# --- what is not the link's fault ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [PlaintextSeen("Plaintext was read."), CleanupFailed("gateway-b is not as it was.")])
def test_what_is_deployed_for_itself_counts_although_the_link_has_died(error: TunnelmarkError) -> None:
    stage = Stage()
    stage.healer = link = Link(stage, "")

    def on_open(solution: str) -> None:
        if solution == "wireguard":
            report(stage.pair, DEAD)
            raise error
        if stage.pair.pings["a"][0] != WELL:
            raise WRONG_REASON

    stage.tunnels.on_open = on_open
    record = stage.run()

    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert (failed.status, failed.reason) == (AttemptStatus.FAILED, error.reason)
    assert by_solution(record)["baseline"] == ["completed", "completed"]
    assert link.heals <= 1


def test_an_attempt_whose_captures_were_made_on_a_dying_link_is_repeated() -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    stage.facts = {side: able(facts) for side, facts in stage.facts.items()}
    stage.healer = link = Link(stage, "")

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.StageStarted) and event.stage is events.Stage.PACKET_TESTS and not link.heals:
            report(stage.pair, DEAD)

    stage.on_event = on_event
    record = stage.run()

    assert link.heals == 1
    assert len(stage.of(events.AttemptDropped)) == 1
    assert [one.status for one in record.attempts] == [AttemptStatus.COMPLETED]


# --- connections that are lost meanwhile -----------------------------------------------------------------------------


def lose(stage: Stage, when: Callable[[], bool], comes_back: list[BaseException | None]) -> list[str]:
    """Cut B's connection the first time that the link is asked for and something holds."""
    lost: list[str] = []

    def interfere(side: str, command: Command) -> None:
        if side == "b" and "ip neigh" in " ".join(command.argv) and not lost and when():
            lost.append(side)
            stage.sessions.b.is_connected = False  # type: ignore[misc]
            stage.sessions.b.reconnects = list(comes_back)  # type: ignore[attr-defined]
            raise ConnectionLost("The connection to gateway-b broke.")

    stage.pair.interfere = interfere
    return lost


def test_a_connection_that_breaks_while_it_is_healed_is_made_anew() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    lost = lose(stage, lambda: link.heals == 1, [None])
    record = stage.run()

    assert lost
    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert stage.tunnels.recovered == 1


def test_a_host_that_is_lost_while_the_link_is_dead_ends_the_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.reconnect.RECONNECT_S", 0.0)
    stage = Stage()
    stage.healer = link = Link(stage)
    lose(stage, lambda: link.heals == 1, [HostUnreachable("No route to gateway-b.")] * 3)
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert {one.reason for one in record.attempts if one.status is AttemptStatus.NOT_RUN} == {"host-unreachable"}
    assert AttemptStatus.FAILED not in {one.status for one in record.attempts}


def test_a_failure_with_a_lost_connection_is_kept_and_the_link_asked_for_before_the_next_attempt() -> None:
    stage = Stage()
    stage.healer = link = Link(stage)
    lose(stage, lambda: stage.pair.pings["a"][0] == DEAD, [None])
    record = stage.run()

    assert by_solution(record)["wireguard"] == ["failed"]
    assert link.heals == 1
    assert record.status is CampaignStatus.COMPLETED
    others = [one for one in record.attempts if one.key.solution != "wireguard"]
    assert {one.status for one in others} == {AttemptStatus.COMPLETED}


def test_a_host_that_breaks_off_each_time_it_is_asked_does_not_go_on_for_ever() -> None:
    stage = Stage()

    def interfere(side: str, command: Command) -> None:
        if side == "b" and "ip neigh" in " ".join(command.argv):
            raise ConnectionLost("The connection to gateway-b broke.")

    stage.pair.interfere = interfere
    record = stage.run()

    assert record.status is CampaignStatus.INTERRUPTED
    assert stage.tunnels.opened == []
    assert {one.reason for one in record.attempts} == {"host-unreachable"}
