from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from fake_captures import FakeCaptures, able
from fake_pair import ADAPTERS, FakePair, FakeStore, FakeTunnels

from app.domain import events
from app.domain.capture import LeakVerdict
from app.domain.errors import ConnectionLost, ForgeryAccepted
from app.domain.events import LogLevel, LogLine, Stage, StageStarted
from app.domain.link import Link
from app.domain.messages.results import PACKETS_GOT_IN
from app.domain.profiles import Profile, ProfileName
from app.domain.results import AttemptStatus, CampaignRecord
from app.measurement.comparison import Comparison, plan_campaign
from app.measurement.comparison.capture_checks import capture_log, raise_if_leaking
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts, run_campaign
from app.measurement.messages import INNER_FRAMES_READABLE
from support.message_checks import has_message
from support.sample_captures import capture_report, injection_report
from vpn_adapters.shared.security import FULL_SECURITY


def run(
    capture: FakeCaptures,
    seen: list[events.Event] | None = None,
    *,
    rounds: int = 1,
    has_tcpdump: bool = True,
    is_unprotected: bool = False,
    pair: FakePair | None = None,
) -> CampaignRecord:
    """Measure one candidate, again and again."""
    facts = {side: able(sample.facts(side)) if has_tcpdump else sample.facts(side) for side in ("a", "b")}
    candidate = replace(sample.WIREGUARD, is_unprotected=is_unprotected)
    profile = Profile(ProfileName.CUSTOM, pings=5, seconds=1, rounds=rounds)
    pair = pair or FakePair()
    pair.capture = capture
    link = Link("198.51.100.1", "198.51.100.2")
    return run_campaign(
        Comparison,
        plan_campaign(sample.pair(), (candidate,), profile, seed=3),
        CampaignHosts(pair.sessions(), ADAPTERS, link, facts, (), tunnels=FakeTunnels()),
        store=FakeStore(),
        control=CampaignControl(),
        emit=(seen if seen is not None else []).append,
        version="0.1.0",
    )


def test_the_capture_is_inspected_last_and_in_the_first_round_only() -> None:
    seen: list[events.Event] = []
    record = run(FakeCaptures(), seen, rounds=2)

    first, second = record.attempts
    assert (first.status, second.status) == (AttemptStatus.COMPLETED,) * 2
    assert first.capture is not None
    assert first.capture.leak is not None
    assert first.capture.leak.verdict is LeakVerdict.PROTECTED
    assert second.capture is None
    stages = [event.stage for event in seen if isinstance(event, StageStarted) and event.key.position == 0]
    assert stages.index(Stage.PACKET_TESTS) > max(n for n, stage in enumerate(stages) if stage is Stage.THROUGHPUT)
    lines = [event for event in seen if isinstance(event, LogLine)]
    assert [line.level for line in lines if "✓ confidential" in line.text] == [LogLevel.INFO]


def test_a_leak_fails_the_attempt_and_keeps_what_was_measured() -> None:
    record = run(FakeCaptures(is_leaking=True))

    attempt = record.attempts[0]
    assert (attempt.status, attempt.reason) == (AttemptStatus.FAILED, "leak")
    assert has_message(INNER_FRAMES_READABLE)(attempt.message)
    assert attempt.capture is not None
    assert attempt.capture.leak is not None
    assert attempt.capture.leak.verdict is LeakVerdict.LEAKS
    assert attempt.latency
    assert attempt.throughput


def test_a_candidate_that_is_readable_on_purpose_completes() -> None:
    attempt = run(FakeCaptures(is_leaking=True), is_unprotected=True).attempts[0]
    assert attempt.status is AttemptStatus.COMPLETED
    assert attempt.capture is not None
    assert attempt.capture.leak is not None
    assert attempt.capture.leak.verdict is LeakVerdict.EXEMPT


@pytest.mark.parametrize(("capture", "has_tcpdump"), [(FakeCaptures(), False), (FakeCaptures(has_control=False), True)])
def test_what_is_not_proven_fails_nothing_and_is_reported(capture: FakeCaptures, has_tcpdump: bool) -> None:
    seen: list[events.Event] = []
    attempt = run(capture, seen, has_tcpdump=has_tcpdump).attempts[0]
    assert attempt.status is AttemptStatus.COMPLETED
    assert attempt.capture is not None
    assert attempt.capture.leak is not None
    assert attempt.capture.leak.verdict is LeakVerdict.NOT_PROVEN
    warnings = [one.text for one in seen if isinstance(one, LogLine) and one.level is LogLevel.WARNING]
    assert any("? not proven" in text for text in warnings)


def test_a_connection_that_breaks_meanwhile_fails_the_attempt() -> None:
    def interfere(side: str, command: object) -> None:
        if side == "b" and "tcpdump -n" in str(command):
            raise ConnectionLost("The connection to gateway-b broke.")

    attempt = run(FakeCaptures(), pair=FakePair(interfere=interfere)).attempts[0]
    assert (attempt.status, attempt.reason) == (AttemptStatus.FAILED, "connection-lost")
    assert attempt.latency


def test_the_first_attempt_is_predicted_to_take_longer() -> None:
    plan = plan_campaign(
        sample.pair(), (sample.WIREGUARD,), Profile(ProfileName.CUSTOM, pings=5, seconds=1, rounds=2), seed=3
    )
    assert plan.predicted_s[0] > plan.predicted_s[1]


def test_tunnel_that_lets_in_forged_packets_fails_its_attempt() -> None:
    report = replace(capture_report(66), injection=injection_report(LeakVerdict.NOT_PROVEN))
    with pytest.raises(ForgeryAccepted, check=has_message(PACKETS_GOT_IN, entered=3, sent=3, side="A")):
        raise_if_leaking(report, FULL_SECURITY)
    # What promises no integrity is measured to be compared: the report has it, its verdict too.
    raise_if_leaking(report, replace(FULL_SECURITY, has_integrity=False))
    levels = {line: level for level, line in capture_log(report)}
    assert [level for line, level in levels.items() if line.startswith("Authentic: ✕ ")] == [LogLevel.WARNING]


@pytest.mark.parametrize("verdict", [LeakVerdict.PROTECTED, LeakVerdict.EXEMPT])
def test_reference_and_protected_tunnel_fail_no_attempt(verdict: LeakVerdict) -> None:
    raise_if_leaking(replace(capture_report(66), injection=injection_report(verdict)), FULL_SECURITY)
