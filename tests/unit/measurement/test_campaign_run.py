from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from campaign_stage import Stage, by_solution

from app.domain import events
from app.domain.commands import Command
from app.domain.errors import (
    CleanupFailed,
    ConnectionLost,
    HostUnreachable,
    InvalidPlan,
    PackageMissing,
    ProbeFailed,
    StorageFault,
    TunnelDown,
    TunnelmarkError,
)
from app.domain.hosts import Side, Tool, ToolFlavour
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.messages import (
    ATTEMPTS_NOT_RUN,
    HOST_LOST,
    LOAD_NOT_ALLOWED,
    PROGRAM_MISSING,
    SKIPPED_IN_STAGE,
    SUITE_GONE,
)
from app.probes.messages import SHAPED_BY_OTHERS
from app.ranking.outcome import left_behind
from app.wording.stages import stage_word
from support.message_checks import has_message


def test_a_campaign_from_start_to_end() -> None:
    stage = Stage()
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert by_solution(record) == {
        "baseline": ["completed"] * 2,
        "wireguard": ["completed"],
        "openvpn-udp": ["completed"],
    }
    attempt = record.attempts[1]
    assert [one.frame_bytes for one in attempt.latency] == list(record.plan.profile.frame_bytes)
    assert all(one.rtt_us.tolist() == [500] * 5 for one in attempt.latency)
    assert [one.mbit_s for one in attempt.throughput] == [pytest.approx(90.0)] * 2
    assert (attempt.setup_s, attempt.cleanup_s) == (2.0, 1.0)
    assert attempt.probe_s > 0
    assert attempt.negotiated == "AES-256-GCM"
    assert attempt.configuration
    assert attempt.path is not None
    assert (attempt.path.overhead_bytes, attempt.path.largest_unfragmented_frame_bytes) == (66, 1448)
    assert stage.tunnels.tunnels_up == []


def test_events_come_in_order_and_an_attempt_is_stored_before_it_is_reported() -> None:
    stage = Stage()
    stored: list[bool] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.AttemptEnded):
            stored.append(event.attempt in stage.store.saved)

    stage.on_event = on_event
    record = stage.run()

    assert isinstance(stage.seen[0], events.CampaignStarted)
    assert stage.seen[-1] == events.CampaignEnded(record.campaign_id, CampaignStatus.COMPLETED, "")
    assert [event.key.position for event in stage.of(events.AttemptStarted)] == [0, 1, 2, 3]
    assert stored == [True] * 4
    assert len(stage.of(events.RttSamples)) >= 4 * 7
    assert {event.direction for event in stage.of(events.ThroughputSample)} == {"a_to_b", "b_to_a"}
    assert stage.of(events.Progress)[-1].fraction == 1.0


def test_a_candidate_that_fails_is_a_result_and_the_rest_goes_on() -> None:
    stage = Stage()
    stage.tunnels.faults["wireguard"] = TunnelDown(
        "WireGuard did not come up.", hint="Look at its port.", context={"log": "wg: no handshake"}
    )
    record = stage.run()

    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert (failed.status, failed.reason) == (AttemptStatus.FAILED, "tunnel-down")
    assert failed.message == "WireGuard did not come up. Look at its port."
    assert failed.daemon_log == "wg: no handshake"
    assert record.status is CampaignStatus.COMPLETED
    assert by_solution(record)["openvpn-udp"] == ["completed"]


def test_a_daemon_that_dies_during_a_probe_leaves_its_words() -> None:
    stage = Stage()

    def interfere(side: str, command: Command) -> None:
        if stage.tunnels.tunnels_up == ["openvpn-udp"] and "warm-up" in " ".join(command.argv):
            raise ProbeFailed("198.18.0.2 stopped answering.")

    stage.pair.interfere = interfere
    record = stage.run()

    failed = next(one for one in record.attempts if one.key.solution == "openvpn-udp")
    assert (failed.status, failed.reason) == (AttemptStatus.FAILED, "probe-failed")
    assert failed.daemon_log == "daemon: last words"
    assert failed.cleanup_s == 1.0
    assert by_solution(record)["baseline"] == ["completed", "completed"]


