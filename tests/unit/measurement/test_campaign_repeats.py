"""Repeats of disturbed attempts that do not complete: by the candidate's own fault, for another reason, by kill -9."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from campaign_stage import Stage, by_solution
from disturbed_stage import gate, second_time, stage_with, throttled_always, throttled_once, warnings

from app.cli.compare import cancelled_words, is_whole
from app.domain import events
from app.domain.commands import Command
from app.domain.errors import (
    CleanupFailed,
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    DiskFull,
    HostUnreachable,
    PairLocked,
    PreflightRefused,
    ProbeFailed,
    StorageFault,
    TunnelCannotComeUp,
    TunnelDown,
    TunnelmarkError,
)
from app.domain.gates import GateName, GateVerdict
from app.domain.hosts import Side
from app.domain.results import Attempt, AttemptStatus, CampaignRecord, CampaignStatus
from app.domain.solutions import BASELINE
from app.host.messages import INSPECTION_FAILED
from app.measurement.messages import REPEAT_ENDED_EARLY, REPEAT_NOT_ENDED
from app.probes.messages import NO_REPLY_WITHIN, PING_CANNOT_FORBID, REPLIES_STOPPED, SERVER_NOT_LISTENING
from app.ranking import rank
from app.ranking.gates import MOST_REPEATS
from app.ranking.outcome import is_unfinished, left_behind
from app.ranking.warnings import warnings_of
from app.ssh.messages import CHANNEL_REFUSED
from app.tunnel.messages import LEASE_NOT_RENEWED, LEASE_RAN_OUT, LEASE_UNREAD, STEP_FAILED, STEP_TOO_SLOW
from support.message_checks import has_message

DOWN = TunnelDown("WireGuard did not come up.")
SILENT = ProbeFailed(REPLIES_STOPPED(peer="198.18.0.2", host="gateway-a"))


def failing_repeat(fault: TunnelmarkError, candidate: object = sample.WIREGUARD) -> Stage:
    """Return a comparison whose first attempt is disturbed, and whose repeat fails."""
    stage = stage_with(throttled_always, candidate)

    def fail() -> None:
        raise fault

    second_time(stage, fail)
    return stage


def is_of_disturbed(attempt: Attempt) -> bool:
    """Return whether figures are those of the disturbed attempt, with the doubt that says so."""
    return bool(attempt.latency) and any(map(has_message(REPEAT_ENDED_EARLY), attempt.doubts))


# --- what the candidate did itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        DOWN,
        TunnelCannotComeUp("WireGuard reports that it never will."),
        CommandFailed(STEP_FAILED(host="gateway-a", status=1, step="Start it", output="")),
        CommandFailed(STEP_TOO_SLOW(host="gateway-a", status=124, step="Start it", output="")),
        SILENT,
        ProbeFailed(NO_REPLY_WITHIN(peer="198.18.0.2", host="gateway-a", seconds=10)),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_repeat_in_which_the_candidate_fails_counts_as_failed(fault: TunnelmarkError) -> None:
    stage = failing_repeat(fault)
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.reason, attempt.message) == (AttemptStatus.FAILED, fault.reason, fault.sentence())
    assert attempt.repeats == 1
    assert not is_of_disturbed(attempt)
    assert len(stage.tunnels.opened) == 2, "what failed is not measured once more"
    assert any(fault.message in line.text for line in stage.of(events.LogLine))


def test_a_daemon_that_dies_in_a_repeat_has_failed() -> None:
    stage = stage_with(throttled_always)

    def interfere(_side: str, command: Command) -> None:
        if len(stage.tunnels.opened) == 2 and "warm-up" in " ".join(command.argv):
            raise SILENT

    stage.pair.interfere = interfere
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.reason) == (AttemptStatus.FAILED, "probe-failed")
    assert attempt.daemon_log == "daemon: last words"


def compared(rounds: int) -> CampaignRecord:
    """Run a comparison in which WireGuard's first attempt is disturbed, and its repeat fails."""
    stage = Stage(rounds=rounds)

    def counters(side: str, number: int) -> tuple[str, ...]:
        is_disturbed = side == "a" and stage.tunnels.opened.count("wireguard") == 1
        return (f"throttled {number if is_disturbed and stage.tunnels.tunnels_up == ['wireguard'] else 0}",)

    def on_open(solution: str) -> None:
        if solution == "wireguard" and stage.tunnels.opened.count("wireguard") == 2:
            raise DOWN

    stage.pair.counters, stage.tunnels.on_open = counters, on_open
    record = stage.run()
    assert len(warnings(stage)) == 1
    return record


