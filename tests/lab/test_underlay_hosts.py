"""Campaigns and a census over hosts made of namespaces whose underlay dies."""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.progress import CampaignDisplay
from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.events import AttemptStarted, CensusEvent, Stage
from app.domain.hosts import Side
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.control import CampaignControl
from app.probes import UnderlayWatch, underlay, underlay_guard
from app.probes.messages import LINK_DEAD, LINK_DIED
from app.probes.underlay import PINGS, probe_underlay
from app.storage import Store
from support import lab_campaign, lab_census
from support.lab_campaign import Found, is_clean, statuses
from support.lab_sessions import wait_until_clean
from support.message_checks import has_message
from support.net_bench import NetBench
from support.waiting import wait_until

SENTENCE = "The link between gateway-a and gateway-b carries nothing any more: 0 of 6 pings crossed."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "tunnelmark.db") as store:
        yield store


@pytest.fixture(scope="module")
def found(net: NetBench) -> Found:
    return lab_campaign.find_out(net.pair, net.sessions)


@pytest.fixture(autouse=True)
def plugged_in_again(net: NetBench) -> Iterator[None]:
    yield
    net.hosts.b.plug("u", is_in=True)
    wait_until_clean(net.sessions.a, net.sessions.b)
    assert is_clean(net.sessions.a)
    assert is_clean(net.sessions.b)


class Cable:
    """B's underlay cable: pulled once, when an attempt reaches a stage; plugged in again by healing.

    Args:
        net: The hosts.
        solution: The attempt's.
        stage: When it is pulled.
    """

    def __init__(self, net: NetBench, solution: str, stage: Stage) -> None:
        self.net, self.solution, self.stage = net, solution, stage
        self.is_pulled = False
        self.heals = 0
        self.seen: list[events.Event] = []
        self.on_event: Callable[[events.Event], None] = lambda _event: None

    def emit(self, event: events.Event) -> None:
        self.seen.append(event)
        is_now = isinstance(event, events.StageStarted) and event.stage is self.stage
        if is_now and event.key.solution == self.solution and not self.is_pulled:  # type: ignore[union-attr]
            self.is_pulled = True
            self.net.hosts.b.plug("u", is_in=False)
        self.on_event(event)

    def heal(self, *, token: CancelToken) -> bool:
        token.raise_if_cancelled()
        self.heals += 1
        self.net.hosts.b.plug("u", is_in=True)
        return True

    def reported(self) -> list[events.UnderlayChanged]:
        return [event for event in self.seen if isinstance(event, events.UnderlayChanged)]

    def warnings(self) -> str:
        lines = [event for event in self.seen if isinstance(event, events.LogLine)]
        return "\n".join(line.text for line in lines if line.level is not events.LogLevel.INFO)


@pytest.mark.parametrize("stage", [pytest.param(Stage.PREFLIGHT, marks=pytest.mark.full), Stage.LATENCY])
def test_a_pulled_cable_is_healed_and_every_candidate_measured(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    monkeypatch.setattr(underlay_guard, "HEALED_WITHIN_S", 120.0)
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "openvpn-udp"])
    cable = Cable(net, "openvpn-udp", stage)

    record = lab_campaign.run(plan, net.sessions, found, store, emit=cable.emit, healer=cable)

    assert record.status is CampaignStatus.COMPLETED
    assert [one.message for one in record.attempts if one.status is not AttemptStatus.COMPLETED] == []
    assert len(record.attempts) == 3
    assert cable.heals == 1
    down, up = cable.reported()
    assert (down.is_up, up.is_up) == (False, True)
    assert down.text.startswith(SENTENCE)
    assert "does not answer the pings" not in cable.warnings()
    started = [event.key.solution for event in cable.seen if isinstance(event, events.AttemptStarted)]
    assert started.count("openvpn-udp") == 2
    assert len(started) == 4
    (repeated,) = (one for one in record.attempts if one.key.solution == "openvpn-udp")
    assert any("died while this was measured at first" in doubt for doubt in repeated.doubts)
    assert store.load_campaign(record.campaign_id).attempts[repeated.key.position].doubts == repeated.doubts


