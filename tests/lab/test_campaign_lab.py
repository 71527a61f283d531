"""Campaigns over the practice lab: candidates that fail, cancelling, hosts that go away, a program that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import lab_campaign
import pytest
from lab_sessions import connected, left_running, sh, wait_until_clean

from app.campaign import CampaignControl
from app.deploy import SnapshotDepth, compare_snapshots, recover, take_snapshot
from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.results import AttemptStatus, CampaignStatus
from app.lab import Lab, LabManager
from app.storage import Store
from support.lab_power import LabPower

STOP_S = 2.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "tunnelmark.db") as store:
        yield store


@pytest.fixture
def sessions(lab: Lab, tmp_path: Path) -> Iterator[SessionPair]:
    with connected(lab, tmp_path) as pair:
        yield pair
        wait_until_clean(pair.a, pair.b, timeout_s=15)


def is_clean(host: HostSession) -> bool:
    """Whether nothing of a tunnel is on a gateway."""
    left = sh(
        host, "ls /run/tunnelmark 2>/dev/null; ip -br link show | grep -E '^tmk' || true; pgrep -x openvpn || true"
    )
    return left.strip() == ""


def statuses(record: object) -> list[str]:
    return [f"{one.key.solution} {one.status.value}" for one in record.attempts]  # type: ignore[attr-defined]


def test_a_comparison_with_its_baseline(lab: Lab, sessions: SessionPair, store: Store) -> None:
    found = lab_campaign.find_out(lab, sessions)
    plan = lab_campaign.make_plan(lab, found, ["baseline", "wireguard"])
    seen: list[events.Event] = []

    record = lab_campaign.run(plan, sessions, found, store, emit=seen.append, wire=True)

    assert record.status is CampaignStatus.COMPLETED
    assert [one.status for one in record.attempts] == [AttemptStatus.COMPLETED] * 3, [
        one.message for one in record.attempts
    ]
    for attempt in record.attempts:
        assert all(one.received >= 0.9 * one.sent for one in attempt.latency), attempt.key
        assert all(one.mbit_s > 0.5 for one in attempt.throughput)
        assert attempt.cpu_throughput.keys() == {"a", "b"}
        assert attempt.path is not None
        assert attempt.path.fragments_created is not None
    by_solution = {one.key.solution: one for one in record.attempts}
    # 30 requests and replies of 1400 and of 1514 bytes make two pieces each in WireGuard; the bare link makes none.
    assert by_solution["baseline"].path.fragments_created == 0  # type: ignore[union-attr]
    assert by_solution["wireguard"].path.fragments_created == 120  # type: ignore[union-attr]
    words = [one.wire.leak.verdict.value if one.wire and one.wire.leak else "" for one in record.attempts]
    expected = {"baseline": "exempt", "wireguard": "protected"}
    assert words == [*(expected[one.key.solution] for one in record.attempts[:-1]), ""]
    kinds = {type(event) for event in seen}
    assert {events.RttSamples, events.ThroughputSample, events.CpuSample, events.Progress} <= kinds
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)
    assert store.load_campaign(record.campaign_id).attempts[0].latency[0].rtt_us.tolist() == (
        record.attempts[0].latency[0].rtt_us.tolist()
    )


def test_a_daemon_that_dies_during_a_probe_is_a_result(lab: Lab, sessions: SessionPair, store: Store) -> None:
    found = lab_campaign.find_out(lab, sessions)
    plan = lab_campaign.make_plan(lab, found, ["openvpn-udp", "l2tp"], pings=100)
    killed: list[str] = []

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.solution == "openvpn-udp" and not killed:
            killed.append(sh(sessions.b, "pkill -KILL -x openvpn && echo killed"))

    record = lab_campaign.run(plan, sessions, found, store, emit=emit)

    assert killed == ["killed\n"]
    assert sorted(statuses(record)) == ["l2tp completed", "openvpn-udp failed"]
    (failed,) = (one for one in record.attempts if one.status is AttemptStatus.FAILED)
    assert failed.reason in {"probe-failed", "tunnel-down"}
    assert "stopped answering" in failed.message
    assert "Initialization Sequence Completed" in failed.daemon_log
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)


@pytest.mark.timed
@pytest.mark.parametrize("stage", [Stage.LATENCY, Stage.THROUGHPUT])
def test_cancelling_stops_the_probe_and_cleans_up(lab: Lab, sessions: SessionPair, store: Store, stage: Stage) -> None:
    found = lab_campaign.find_out(lab, sessions)
    pings = 3000 if stage is Stage.LATENCY else 50
    plan = lab_campaign.make_plan(lab, found, ["baseline", "wireguard"], pings=pings, seconds=20)
    control = CampaignControl()
    times: dict[str, float] = {}

    def emit(event: events.Event) -> None:
        sample = events.RttSamples if stage is Stage.LATENCY else events.ThroughputSample
        if isinstance(event, sample) and "cancelled" not in times:
            times["cancelled"] = time.monotonic()
            control.cancel()
        if isinstance(event, events.StageStarted) and event.stage is Stage.CLEANUP and "cancelled" in times:
            times.setdefault("cleanup", time.monotonic())

    before = {
        side: take_snapshot(host, token=CancelToken(), depth=SnapshotDepth.THOROUGH) for side, host in both(sessions)
    }
    record = lab_campaign.run(plan, sessions, found, store, control=control, emit=emit)
    ended_s = time.monotonic()

    assert record.status is CampaignStatus.CANCELLED
    assert statuses(record) == ["baseline cancelled", "wireguard not-run", "baseline not-run"]
    assert times["cleanup"] - times["cancelled"] < STOP_S
    assert ended_s - times["cancelled"] < 30
    for side, host in both(sessions):
        after = take_snapshot(host, token=CancelToken(), depth=SnapshotDepth.THOROUGH)
        assert compare_snapshots(before[side], after) == ()


def both(sessions: SessionPair) -> tuple[tuple[Side, HostSession], tuple[Side, HostSession]]:
    return (Side.A, sessions.a), (Side.B, sessions.b)


def test_skipping_one_candidate(lab: Lab, sessions: SessionPair, store: Store) -> None:
    found = lab_campaign.find_out(lab, sessions)
    plan = lab_campaign.make_plan(lab, found, ["l2tp", "wireguard"], pings=100)
    control = CampaignControl()

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.position == 0:
            control.skip()

    record = lab_campaign.run(plan, sessions, found, store, control=control, emit=emit)

    assert [one.status.value for one in record.attempts] == ["skipped", "completed"]
    assert is_clean(sessions.a)


# --- hosts and programs that go away ---------------------------------------------------------------------------------


@pytest.mark.allow_logs("app.ssh", "paramiko", "app.deploy", "app.campaign")
def test_a_host_that_is_powered_off_ends_the_comparison_and_it_can_be_resumed(
    lab: Lab, powered: LabPower, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.campaign.reaching.RECONNECT_S", 5.0)
    with connected(lab, tmp_path) as sessions:
        found = lab_campaign.find_out(lab, sessions)
        plan = lab_campaign.make_plan(lab, found, ["baseline", "wireguard"], pings=100)

        def emit(event: events.Event) -> None:
            is_there = sessions.b.is_connected
            if isinstance(event, events.RttSamples) and event.key.solution == "wireguard" and is_there:
                powered.off(Side.B)

        record = lab_campaign.run(plan, sessions, found, store, emit=emit)

        assert record.status is CampaignStatus.INTERRUPTED
        assert statuses(record) == ["baseline completed", "wireguard failed", "baseline not-run"]
        message = store.campaign_summary(record.campaign_id).message
        assert "gateway-b cannot be reached any more" in message
        assert "1 of 3 attempts were not run" in message

        powered.on(Side.B)
        sessions.b.reconnect(token=CancelToken())
        resumed = lab_campaign.run(plan, sessions, found, store, resume_id=record.campaign_id)

        assert statuses(resumed) == ["baseline completed", "wireguard failed", "baseline completed"]
        assert is_clean(sessions.a)
        assert is_clean(sessions.b)


def test_a_program_that_is_killed_leaves_nothing_and_can_be_resumed(
    lab: Lab, lab_manager: LabManager, sessions: SessionPair, tmp_path: Path
) -> None:
    database = tmp_path / "tunnelmark.db"
    program = [sys.executable, lab_campaign.__file__, str(lab.folder.parent), lab.spec.name, str(database)]
    with subprocess.Popen([*program, "15", "baseline", "wireguard"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            assert not line.startswith("ended"), line
            if line.startswith("1 wireguard latency 128 B"):
                process.send_signal(signal.SIGKILL)
                break
        process.wait(timeout=10)

    wait_until_clean(sessions.a, sessions.b, timeout_s=20)
    assert "tmk0" in sh(sessions.a, "ip -br link")
    for _, host in both(sessions):
        CancelToken().wait_for(lambda host=host: is_clean(host), timeout_s=90, what="the hosts' timers", interval_s=1.0)  # type: ignore[misc]
    with Store.open(database) as store:
        found = lab_campaign.find_out(lab, sessions)
        number = store.unfinished_campaign(lab.pair.name)
        assert number is not None
        stored = store.load_campaign(number)
        assert statuses(stored) == ["baseline completed"]
        started: list[int] = []

        def emit(event: events.Event) -> None:
            if isinstance(event, events.AttemptStarted):
                started.append(event.key.position)

        resumed = lab_campaign.run(stored.plan, sessions, found, store, emit=emit, resume_id=number)

    assert started == [1, 2]
    assert statuses(resumed) == ["baseline completed", "wireguard completed", "baseline completed"]
    assert recover(sessions, token=CancelToken()).is_clean
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)
    assert left_running(sessions.a) == left_running(sessions.b) == []