def test_the_recommendation_names_the_candidate_that_failed_in_its_repeat() -> None:
    record = compared(rounds=1)
    ranking = rank(record)

    failed = next(one for one in ranking.results if one.solution == "wireguard")
    assert (failed.status, failed.weighted_latency_ms) == (AttemptStatus.FAILED, None)
    assert f"Not compared: {sample.WIREGUARD.title} (failed)." in ranking.recommendation.sentence
    assert ranking.recommendation.solution != "wireguard"


def test_a_round_that_failed_in_its_repeat_is_a_warning_and_has_no_figures() -> None:
    record = compared(rounds=2)
    ranking = rank(record)

    assert by_solution(record)["wireguard"] == ["failed", "completed"]
    result = next(one for one in ranking.results if one.solution == "wireguard")
    assert result.weighted_latency_ms is not None
    assert result.weighted_latency_ms.rounds == 1
    assert f"{sample.WIREGUARD.title}: Round 1 failed: {DOWN.message}" in warnings_of(record, ranking)


# --- what it did not do ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        HostUnreachable("gateway-a does not answer."),
        DeadlineExceeded("A command on gateway-a took longer than 30 s."),
        PreflightRefused("Port 51820 is in use on gateway-a."),
        PairLocked("Another Tunnelmark is at work."),
        DiskFull("There is no space left on gateway-a."),
        CleanupFailed("gateway-a could not be restored."),
        CommandFailed(LEASE_RAN_OUT(host="gateway-a")),
        CommandFailed(LEASE_NOT_RENEWED(host="gateway-a")),
        CommandFailed(LEASE_UNREAD(host="gateway-a")),
        CommandFailed(INSPECTION_FAILED(host="gateway-a")),
        CommandFailed(CHANNEL_REFUSED(what="`ping` on gateway-a", reason="no more channels")),
        ProbeFailed(SERVER_NOT_LISTENING(host="gateway-b", address="198.18.0.2", port="5201")),
        ProbeFailed(PING_CANNOT_FORBID(host="gateway-a")),
        TunnelDown("gateway-a has rolled back.", context={"lost": "gateway-a has rolled back."}),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_repeat_that_could_not_be_made_leaves_the_disturbed_figures_and_a_doubt(fault: TunnelmarkError) -> None:
    stage = failing_repeat(fault)
    (attempt,) = stage.run().attempts

    assert (attempt.status, attempt.repeats) == (AttemptStatus.COMPLETED, 1)
    assert is_of_disturbed(attempt)
    assert has_message(REPEAT_ENDED_EARLY)(attempt.doubts[-1])
    assert fault.message in attempt.doubts[-1]
    assert len(stage.tunnels.opened) == 2, "it was the last one"
    assert gate(attempt, GateName.THROTTLING).verdict is GateVerdict.REPEAT
    assert any(fault.message in line.text for line in stage.of(events.LogLine))


@pytest.mark.parametrize("fault", [DOWN, SILENT], ids=lambda fault: type(fault).__name__)
def test_the_bare_link_has_no_fault_of_its_own_in_a_repeat(fault: TunnelmarkError) -> None:
    stage = failing_repeat(fault, sample.BASELINE)
    first = stage.run().attempts[0]

    assert (first.key.solution, first.status) == (BASELINE, AttemptStatus.COMPLETED)
    assert is_of_disturbed(first)
    assert fault.message in first.doubts[-1]


def test_a_host_that_rolls_back_by_itself_in_a_repeat_is_no_fault_of_the_candidate() -> None:
    stage = stage_with(throttled_always)
    why = "gateway-b rolled back because it had not heard from Tunnelmark."

    def interfere(_side: str, command: Command) -> None:
        if len(stage.tunnels.opened) == 2 and "warm-up" in " ".join(command.argv):
            stage.tunnels.lost[Side.B] = why
            raise SILENT

    stage.pair.interfere = interfere
    (attempt,) = stage.run().attempts

    assert attempt.status is AttemptStatus.COMPLETED
    assert is_of_disturbed(attempt)
    assert why in attempt.doubts[-1]


def test_a_host_that_a_repeat_left_changed_is_reported_with_the_figures_of_before() -> None:
    fault = CleanupFailed("gateway-a could not be restored.", hint="Run this on its console.")
    stage = failing_repeat(fault)
    record = stage.run()
    (attempt,) = record.attempts

    assert (attempt.status, attempt.reason, attempt.message) == (
        AttemptStatus.COMPLETED,
        CleanupFailed.reason,
        fault.sentence(),
    )
    assert is_of_disturbed(attempt)
    assert left_behind(record) == fault.sentence()
    assert "a host may not be restored. gateway-a " in cancelled_words(record)
    assert not is_whole(record), "the exit status says that something is left to do"


@pytest.mark.parametrize("kind", [ConnectionLost, HostUnreachable])
def test_a_host_whose_rollback_was_not_seen_after_a_repeat_is_reported(kind: type[TunnelmarkError]) -> None:
    record = failing_repeat(kind("gateway-a does not answer any more.")).run()

    assert (record.attempts[0].status, record.attempts[0].reason) == (AttemptStatus.COMPLETED, kind.reason)
    assert "a host may not be restored. gateway-a " in cancelled_words(record)
    assert not is_whole(record)