@pytest.mark.full
def test_without_a_healer_it_stops_with_the_rest_intact_and_is_resumed(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(underlay_guard, "BACK_WITHIN_S", 5.0)
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "openvpn-udp"])
    cable = Cable(net, "openvpn-udp", Stage.LATENCY)

    record = lab_campaign.run(plan, net.sessions, found, store, emit=cable.emit)

    assert record.status is CampaignStatus.INTERRUPTED
    assert len(cable.reported()) == 1
    assert cable.reported()[0].text.startswith(SENTENCE)
    at = next(key.position for key in plan.attempts if key.solution == "openvpn-udp")
    assert [one.status.value for one in record.attempts] == ["completed"] * at + ["not-run"] * (3 - at)
    assert {one.reason for one in record.attempts[at:]} == {"underlay-down"}
    assert store.unfinished_campaign(net.pair.name) == record.campaign_id

    # Resumed with the cable still out: it stops at once, and nothing more is marked.
    again = Cable(net, "", Stage.PREFLIGHT)
    still = lab_campaign.run(plan, net.sessions, found, store, emit=again.emit, resume_id=record.campaign_id)
    assert statuses(still) == statuses(record)
    assert not [event for event in again.seen if isinstance(event, events.AttemptStarted)]

    net.hosts.b.plug("u", is_in=True)
    resumed = lab_campaign.run(plan, net.sessions, found, store, resume_id=record.campaign_id)
    assert resumed.status is CampaignStatus.COMPLETED
    assert {one.status for one in resumed.attempts} == {AttemptStatus.COMPLETED}


@pytest.mark.full
def test_with_a_user_there_it_pauses_until_the_cable_is_back(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(underlay_guard, "BACK_WITHIN_S", 2.0)
    plan = lab_campaign.make_plan(net.pair, found, ["tinc"])
    control = CampaignControl(is_attended=True)
    cable = Cable(net, "tinc", Stage.APPLY)
    reasons: list[str] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.Paused) and event.is_paused:
            reasons.append(event.reason)
            assert is_clean(net.sessions.a)
            net.hosts.b.plug("u", is_in=True)
            control.resume()

    cable.on_event = on_event
    record = lab_campaign.run(plan, net.sessions, found, store, control=control, emit=cable.emit)

    assert len(reasons) == 1
    assert reasons[0].startswith(SENTENCE)
    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}


@pytest.mark.full
def test_a_cable_that_is_plugged_in_again_in_time_needs_no_one(net: NetBench, found: Found, store: Store) -> None:
    plan = lab_campaign.make_plan(net.pair, found, ["openvpn-udp"])
    cable = Cable(net, "openvpn-udp", Stage.LATENCY)
    timers: list[threading.Timer] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.UnderlayChanged) and not event.is_up:
            timers.append(threading.Timer(3.0, cable.heal, kwargs={"token": CancelToken()}))
            timers[0].start()

    cable.on_event = on_event
    record = lab_campaign.run(plan, net.sessions, found, store, emit=cable.emit)
    for timer in timers:
        timer.join()

    assert statuses(record) == ["openvpn-udp completed"]
    assert [event.is_up for event in cable.reported()] == [False, True]


# --- the command line ------------------------------------------------------------------------------------------------


def add_pair(net: NetBench) -> None:
    """Store the two hosts as a pair of the user's own, which is no practice lab."""
    a, b = net.pair.a, net.pair.b
    keys = ("--identity", str(a.identity_file), "--host-key-file", str(a.host_key_file))
    where = ("--a", f"root@{a.address}", "--b", f"root@{b.address}", "--underlay")
    addresses = f"{net.pair.underlay_a},{net.pair.underlay_b}"
    assert main(["pair", "add", "plant", *where, addresses, *keys]) == ExitCode.OK