def test_a_host_that_rolled_back_by_itself_is_reported_rather_than_what_follows_from_it() -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    stage.tunnels.lost = {Side.B: "gateway-b put itself back because it had not heard from Tunnelmark for 60 s."}

    def interfere(side: str, command: Command) -> None:
        if "warm-up" in " ".join(command.argv):
            raise ProbeFailed("198.18.0.2 stopped answering.")

    stage.pair.interfere = interfere
    record = stage.run()

    assert record.attempts[0].reason == "tunnel-down"
    assert record.attempts[0].message == stage.tunnels.lost[Side.B]


def test_what_changed_on_a_host_meanwhile_is_logged() -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    stage.tunnels.differences = ("On gateway-a, the service cron was started meanwhile.",)
    record = stage.run()

    assert record.attempts[0].status is AttemptStatus.COMPLETED
    assert any("cron was started" in event.text for event in stage.of(events.LogLine))


@pytest.mark.allow_logs("app.measurement.comparison")
def test_a_bug_in_an_adapter_is_a_result_as_well() -> None:
    stage = Stage()
    stage.tunnels.faults["wireguard"] = KeyError("mtu")
    record = stage.run()

    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert failed.reason == "bug"
    assert "KeyError" in failed.message
    assert by_solution(record)["openvpn-udp"] == ["completed"]


def test_a_suite_that_is_not_offered_any_more() -> None:
    stage = Stage(candidates=(sample.BASELINE, replace(sample.WIREGUARD, suite="other")))
    record = stage.run()

    failed = record.attempts[1]
    assert failed.reason == "invalid-plan"
    assert has_message(SUITE_GONE, suite="other")(failed.message)


def test_cancelling_ends_the_running_attempt_and_leaves_the_rest_out() -> None:
    stage = Stage()
    stage.tunnels.on_open = lambda solution: stage.control.cancel() if solution != "baseline" else None
    record = stage.run()

    assert record.status is CampaignStatus.CANCELLED
    assert [one.status.value for one in record.attempts] == ["completed", "cancelled", "not-run", "not-run"]
    assert record.attempts[2].reason == "cancelled"
    assert stage.tunnels.tunnels_up == []
    assert has_message(ATTEMPTS_NOT_RUN, left=2, number=4)(stage.store.messages[record.campaign_id])


def test_cancelling_during_a_probe() -> None:
    stage = Stage()

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.position == 1:
            stage.control.cancel()

    stage.on_event = on_event
    record = stage.run()

    assert [one.status.value for one in record.attempts] == ["completed", "cancelled", "not-run", "not-run"]


def test_skipping_an_attempt_runs_the_next_one() -> None:
    stage = Stage()
    stage.tunnels.on_open = lambda solution: stage.control.skip() if solution == "wireguard" else None
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert by_solution(record)["wireguard"] == ["skipped"]
    assert by_solution(record)["openvpn-udp"] == ["completed"]


def test_what_was_measured_before_a_skip_is_kept_with_the_stage() -> None:
    stage = Stage()

    def on_event(event: events.Event) -> None:
        begins = isinstance(event, events.StageStarted) and event.stage is events.Stage.THROUGHPUT
        if begins and event.key.solution == "wireguard":
            stage.control.skip()

    stage.on_event = on_event
    record = stage.run()

    skipped = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert (skipped.status.value, skipped.stage) == ("skipped", "throughput")
    assert has_message(SKIPPED_IN_STAGE, stage=stage_word("throughput"))(skipped.message)
    assert skipped.latency
    assert not skipped.throughput
    assert {one.stage for one in record.attempts if one.key.solution != "wireguard"} == {""}