def test_a_repeat_that_was_refused_leaves_no_host_changed() -> None:
    record = failing_repeat(PreflightRefused("Port 51820 is in use on gateway-a.")).run()

    assert (record.attempts[0].reason, record.attempts[0].message) == ("", "")
    assert left_behind(record) == ""
    assert is_whole(record)


# --- kill -9 ---------------------------------------------------------------------------------------------------------


def killed_in_first_repeat(*candidates: object) -> CampaignRecord:
    """Return what is stored of a comparison while its first attempt is measured again."""
    stage = stage_with(throttled_always, *candidates)
    found: list[CampaignRecord] = []
    second_time(stage, lambda: found.append(stage.store.load_campaign(1)))
    stage.run()
    (record,) = found
    return replace(record, status=CampaignStatus.INTERRUPTED)


def test_a_disturbed_attempt_is_stored_before_its_repeat_begins_and_replaced_by_it() -> None:
    stage = stage_with(throttled_once)
    found: list[CampaignRecord] = []
    second_time(stage, lambda: found.append(stage.store.load_campaign(1)))
    (attempt,) = stage.run().attempts

    ((stored,),) = (one.attempts for one in found)
    assert (stored.key, stored.status, stored.repeats) == (attempt.key, AttemptStatus.COMPLETED, 1)
    assert has_message(REPEAT_ENDED_EARLY, why=REPEAT_NOT_ENDED())(stored.doubts[-1])
    assert gate(stored, GateName.THROTTLING).verdict is GateVerdict.REPEAT
    assert (attempt.status, attempt.repeats) == (AttemptStatus.COMPLETED, 1)
    assert not any(map(has_message(REPEAT_ENDED_EARLY), attempt.doubts))
    assert len(stage.of(events.AttemptEnded)) == 1, "it is reported once"


def test_what_ends_a_repeat_replaces_what_was_stored_before_it() -> None:
    stage = stage_with(throttled_always, sample.WIREGUARD, sample.OPENVPN_UDP)
    second_time(stage, stage.control.cancel)
    first = stage.run().attempts[0]

    assert sum(map(has_message(REPEAT_ENDED_EARLY), first.doubts)) == 1
    assert REPEAT_NOT_ENDED() not in first.doubts[-1]
    assert first.repeats == 1


def test_a_comparison_that_was_killed_in_a_repeat_goes_on_with_the_disturbed_figures() -> None:
    candidates = sample.BASELINE, sample.WIREGUARD
    killed = killed_in_first_repeat(*candidates)
    again = stage_with(throttled_always, *candidates)
    again.store.records[1] = killed

    resumed = again.run(resume_id=1)

    assert resumed.status is CampaignStatus.COMPLETED
    assert resumed.attempts[0] == killed.attempts[0]
    assert is_of_disturbed(resumed.attempts[0])
    assert again.of(events.AttemptStarted)[0].key.position == 1
    assert [one.repeats for one in resumed.attempts] == [1, MOST_REPEATS - 1, 0], "the repeat that was killed counts"


def test_a_comparison_that_was_killed_in_its_last_repeat_is_completed_without_measuring() -> None:
    killed = killed_in_first_repeat(sample.WIREGUARD)
    assert len(killed.attempts) == len(killed.plan.attempts) == 1
    again = stage_with(throttled_always)
    again.store.records[1] = killed

    resumed = again.run(resume_id=1)

    assert resumed.status is CampaignStatus.COMPLETED
    assert resumed.attempts == killed.attempts
    assert again.tunnels.opened == []
    assert again.tunnels.recovered == 1, "what the killed run left is rolled back"


def test_a_comparison_with_nothing_left_remains_interrupted_while_its_hosts_cannot_be_rolled_back() -> None:
    again = stage_with(throttled_always)
    again.store.records[1] = killed_in_first_repeat(sample.WIREGUARD)
    again.tunnels.recover_fault = CleanupFailed("gateway-a could not be restored.")

    resumed = again.run(resume_id=1)

    assert resumed.status is CampaignStatus.INTERRUPTED
    assert is_unfinished(resumed)
    assert again.tunnels.opened == []


def test_no_repeat_begins_where_the_disturbed_attempt_cannot_be_stored() -> None:
    stage = stage_with(throttled_always)

    def on_open(_solution: str) -> None:
        stage.store.save_fault = StorageFault("The disk is full.")

    stage.tunnels.on_open = on_open
    with pytest.raises(StorageFault):
        stage.run()
    assert stage.tunnels.opened == ["wireguard"]
    assert stage.tunnels.tunnels_up == []