@pytest.mark.full
def test_a_command_says_it_once_and_goes_on_where_it_stopped(
    net: NetBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(underlay_guard, "BACK_WITHIN_S", 2.0)
    monkeypatch.setattr("app.measurement.comparison.attempt.has_capture_tests", lambda _plan, _key: False)
    monkeypatch.setattr("app.measurement.comparison.repeats.MOST_REPEATS", 0)
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    cable = Cable(net, "tinc", Stage.LATENCY)

    class Display(CampaignDisplay):
        def handle(self, event: events.Event) -> None:
            cable.emit(event)
            super().handle(event)

    monkeypatch.setattr("app.cli.compare.CampaignDisplay", Display)
    add_pair(net)
    effort = ("--pings", "10", "--seconds", "1", "--rounds", "1", "--allow-load")

    status = main(["compare", "plant", "--solutions", "openvpn-udp,tinc", *effort])
    reported = " ".join(capsys.readouterr().err.split())
    assert status == ExitCode.INCOMPLETE
    assert reported.count("carries nothing any more: 0 of 6 pings crossed.") == 1
    assert "failed" not in reported
    assert "tunnelmark compare plant --resume" in reported

    net.hosts.b.plug("u", is_in=True)
    assert main(["compare", "plant", "--resume", "--allow-load"]) == ExitCode.OK
    assert "carries nothing" not in capsys.readouterr().err


def test_a_command_says_a_link_that_is_dead_from_the_start_once_and_tries_nothing(
    net: NetBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(underlay_guard, "BACK_WITHIN_S", 2.0)
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    net.hosts.b.plug("u", is_in=False)
    add_pair(net)

    status = main(["compare", "plant", "--solutions", "openvpn-udp,tinc", "--profile", "quick", "--allow-load"])
    reported = " ".join(capsys.readouterr().err.split())
    assert status == ExitCode.INCOMPLETE
    assert reported.count("carries nothing: 0 of 6 pings crossed.") == 1
    assert "[1/2]" not in reported
    assert "The comparison stopped with 2 of 2 attempts not run." in reported


# --- what the hosts themselves say -----------------------------------------------------------------------------------


def both_ways(net: NetBench, found: Found) -> dict[Side, int]:
    seen = probe_underlay(net.sessions, found.link, token=CancelToken())
    return {side: one.answered for side, one in seen.items()}


def test_a_link_that_carries_frames_one_way_only_is_dead(net: NetBench, found: Found) -> None:
    watch = UnderlayWatch(net.sessions, found.link)
    assert watch.check(token=CancelToken()) is None
    assert both_ways(net, found) == dict.fromkeys(Side, 1)
    # A's frames go to a card that does not exist; B's still arrive.
    net.hosts.a.run(f"ip neigh replace {found.link.underlay_b} lladdr 02:00:00:00:00:99 dev eth1 nud permanent")
    try:
        assert both_ways(net, found) == dict.fromkeys(Side, 0)
        down = watch.check(token=CancelToken())
    finally:
        net.hosts.a.run(f"ip neigh del {found.link.underlay_b} dev eth1")
    assert down is not None
    assert has_message(LINK_DIED, sent=6)(down)
    wait_until(lambda: watch.is_well(token=CancelToken()), "frames to cross again")


def test_a_firewall_that_always_dropped_pings_is_not_taken_for_a_dead_link(net: NetBench, found: Found) -> None:
    rule = "add rule inet tests input ip protocol icmp iifname eth1 drop"
    for host in net.hosts.hosts:
        host.run(
            f"nft 'add table inet tests; add chain inet tests input {{ type filter hook input priority 0; }}; {rule}'"
        )
    try:
        assert both_ways(net, found) == dict.fromkeys(Side, 0)
        assert UnderlayWatch(net.sessions, found.link).check(token=CancelToken()) is None
        # It is known to have answered: then it is not the policy.
        assert UnderlayWatch(net.sessions, found.link, has_answered=True).check(token=CancelToken()) is not None
    finally:
        for host in net.hosts.hosts:
            host.run("nft delete table inet tests")


def test_a_cable_that_was_never_in_is_known_for_dead_without_any_ping_before(net: NetBench, found: Found) -> None:
    net.hosts.b.plug("u", is_in=False)
    down = UnderlayWatch(net.sessions, found.link).check(token=CancelToken())
    assert down is not None
    assert has_message(LINK_DEAD, sent=6)(down)


def test_hosts_without_a_route_cannot_reach_each_other(net: NetBench, found: Found) -> None:
    away = dataclasses.replace(found.link, underlay_a="203.0.113.1", underlay_b="203.0.113.2")
    down = UnderlayWatch(net.sessions, away).check(token=CancelToken())
    assert down is not None


@pytest.mark.skipif(shutil.which("busybox") is None, reason="needs BusyBox")
@pytest.mark.parametrize(
    ("peer", "printed"), [("", "pings [123] 1"), ("10.99.1.77", "pings 3 0 cut"), ("203.0.113.1", "pings 3 0 cut")]
)
def test_a_host_with_busybox_says_the_same(net: NetBench, found: Found, peer: str, printed: str) -> None:
    words = ["sh", "-c", underlay._SCRIPT, "tunnelmark", peer or found.link.underlay_b, str(PINGS)]
    reported = net.hosts.a.run(
        f"mkdir -p /tmp/bb; busybox --install -s /tmp/bb; PATH=/tmp/bb {shlex.join(words)}; rm -r /tmp/bb"
    )
    assert re.fullmatch(printed, " ".join(reported.split()))


# --- a census --------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_census_stops_and_calls_no_option_failing(
    net: NetBench, found: Found, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(underlay_guard, "BACK_WITHIN_S", 2.0)
    names = ("AES-128-CBC", "AES-256-CBC", "SHA256")
    seen: list[CensusEvent] = []

    def emit(event: CensusEvent) -> None:
        seen.append(event)
        if isinstance(event, AttemptStarted) and event.key.position == 1:
            net.hosts.b.plug("u", is_in=False)

    record = lab_census.run(net.pair, net.sessions, found, store, names, emit=emit)

    assert [(one.name, one.status.value) for one in record.results] == [("AES-128-CBC", "works")]
    assert record.message.startswith(SENTENCE)
    reported = [event for event in seen if isinstance(event, events.UnderlayChanged)]
    assert len(reported) == 1

    net.hosts.b.plug("u", is_in=True)
    resumed = lab_census.run(net.pair, net.sessions, found, store, names)
    assert resumed.census_id == record.census_id
    assert {one.status.value for one in resumed.results} == {"works"}
    assert resumed.is_complete