def test_a_pause_waits_between_attempts_with_the_hosts_clean() -> None:
    stage = Stage()
    clean: list[bool] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.AttemptStarted) and event.key.position == 1:
            stage.control.pause()
        if isinstance(event, events.Paused) and event.is_paused:
            clean.append(not stage.tunnels.tunnels_up and len(stage.store.saved) == 2)
            stage.control.resume()

    stage.on_event = on_event
    record = stage.run()

    assert clean == [True]
    assert [event.is_paused for event in stage.of(events.Paused)] == [True, False]
    assert record.status is CampaignStatus.COMPLETED


def lose_b_at(stage: Stage, solution: str, comes_back: list[BaseException | None]) -> None:
    def on_open(opened: str) -> None:
        if opened == solution and not stage.sessions.b.reconnects:  # type: ignore[attr-defined]
            stage.sessions.b.is_connected = False  # type: ignore[misc]
            stage.sessions.b.reconnects = list(comes_back)  # type: ignore[attr-defined]
            raise ConnectionLost("The connection to gateway-b broke.")

    stage.tunnels.on_open = on_open


def test_a_host_that_comes_back_is_put_in_order_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.reconnect.PAUSE_S", 0.0)
    stage = Stage()
    lose_b_at(stage, "wireguard", [HostUnreachable("no"), None])
    record = stage.run()

    assert by_solution(record)["wireguard"] == ["failed"]
    assert by_solution(record)["openvpn-udp"] == ["completed"]
    assert stage.tunnels.recovered == 1
    assert any("gateway-a was put back" in event.text for event in stage.of(events.LogLine))


def test_a_host_that_is_lost_ends_the_campaign_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.measurement.reconnect.RECONNECT_S", 0.0)
    stage = Stage()
    lose_b_at(stage, "wireguard", [HostUnreachable("No route to gateway-b.")] * 3)
    record = stage.run()

    statuses = [one.status.value for one in record.attempts]
    assert record.status is CampaignStatus.INTERRUPTED
    assert statuses.count("failed") == 1
    assert statuses[-1] == "not-run"
    assert record.attempts[-1].reason == "host-unreachable"
    message = stage.store.messages[record.campaign_id]
    assert has_message(HOST_LOST, host="gateway-b", why="No route to gateway-b.")(message)
    assert "No route to gateway-b." in stage.of(events.CampaignEnded)[-1].left


def test_a_host_that_could_not_be_cleaned_is_put_in_order_first() -> None:
    stage = Stage()
    stage.tunnels.cleanup_faults["wireguard"] = CleanupFailed("gateway-b is not as it was.")
    record = stage.run()

    assert by_solution(record)["wireguard"] == ["failed"]
    assert next(one for one in record.attempts if one.key.solution == "wireguard").reason == "cleanup-failed"
    assert stage.tunnels.recovered == 1
    assert stage.of(events.CampaignEnded)[-1].left == "", "it was put in order"


@pytest.mark.parametrize("kind", [CleanupFailed, ConnectionLost, HostUnreachable])
def test_a_host_that_the_last_attempt_left_is_reported_at_the_end(kind: type[TunnelmarkError]) -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    fault = kind("gateway-b is not as it was.", hint="Run it on the console.")
    stage.tunnels.cleanup_faults["wireguard"] = fault
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert stage.of(events.CampaignEnded)[-1].left == fault.sentence()
    assert left_behind(record) == fault.sentence()


def test_a_candidate_that_fails_by_itself_leaves_nothing() -> None:
    stage = Stage(candidates=(sample.WIREGUARD,))
    stage.tunnels.faults["wireguard"] = TunnelDown("WireGuard did not come up.")
    record = stage.run()
    assert (stage.of(events.CampaignEnded)[-1].left, left_behind(record)) == ("", "")


