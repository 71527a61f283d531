"""Judgement of injection tests: what arrived and what got in decides, and what was not tried is not claimed."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from plain_data import from_data

from app.domain.capture import CaptureReport, Property, properties_of
from app.domain.injection import (
    HostInjection,
    InjectionReport,
    InjectionTrial,
    PropertyVerdict,
    TrialKind,
    authenticity,
    replay_protection,
)
from app.domain.messages.results import (
    FORGERIES_LOST,
    FRAMES_INTACT,
    INJECTION_CONTROL_FAILED,
    NO_FORGERY_GOT_IN,
    NO_REPLAY_GOT_IN,
    NO_TRIAL_ARRIVED,
    NO_TRIAL_SENT,
    PACKETS_GOT_IN,
)
from app.probes.capture.pcap import ETHERNET, Record
from app.probes.capture.recording import TUNNEL, UNDERLAY, HostCapture
from app.probes.injection.forging import ETHERTYPE, Forgery
from app.probes.injection.judge import Injected, judge
from app.probes.injection.packets import Captured, ethernet, ipv4
from app.probes.injection.stages import parse_inspected
from app.storage.codec import to_data
from app.wording.capture_sentences import properties_line, property_sentence
from support.message_checks import has_message

LINK = bytes.fromhex("0200000000020200000000010800")
FIRST, SECOND = b"firstone", b"secondly"
INNER = "198.18.0.2"
FORGED = InjectionTrial(TrialKind.FORGED, "from a third address", 3, 3, 0)
ALTERED = InjectionTrial(TrialKind.ALTERED, "by one bit", 22, 22, 0)
DELAYED = InjectionTrial(TrialKind.DELAYED, "as they were", 2, 2, 2)
REPLAYED = InjectionTrial(TrialKind.REPLAYED, "", 6, 6, 0)
ALL = (FORGED, ALTERED, DELAYED, REPLAYED)


def record(frame: bytes) -> Record:
    return Record(ETHERNET, len(frame), frame)


def packet(content: bytes) -> Captured:
    header = ipv4("192.0.2.1", "192.0.2.2", 50, content)[:20]
    return Captured(LINK, header, content)


def echo(mark: bytes, number: int, *, kind: int = 8, destination: str = INNER) -> Record:
    message = struct.pack("!BBHHH", kind, 0, 0, 1, number) + mark * 20
    return record(ethernet(LINK, 0x0800, ipv4("198.18.0.1", destination, 1, message)))


def forgery(title: str, tag: bytes) -> Forgery:
    return Forgery(title, tag, (ethernet(LINK, 0x0800, ipv4("192.0.2.9", "192.0.2.2", 115, tag)),))


A, B = packet(b"a" * 210), packet(b"b" * 210)
INJECTED = Injected(
    forged=(forgery("from a third address", b"tag1"),) * 3,
    altered=(packet(b"x" * 210), packet(b"y" * 210)),
    delayed=(A, B),
    replayed=(A, B) * 3,
    first=FIRST,
    second=SECOND,
)
SENT = tuple(echo(mark, number) for mark in (FIRST, SECOND) for number in (1, 2))
ARRIVED = (
    *(record(one.frames[0]) for one in INJECTED.forged),
    *(record(one.frame()) for one in (*INJECTED.altered, A, B, A, B, *INJECTED.replayed)),
)


def judged(inside: tuple[Record, ...], *, injected: Injected = INJECTED) -> dict[TrialKind, InjectionTrial]:
    capture = HostCapture({UNDERLAY: ARRIVED, TUNNEL: inside})
    return {trial.kind: trial for trial in judge(injected, capture, SENT, INNER)}


def test_tunnel_that_keeps_all_out_lets_in_the_control_alone() -> None:
    answers = (echo(SECOND, 1, kind=0, destination="198.18.0.1"), echo(SECOND, 2, kind=0, destination="198.18.0.1"))
    trials = judged((echo(SECOND, 1), echo(SECOND, 2), *answers))
    assert trials[TrialKind.FORGED] == FORGED
    assert trials[TrialKind.ALTERED] == replace(ALTERED, sent=2, arrived=2)
    assert trials[TrialKind.DELAYED] == DELAYED
    assert trials[TrialKind.REPLAYED] == REPLAYED


def test_what_got_in_is_counted() -> None:
    tagged = record(b"\xff" * 6 + bytes(6) + struct.pack("!H", ETHERTYPE) + b"tag1" * 3)
    changed = record(echo(FIRST, 1).data[:-1] + b"?")
    inside = (tagged, tagged, changed, *(echo(SECOND, 1) for _ in range(4)), echo(SECOND, 2))
    trials = judged(inside)
    assert {kind: trial.entered for kind, trial in trials.items()} == {
        TrialKind.FORGED: 2,
        TrialKind.ALTERED: 1,
        TrialKind.DELAYED: 2,
        TrialKind.REPLAYED: 3,
    }


def test_frame_that_comes_out_as_it_was_sent_is_no_forgery_but_only_once() -> None:
    """Nothing depends on some bits of an outer header."""
    answer = echo(FIRST, 1, kind=0, destination="198.18.0.1")
    data = bytearray(answer.data)
    data[26:30] = bytes([198, 18, 0, 2])
    mine = Record(ETHERNET, len(data), bytes(data))
    once = judged((echo(FIRST, 1), mine, echo(SECOND, 1)))[TrialKind.ALTERED]
    assert (once.entered, once.intact) == (0, 1)
    twice = judged((echo(FIRST, 1), echo(FIRST, 1), echo(FIRST, 2)))[TrialKind.ALTERED]
    assert (twice.entered, twice.intact) == (1, 2)
    found = report(*(replace(ALTERED, intact=2) if one.kind is TrialKind.ALTERED else one for one in ALL))
    assert authenticity(found).verdict is PropertyVerdict.HOLDS
    assert has_message(FRAMES_INTACT, intact=2)(authenticity(found).note)


def test_packets_that_do_not_arrive_show_nothing() -> None:
    trials = {
        trial.kind: trial
        for trial in judge(
            INJECTED, HostCapture({UNDERLAY: (), TUNNEL: (echo(SECOND, 1), echo(SECOND, 2))}), SENT, INNER
        )
    }
    assert all(trial.arrived == 0 for trial in trials.values())


def report(*trials: InjectionTrial, missing: dict[str, str] | None = None, is_exempt: bool = False) -> InjectionReport:
    host = HostInjection(trials, missing or {})
    return InjectionReport({"a": HostInjection(ALL), "b": host}, is_exempt=is_exempt)


def test_properties_hold_where_the_control_got_in_and_nothing_else() -> None:
    found = report(*ALL)
    assert authenticity(found).verdict is PropertyVerdict.HOLDS
    assert authenticity(found).note == NO_FORGERY_GOT_IN(sent=50)
    assert replay_protection(found).verdict is PropertyVerdict.HOLDS
    assert replay_protection(found).note == NO_REPLAY_GOT_IN(sent=12)


@pytest.mark.parametrize(
    ("trial", "is_authentic"),
    [(replace(FORGED, entered=1), False), (replace(ALTERED, entered=2), False), (replace(REPLAYED, entered=6), True)],
)
def test_one_packet_that_gets_in_is_enough(trial: InjectionTrial, *, is_authentic: bool) -> None:
    found = report(*(trial if one.kind is trial.kind else one for one in ALL))
    judged_as = replay_protection(found) if is_authentic else authenticity(found)
    assert judged_as.verdict is PropertyVerdict.FAILS
    assert judged_as.note == PACKETS_GOT_IN(entered=trial.entered, sent=trial.sent, words=trial.words, side="B")
    other = authenticity(found) if is_authentic else replay_protection(found)
    assert other.verdict is PropertyVerdict.HOLDS


@pytest.mark.parametrize(
    ("trials", "missing", "note"),
    [
        ((FORGED, ALTERED, replace(DELAYED, entered=0), REPLAYED), {}, INJECTION_CONTROL_FAILED(side="B")),
        ((FORGED, replace(ALTERED, arrived=0), DELAYED, REPLAYED), {}, NO_TRIAL_ARRIVED(side="B", words=ALTERED.words)),
        (
            (replace(FORGED, title="from the peer's address", arrived=0), ALTERED, DELAYED, REPLAYED),
            {},
            NO_TRIAL_ARRIVED(side="B", words="forged from the peer's address"),
        ),
        ((FORGED, DELAYED, REPLAYED), {"altered": "B has no nft."}, "B has no nft."),
        ((FORGED, DELAYED, REPLAYED), {}, NO_TRIAL_SENT(kind="altered", side="B")),
    ],
)
def test_what_was_not_tried_is_not_claimed(
    trials: tuple[InjectionTrial, ...], missing: dict[str, str], note: str
) -> None:
    found = authenticity(report(*trials, missing=missing))
    assert found.verdict is PropertyVerdict.NOT_TRIED
    assert note in found.note


def test_forged_packets_that_a_router_drops_are_reported_not_to_be_tried() -> None:
    found = authenticity(report(replace(FORGED, arrived=0), ALTERED, DELAYED, REPLAYED))
    assert found.verdict is PropertyVerdict.HOLDS
    assert has_message(FORGERIES_LOST, titles=("from a third address",))(found.note)


def test_nothing_that_was_run_is_nothing_that_was_shown() -> None:
    for found in (None, InjectionReport({})):
        assert authenticity(found).verdict is PropertyVerdict.NOT_TRIED
        assert replay_protection(found).verdict is PropertyVerdict.NOT_TRIED


def test_test_that_cannot_get_into_a_reference_shows_nothing() -> None:
    assert authenticity(report(*ALL, is_exempt=True)).verdict is PropertyVerdict.NOT_TRIED
    let_in = report(replace(FORGED, entered=3), ALTERED, DELAYED, replace(REPLAYED, entered=6), is_exempt=True)
    assert authenticity(let_in).verdict is PropertyVerdict.FAILS
    assert replay_protection(let_in).verdict is PropertyVerdict.FAILS


def test_words_keep_the_properties_apart() -> None:
    shown = properties_of(
        CaptureReport(injection=report(FORGED, DELAYED, REPLAYED, missing={"altered": "B has no nft."}))
    )
    assert properties_line(shown) == "? confidential (not tried), ? authentic (not tried), ✓ replay-proof"
    sentences = [property_sentence(kind, result) for kind, result in shown.items() if kind is not Property.CONFIDENTIAL]
    assert sentences == [
        "Authentic: not tried, because B has no nft.",
        "Replay-proof: ✓ None of 12 packets that were replayed got in.",
    ]


def test_report_survives_the_database() -> None:
    stored = CaptureReport(injection=report(*ALL, missing={"altered": "why"}, is_exempt=True))
    assert from_data(CaptureReport, to_data(stored)) == stored
    old = to_data(stored)
    del old["injection"]
    assert from_data(CaptureReport, old).injection is None


SHOWN = """#device eth1
#link-local fe80::5054:ff:fe00:2
#has perl
#has nft
Session 7301 in tunnel 7301
  Peer session 7301, tunnel 7301
  interface name: tmk0
  offset 0, peer offset 0
  cookie 0001020304050607
  peer cookie 08090a0b0c0d0e0f
Session 9 in tunnel 8
  Peer session 9, tunnel 8
  interface name: l2tpeth1
"""


def test_host_is_understood() -> None:
    host = parse_inspected(SHOWN)
    assert (host.device, host.link_local) == ("eth1", "fe80::5054:ff:fe00:2")
    assert host.programs == {"perl", "nft"}
    assert host.cookies == {7301: bytes(range(8, 16)), 9: b""}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#device \n#has",
        "#device a b\n#link-local $(reboot)\n",
        "#link-local fe80:::::1\n",
        "Session 99999999999 in",
    ],
)
def test_strange_words_of_a_host_are_passed_over(text: str) -> None:
    host = parse_inspected(text)
    assert (host.device, host.link_local, host.cookies) == ("", "", {})
