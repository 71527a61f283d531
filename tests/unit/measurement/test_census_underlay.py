"""A census whose link dies: no option is called failing for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.census import OptionStatus
from app.domain.errors import ConnectionLost, PreflightRefused
from app.domain.events import AttemptEnded, CampaignEnded, UnderlayChanged
from app.domain.results import CampaignStatus
from app.probes import underlay_guard
from app.probes.messages import LINK_DIED, LINK_DIED_ONCE, LINK_NAME
from support.census_stage import BF, CBC, PAIR, SHA256, Census
from support.census_world import SILENT, WELL, broken
from support.message_checks import has_message

SENTENCE = LINK_DIED(link=LINK_NAME(a="gateway-a", b="gateway-b"), sent=6)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSE_S", "HEALED_WITHIN_S", "BACK_WITHIN_S"):
        monkeypatch.setattr(underlay_guard, name, 0.0)


def cut(census: Census) -> None:
    census.pair.pings.update(a=["pings 3 0"], b=["pings 3 0"])


class Healer:
    """Brings the link of a census back, and with it what tunnels show."""

    def __init__(self, census: Census) -> None:
        self.census = census
        self.heals = 0

    def heal(self, *, token: CancelToken) -> bool:
        self.heals += 1
        self.census.pair.pings.update(a=["pings 1 1"], b=["pings 1 1"])
        self.census.tunnels.outcomes.clear()
        return True


def die_at(census: Census, name: str) -> None:
    """Let the link die when an option has just been brought up, once."""

    def on_smoke_test(title: str) -> None:
        if title == name and not census.tunnels.outcomes and census.pair.pings["a"] == ["pings 1 1"]:
            census.tunnels.on_smoke_test = lambda _title: None
            census.tunnels.outcomes.update({one: [SILENT] for one in (name, "AES-256-GCM", *OTHERS)})
            cut(census)

    census.tunnels.on_smoke_test = on_smoke_test


OTHERS = ("AES-128-CBC", "BF-CBC", "SHA256")


def reported(census: Census) -> list[str]:
    return [event.text for event in census.events if isinstance(event, UnderlayChanged)]


def test_a_dead_link_stops_the_census_and_no_option_fails() -> None:
    census = Census(CBC, BF, SHA256)
    die_at(census, "BF-CBC")
    record = census.run()

    assert census.statuses(record) == {"AES-128-CBC": "works"}
    assert not record.is_complete
    assert record.message.startswith(SENTENCE)
    assert len(reported(census)) == 1
    assert reported(census)[0].startswith(SENTENCE)
    assert census.events[-1] == CampaignEnded(record.census_id, CampaignStatus.INTERRUPTED, record.message)
    assert census.tunnels.tunnels_up == 0

    census.pair.pings.update(a=["pings 1 1"], b=["pings 1 1"])
    census.tunnels.outcomes.clear()
    resumed = census.run(resume_id=record.census_id)
    assert census.statuses(resumed) == dict.fromkeys(OTHERS, "works")


def test_a_link_that_is_ours_is_healed_and_the_option_tried_again() -> None:
    census = Census(CBC, BF, SHA256)
    die_at(census, "BF-CBC")
    census.healer = healer = Healer(census)
    record = census.run()

    assert record.is_complete
    assert census.statuses(record) == dict.fromkeys(OTHERS, "works")
    assert healer.heals == 1
    reasons = {result.name: result.reason for result in record.results}
    assert has_message(LINK_DIED_ONCE)(reasons.pop("BF-CBC"))
    assert set(reasons.values()) == {""}
    ended = [event.attempt.name for event in census.events if isinstance(event, AttemptEnded)]
    assert ended == list(OTHERS)


def test_a_link_that_dies_while_the_safe_default_is_tried_is_not_the_default_s_fault() -> None:
    census = Census(CBC)
    die_at(census, "AES-256-GCM")
    census.healer = healer = Healer(census)
    record = census.run()

    assert census.statuses(record) == {"AES-128-CBC": "works"}
    assert healer.heals == 1


def test_what_preflight_says_of_a_dead_link_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    census = Census(CBC)

    def remain_up(_suite: object, _token: CancelToken) -> None:
        cut(census)
        raise PreflightRefused("192.0.2.2 does not answer the pings of gateway-a.")

    monkeypatch.setattr(census.tunnels, "remain_up", remain_up)
    record = census.run()

    assert record.results == ()
    assert record.message.startswith(SENTENCE)


def test_a_dead_link_at_the_start_is_reported_once_and_nothing_is_tried() -> None:
    census = Census(CBC, BF)
    cut(census)
    record = census.run()

    assert census.tunnels.did == []
    assert record.results == ()
    assert len(reported(census)) == 1


def test_an_option_that_fails_on_a_live_link_fails() -> None:
    census = Census(CBC, BF)
    census.tunnels.faults["BF-CBC"] = [broken("unknown cipher BF-CBC")]
    census.tunnels.outcomes["AES-256-GCM"] = [WELL]
    record = census.run()

    assert census.statuses(record)["BF-CBC"] == OptionStatus.FAILS
    assert reported(census) == []


def test_hosts_that_never_answered_a_ping_are_tried_as_before() -> None:
    census = Census(CBC, BF)
    cut(census)
    census.tunnels.outcomes["BF-CBC"] = [SILENT]
    plan = census.plan(pair=replace(PAIR, is_lab=False), allow_load=True)
    record = census.run(plan=plan)

    assert census.statuses(record) == {"AES-128-CBC": "works", "BF-CBC": "fails"}
    assert reported(census) == []


def test_a_host_that_cannot_be_asked_just_now_is_asked_again() -> None:
    census = Census(CBC, BF)
    broken_off: list[str] = []

    def break_off(_side: str, _command: object) -> None:
        if not broken_off:
            broken_off.append("once")
            raise ConnectionLost("The connection to gateway-b broke.")

    census.pair.interfere = break_off
    record = census.run()

    assert broken_off == ["once"]
    assert record.is_complete
    assert census.statuses(record) == {"AES-128-CBC": "works", "BF-CBC": "works"}