def test_hosts_that_cannot_be_put_in_order_are_left_alone() -> None:
    stage = Stage()
    stage.tunnels.cleanup_faults["wireguard"] = CleanupFailed("gateway-b is not as it was.")
    stage.tunnels.recover_fault = CleanupFailed("The undo failed.", hint="Run it on the console.")
    record = stage.run()

    after = [one for one in record.attempts if one.status is AttemptStatus.NOT_RUN]
    assert after
    assert "The undo failed. Run it on the console." in after[0].message


def test_resuming_repeats_nothing_that_was_stored_and_puts_the_hosts_in_order_first() -> None:
    stage = Stage()
    stage.run()
    record = stage.store.records[1]
    # kill -9 in the third attempt: two are stored, no process runs the campaign any more.
    stage.store.records[1] = replace(record, attempts=record.attempts[:2], status=CampaignStatus.INTERRUPTED)
    again = Stage(store=stage.store)

    resumed = again.run(resume_id=1)

    assert resumed.campaign_id == 1
    assert resumed.status is CampaignStatus.COMPLETED
    assert again.store.claimed == [1]
    assert again.tunnels.recovered == 1
    assert [event.key.position for event in again.of(events.AttemptStarted)] == [2, 3]
    assert again.of(events.CampaignStarted)[0].done == record.attempts[:2]
    assert len(resumed.attempts) == 4


def test_resuming_makes_up_for_what_was_not_run() -> None:
    stage = Stage()
    stage.tunnels.on_open = lambda solution: stage.control.cancel() if solution != "baseline" else None
    stage.run()
    again = Stage(store=stage.store)

    resumed = again.run(resume_id=1)

    assert [one.status.value for one in resumed.attempts] == ["completed"] * 4
    assert [event.key.position for event in again.of(events.AttemptStarted)] == [1, 2, 3]


def test_a_live_link_needs_consent_before_anything_is_touched() -> None:
    stage = Stage(is_lab=False)

    with pytest.raises(InvalidPlan, check=has_message(LOAD_NOT_ALLOWED)):
        stage.run()

    assert stage.sessions.a.commands == []  # type: ignore[attr-defined]
    assert stage.store.records == {}


def test_with_consent_a_live_link_is_measured_under_guard() -> None:
    stage = Stage(is_lab=False, allow_load=True)
    record = stage.run()

    assert record.status is CampaignStatus.COMPLETED
    assert all(one.status is AttemptStatus.COMPLETED for one in record.attempts)
    assert any(command.argv == ("true",) for command in stage.sessions.a.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("side", "tool"), [("a", "ping"), ("a", "iperf3"), ("b", "iperf3")])
def test_a_missing_tool_is_reported_before_anything_is_touched(side: str, tool: str) -> None:
    stage = Stage()
    facts = stage.facts[side]
    stage.facts[side] = replace(facts, tools={**facts.tools, tool: Tool(tool, ToolFlavour.MISSING)})

    with pytest.raises(PackageMissing, check=has_message(PROGRAM_MISSING, program=tool, host=f"gateway-{side}")):
        stage.run()

    assert stage.store.records == {}


def test_a_full_database_ends_the_campaign_with_the_hosts_clean() -> None:
    stage = Stage()
    stage.store.save_fault = StorageFault("The database cannot be written.")

    with pytest.raises(StorageFault):
        stage.run()

    assert stage.tunnels.tunnels_up == []
    assert stage.seen[-1] == events.CampaignEnded(1, CampaignStatus.INTERRUPTED, "The database cannot be written.")
    assert stage.store.records[1].status is CampaignStatus.INTERRUPTED


def test_doubts_are_kept_with_the_attempt() -> None:
    stage = Stage()
    stage.pair.around["a"] = ("qdisc netem 8001: root refcnt 2 limit 1000 delay 250ms",)
    record = stage.run()

    assert any(has_message(SHAPED_BY_OTHERS, device="eth1")(doubt) for doubt in record.attempts[0].doubts)
