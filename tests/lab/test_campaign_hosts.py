"""Campaigns over hosts made of namespaces: candidates that fail, cancelling, hosts and programs that go away."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lab_campaign
import pytest
from lab_campaign import Found, is_clean, statuses
from lab_sessions import sh, wait_until_clean
from pair_files import save_pair

from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.results import AttemptStatus, CampaignStatus
from app.host.inspection import take_snapshot
from app.host.snapshots import SnapshotDepth
from app.measurement.bench import StageClock, candidate_times
from app.measurement.control import CampaignControl
from app.measurement.overhead import measure_overhead
from app.probes import LatencyRequest, restart_pings
from app.probes.messages import BARE_LINK_RUNS_NO_VPN
from app.probes.workloads import idle_data, restart, transactions
from app.ranking.comparison_study import comparison_studies
from app.ranking.own_study_figures import own_figures
from app.ranking.published import IPSEC_TLS
from app.storage import Store
from app.tunnel import recover
from support.killing import wait_until_back
from support.lab_deploy import wait_until_as_before
from support.net_bench import NetBench

STOP_S = 60.0
"""Time limit for a probe that would go on for minutes to stop, on a busy computer as well."""
PROMPT_S = 2.0
"""Time limit on a computer that does nothing else."""
LEASE_S = "240"
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "tunnelmark.db") as store:
        yield store


@pytest.fixture(scope="module")
def found(net: NetBench) -> Found:
    return lab_campaign.find_out(net.pair, net.sessions)


@pytest.fixture(autouse=True)
def nothing_runs(net: NetBench) -> Iterator[None]:
    yield
    wait_until_clean(net.sessions.a, net.sessions.b)


def test_what_is_reported_is_what_is_stored(net: NetBench, found: Found, store: Store) -> None:
    # A transfer of one second may end on a busy computer before anything was reported of it.
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "openvpn-udp"], seconds=2)
    seen: list[events.Event] = []

    record = lab_campaign.run(plan, net.sessions, found, store, emit=seen.append)

    assert record.status is CampaignStatus.COMPLETED
    assert statuses(record) == ["baseline completed", "openvpn-udp completed", "baseline completed"]
    kinds = {type(event) for event in seen}
    assert {events.RttSamples, events.ThroughputSample, events.CpuSample, events.Progress} <= kinds
    assert store.load_campaign(record.campaign_id).attempts[0].latency[0].rtt_us.tolist() == (
        record.attempts[0].latency[0].rtt_us.tolist()
    )
    assert is_clean(net.sessions.a)
    assert is_clean(net.sessions.b)


def test_a_benchmark_has_the_times_of_real_stages_and_real_pings(net: NetBench, found: Found, store: Store) -> None:
    plan = lab_campaign.make_plan(net.pair, found, ["openvpn-udp"])
    clock = StageClock()
    record = lab_campaign.run(plan, net.sessions, found, store, emit=clock.handle)
    (times,) = candidate_times(record, clock)
    a, b = net.hosts.addresses
    overhead = measure_overhead(net.sessions.a, LatencyRequest(b, a, (60, 1514), 100), rounds=3, token=CancelToken())

    attempt = record.attempts[0]
    took_s = (attempt.ended_at - attempt.started_at).total_seconds()
    parts_s = (times.setup_s, times.latency_s, times.throughput_s, times.cleanup_s)
    assert all(one > 0 for one in parts_s)
    assert times.packets_s == 0  # packet tests are not made here
    assert sum(parts_s) == pytest.approx(took_s, rel=0.3)
    assert times.throughput_s > 2 * plan.profile.seconds
    assert all(0 < one.medians_us[0] < 100_000 for one in (*overhead.probe, *overhead.bare, *overhead.control))
    assert overhead.time_ratio > 0  # how large it is depends on what else runs: `tunnelmark bench` measures it
    wait_until_clean(net.sessions.a)


@pytest.mark.full
def test_files_are_slower_and_idle_data_is_what_keeps_a_tunnel_alive(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_data, "WINDOW_S", 7)
    monkeypatch.setattr(idle_data, "_SETTLE_S", 2)
    monkeypatch.setattr(transactions, "_SECONDS", 1)
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "openvpn-udp"])
    plan = replace(plan, workloads=("transactions", "idle-data"))
    record = lab_campaign.run(plan, net.sessions, found, store)

    (bare_files, bare), (vpn_files, vpn), *_ = (one.workloads for one in record.attempts)
    assert (bare_files.message, vpn_files.message) == ("", "")
    own = own_figures(comparison_studies()[IPSEC_TLS], record)
    assert len(own) == 4
    openvpn = ("openvpn-udp", plan.candidates[1].suite)
    for way in ("a-to-b", "b-to-a"):
        assert own[*openvpn, way]["response_ms"] > 2 * own["baseline", "none", way]["response_ms"]
    assert all(0 < one["sender_cpu_pct"] <= 100 and one["longest_ms"] >= one["response_ms"] for one in own.values())
    assert is_clean(net.sessions.a)
    assert (bare.message, vpn.message) == ("", "")
    assert bare.figures == {"month": 0.0, "frames": 0.0, "bytes": 0.0}
    # OpenVPN's keepalive is 2 s in both directions: up to 8 frames of 82 bytes, fewer on a busy computer.
    assert 2 * 82 <= vpn.figures["bytes"] <= 10 * 82
    assert vpn.figures["month"] > 50


@pytest.mark.parametrize("solution", ["openvpn-tcp", pytest.param("openvpn-udp", marks=pytest.mark.full)])
def test_a_restart_of_one_host_is_an_outage_that_ends(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch, solution: str
) -> None:
    monkeypatch.setattr(restart_pings, "BEFORE_S", 1.0)  # for fastd alone
    plan = replace(lab_campaign.make_plan(net.pair, found, ["baseline", solution]), workloads=("restart",))
    record = lab_campaign.run(plan, net.sessions, found, store)

    bare, vpn, *_ = (one.workloads[0] for one in record.attempts)
    assert statuses(record)[1] == f"{solution} completed"
    assert (bare.figures, bare.message) == ({}, BARE_LINK_RUNS_NO_VPN())
    assert vpn.message == ""
    assert vpn.figures["outage"] == max(vpn.figures["outage-a"], vpn.figures["outage-b"])
    # Something was lost, and each outage ended before the limit; the client notices a silent server after 10 s.
    assert all(2 * restart_pings.INTERVAL_S < one < restart.LIMIT_S for one in vpn.figures.values())
    if solution == "openvpn-udp":
        assert vpn.figures["outage-a"] > 8.0
    assert is_clean(net.sessions.a)
    assert is_clean(net.sessions.b)


def test_a_daemon_that_dies_during_a_probe_is_a_result(net: NetBench, found: Found, store: Store) -> None:
    # So many that the daemon is killed before the last: lines come every 1.5 s, and each request takes 0.04 ms.
    plan = lab_campaign.make_plan(net.pair, found, ["openvpn-udp", "openvpn-tcp"], pings=20_000)
    killed: list[str] = []

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.solution == "openvpn-udp" and not killed:
            killed.append(sh(net.sessions.b, "pkill -KILL -x openvpn && echo killed"))

    record = lab_campaign.run(plan, net.sessions, found, store, emit=emit)

    assert killed == ["killed\n"]
    assert sorted(statuses(record)) == ["openvpn-tcp completed", "openvpn-udp failed"]
    (failed,) = (one for one in record.attempts if one.status is AttemptStatus.FAILED)
    assert failed.reason in {"probe-failed", "tunnel-down"}
    assert "stopped answering" in failed.message
    assert "Initialization Sequence Completed" in failed.daemon_log
    assert is_clean(net.sessions.a)
    assert is_clean(net.sessions.b)


@pytest.mark.parametrize(
    ("stage", "limit_s"),
    [
        (Stage.LATENCY, STOP_S),
        (Stage.THROUGHPUT, STOP_S),
        pytest.param(Stage.LATENCY, PROMPT_S, marks=[pytest.mark.full, pytest.mark.timed]),
        pytest.param(Stage.THROUGHPUT, PROMPT_S, marks=[pytest.mark.full, pytest.mark.timed]),
    ],
)
def test_cancelling_stops_the_probe_and_cleans_up(
    net: NetBench, found: Found, store: Store, stage: Stage, limit_s: float
) -> None:
    pings = 1_000_000 if stage is Stage.LATENCY else 50
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "tinc"], pings=pings, seconds=300)
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
        side: take_snapshot(host, token=CancelToken(), depth=SnapshotDepth.THOROUGH)
        for side, host in both(net.sessions)
    }
    record = lab_campaign.run(plan, net.sessions, found, store, control=control, emit=emit)
    ended_s = time.monotonic()

    assert record.status is CampaignStatus.CANCELLED
    assert statuses(record) == ["baseline cancelled", "tinc not-run", "baseline not-run"]
    assert times["cleanup"] - times["cancelled"] < limit_s
    assert ended_s - times["cancelled"] < 240
    wait_until_as_before(net.sessions, (before[Side.A], before[Side.B]))


def both(sessions: SessionPair) -> tuple[tuple[Side, HostSession], tuple[Side, HostSession]]:
    return (Side.A, sessions.a), (Side.B, sessions.b)


def test_skipping_one_candidate(net: NetBench, found: Found, store: Store) -> None:
    plan = lab_campaign.make_plan(net.pair, found, ["openvpn-tcp", "tinc"], pings=100)
    control = CampaignControl()

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.position == 0:
            control.skip()

    record = lab_campaign.run(plan, net.sessions, found, store, control=control, emit=emit)

    messages = [one.message for one in record.attempts]
    assert [one.status.value for one in record.attempts] == ["skipped", "completed"], messages
    assert is_clean(net.sessions.a)


# --- hosts and programs that go away ---------------------------------------------------------------------------------


def test_a_program_that_is_killed_leaves_nothing_and_can_be_resumed(
    net: NetBench, found: Found, tmp_path: Path
) -> None:
    database = tmp_path / "tunnelmark.db"
    file = save_pair(net.pair, tmp_path / "pair.json")
    program = [sys.executable, lab_campaign.__file__, str(file), str(database)]
    with subprocess.Popen([*program, LEASE_S, "baseline", "tinc"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            assert not line.startswith("ended"), line
            if line.startswith("1 tinc latency 128 B"):
                process.send_signal(signal.SIGKILL)
                break
        process.wait(timeout=120)

    sessions = net.sessions
    wait_until_clean(sessions.a, sessions.b)
    assert "tmk0" in sh(sessions.a, "ip -br link")
    wait_until_back(sessions, timeout_s=300, ends_leases=True)
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)
    with Store.open(database) as store:
        number = store.unfinished_campaign(net.pair.name)
        assert number is not None
        stored = store.load_campaign(number)
        assert statuses(stored) == ["baseline completed"]
        started: list[int] = []

        def emit(event: events.Event) -> None:
            if isinstance(event, events.AttemptStarted):
                started.append(event.key.position)

        resumed = lab_campaign.run(stored.plan, sessions, found, store, emit=emit, resume_id=number)

    assert started == [1, 2]
    assert statuses(resumed) == ["baseline completed", "tinc completed", "baseline completed"]
    assert recover(sessions, token=CancelToken()).is_clean
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)
    wait_until_clean(sessions.a, sessions.b)
