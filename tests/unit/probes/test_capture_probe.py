from __future__ import annotations

from dataclasses import replace

import pytest
import sample_records as sample
from fake_capture_probe import plan, probe, request, sessions
from fake_captures import FakeCaptures
from fake_hosts import FakeHost

from app.domain.adapters import Breakage
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, LeakVerdict
from app.domain.commands import Command, SessionPair
from app.domain.errors import Cancelled, ConnectionLost
from app.domain.hosts import Privilege, Side, Tool, ToolFlavour
from app.domain.messages.lists import enumerated
from app.domain.profiles import FRAME_BYTES
from app.probes.capture import missing_for_capture, run_capture_tests
from app.probes.capture.canary_traffic import BROKEN_S
from app.probes.capture.messages import (
    BREAKAGE_FAILED,
    BREAKAGE_ON_HOST,
    CANARIES_OF_EVERY_SIZE,
    CONTROL_UNSEEN,
    COST_UNMEASURED,
    FEW_ANSWERED,
    FEW_PACKETS,
    MAKE_VLAN_BRIEFLY,
    NO_CONTROL_AFTERWARDS,
    NO_MARKING_PING,
    NO_ROOT_TO_CAPTURE,
    NO_TCPDUMP,
    ON_INTERFACE,
    ON_UNDERLAY,
    PLAINTEXT_SEEN,
)
from app.probes.messages import NO_CAPTURE
from app.wording.capture_sentences import capture_line, crossing_sentence
from support.message_checks import HasMessage, has_message


def test_a_tunnel_that_protects() -> None:
    audited: list[AuditEntry] = []
    report = probe(FakeCaptures(), audited=audited)

    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.PROTECTED
    assert (report.leak.sent, report.leak.answered) == (10, 10)
    assert report.leak.captured == {"a": 20, "b": 20}
    assert report.leak.clear_marks == {"a": 0, "b": 0}
    assert report.leak.control_marks == {"a": 6, "b": 6}
    assert [one.verdict for one in report.leak.broken] == [BreakVerdict.FAILS_CLOSED] * 2
    assert [one.title for one in report.leak.broken] == [
        BREAKAGE_ON_HOST(breakage="the daemon is killed", host="gateway-a"),
        BREAKAGE_ON_HOST(breakage="the device is deleted", host="gateway-b"),
    ]
    assert [(one.frame_bytes, one.packets, one.outer_bytes) for one in report.overhead] == [
        (size, 1.0, size + 66.0) if size < 1514 else (1514, 2.0, 1614.0) for size in FRAME_BYTES
    ]
    assert all(one.outer_bytes == one.theory_bytes for one in report.overhead)
    assert [one.frame_bytes for one in report.overhead if one.is_fragmented] == [1514]
    assert (report.advised_inner_mtu_bytes, report.is_advised_mtu_proven) == (1434, True)
    assert [(one.kind, one.has_crossed) for one in report.crossings] == [
        ("non-ip", True),
        ("multicast", True),
        ("vlan", True),
    ]
    assert [entry.what for entry in audited] == [
        MAKE_VLAN_BRIEFLY(),
        "the daemon is killed",
        "the device is deleted",
    ]
    assert len(report.doubts) == 2
    assert capture_line(report) == (
        "✓ confidential; ✓ fail-closed; frames of 1514 B are fragmented; MTU inside without fragments 1434; "
        "8 of 8 link-layer protocols cross (between joined LANs not LLDP and PTP peer delay)"
    )


def test_without_arithmetic_the_mtu_is_taken_from_what_was_captured_and_not_proven() -> None:
    made = replace(plan(()), largest_unfragmented_frame_bytes=None, overhead_bytes=None)
    report = probe(FakeCaptures(), request(made))
    assert (report.advised_inner_mtu_bytes, report.is_advised_mtu_proven) == (1434, None)
    assert {one.theory_bytes for one in report.overhead} == {None}


def test_plaintext_is_found_in_packets_of_the_tunnels_own_kind() -> None:
    report = probe(FakeCaptures(is_leaking=True))
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.LEAKS
    assert all(count >= 20 for count in report.leak.clear_marks.values())
    assert report.leak.note == PLAINTEXT_SEEN(places=enumerated(ON_UNDERLAY(side=side) for side in "AB"))


def test_a_reference_without_cryptography_must_be_readable() -> None:
    made = request(plan((), is_bare=True), is_unprotected=True)
    report = probe(FakeCaptures(is_bare=True), made)
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.EXEMPT
    assert report.crossings == ()
    assert [one.outer_bytes for one in report.overhead] == list(FRAME_BYTES)
    assert report.advised_inner_mtu_bytes is None

    hidden = probe(FakeCaptures(), request(plan(()), is_unprotected=True))
    assert hidden.leak is not None
    assert hidden.leak.verdict is LeakVerdict.NOT_PROVEN


@pytest.mark.parametrize(
    ("capture", "refusal"),
    [
        (FakeCaptures(has_control=False), has_message(CONTROL_UNSEEN)),
        (FakeCaptures(is_captured=False), has_message(FEW_PACKETS, counts="0 on A and 0 on B", expected=20)),
        (FakeCaptures(lost=1), has_message(FEW_ANSWERED, answered=9, sent=10)),
        (FakeCaptures(does_listen=False), has_message(NO_CAPTURE)),
    ],
)
def test_a_capture_that_shows_nothing_proves_nothing(capture: FakeCaptures, refusal: HasMessage) -> None:
    report = probe(capture)
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.NOT_PROVEN
    assert refusal(report.leak.note)


def test_without_a_control_afterwards_a_breakage_proves_nothing() -> None:
    report = probe(FakeCaptures(has_control=False))
    assert report.leak is not None
    assert {one.verdict for one in report.leak.broken} == {BreakVerdict.NOT_PROVEN}


def test_frames_that_go_on_in_the_clear_are_found_by_the_default_route_too() -> None:
    report = probe(FakeCaptures(is_open=True))
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.PROTECTED
    first = report.leak.broken[0]
    assert first.verdict is BreakVerdict.FAILS_OPEN
    assert first.clear_marks == {"a": 4, "b": 0}
    assert first.note == PLAINTEXT_SEEN(places=ON_INTERFACE(side="A", interface="eth0"))


def test_a_breakage_that_cannot_be_made_proves_nothing() -> None:
    report = probe(FakeCaptures(broken_status=1))
    assert report.leak is not None
    assert {one.verdict for one in report.leak.broken} == {BreakVerdict.NOT_PROVEN}
    assert has_message(BREAKAGE_FAILED)(report.leak.broken[0].note)
    assert "it cannot be broken" in report.leak.broken[0].note


def test_no_one_sends_where_nothing_was_broken() -> None:
    capture = FakeCaptures(broken_status=1)
    probe(capture)
    assert capture.broken_alternately == ["a breaks", "b breaks"]


def test_a_breakage_is_written_down_with_its_exit_status() -> None:
    audited: list[AuditEntry] = []
    probe(FakeCaptures(broken_status=4), audited=audited)
    assert [(one.side, one.command, one.exit_status) for one in audited if one.command == "break-it"] == [
        (Side.A, "break-it", 4),
        (Side.B, "break-it", 4),
    ]


@pytest.mark.parametrize("failing", ["a", "b"])
def test_a_breakage_is_written_down_even_if_all_ends_right_after_it(failing: str) -> None:
    audited: list[AuditEntry] = []
    with pytest.raises(ConnectionLost):
        probe(FakeCaptures(lost_while_sending=failing), audited=audited)
    assert [(one.side, one.exit_status) for one in audited if one.command == "break-it"] == [(Side.A, 0)]


def test_a_breakage_of_which_nothing_is_heard_is_written_down_without_a_status() -> None:
    audited: list[AuditEntry] = []
    with pytest.raises(ConnectionLost):
        probe(FakeCaptures(lost_while_breaking=True), audited=audited)
    assert [(one.side, one.exit_status) for one in audited if one.command == "break-it"] == [(Side.A, None)]


def test_a_breakage_has_its_own_time() -> None:
    slow = Breakage("the daemon is killed", Command(("break-it",), timeout_s=17.0))
    pair = sessions(FakeCaptures())
    run_capture_tests(pair, request(plan((slow,))), token=CancelToken(), on_stage=lambda _: None)
    assert isinstance(pair.a, FakeHost)
    (breaking,) = (one for one in pair.a.commands if one.argv[-1] == "break-it")
    assert breaking.timeout_s == BROKEN_S + 17.0


def test_where_one_host_sent_nothing_nothing_is_proven() -> None:
    report = probe(FakeCaptures(mute_when_broken="b"))
    assert report.leak is not None
    assert {one.verdict for one in report.leak.broken} == {BreakVerdict.NOT_PROVEN}
    assert has_message(NO_CONTROL_AFTERWARDS)(report.leak.broken[0].note)


def test_the_other_host_sends_once_the_protection_has_gone() -> None:
    capture = FakeCaptures()
    probe(capture)
    assert capture.broken_alternately == ["a breaks", "b sends", "b breaks", "a sends"]


def test_a_brief_inspection_is_for_leaks_breakages_and_the_largest_frame() -> None:
    audited: list[AuditEntry] = []
    pair = sessions(FakeCaptures())
    brief = replace(request(), is_brief=True, frame_bytes=(1448, 1514))
    report = run_capture_tests(pair, brief, token=CancelToken(), on_stage=lambda _: None, audit=audited.append)
    for host in (pair.a, pair.b):
        assert isinstance(host, FakeHost)
        (capturing,) = (one for one in host.commands if "tcpdump -n" in one.argv[2])
        assert capturing.argv[4:][5:7] == ("tmk0", ""), "nothing is captured on the tunnel's own interface"
    assert isinstance(pair.a, FakeHost)
    (sending,) = (one for one in pair.a.commands if "separators=" in one.argv[2])
    assert sending.argv[4:][18:] == ("1406", "1472"), "what crosses in one packet, and the largest"
    assert [(one.frame_bytes, one.is_fragmented) for one in report.overhead] == [(1448, False), (1514, True)]
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.PROTECTED
    assert [one.verdict for one in report.leak.broken] == [BreakVerdict.FAILS_CLOSED] * 2
    assert [(one.kind, one.has_crossed) for one in report.crossings] == [("full-size", True)]
    assert [entry.what for entry in audited] == ["the daemon is killed", "the device is deleted"]


def test_fragments_that_a_router_makes_are_seen_where_they_arrive() -> None:
    brief = replace(request(), is_brief=True, frame_bytes=(1400, 1448, 1514))
    for path_mtu_bytes, cut in ((1500, [1514]), (1492, [1448, 1514])):
        report = probe(FakeCaptures(path_mtu_bytes=path_mtu_bytes), brief)
        assert [one.frame_bytes for one in report.overhead if one.is_fragmented] == cut


def test_a_largest_frame_that_was_not_sent_is_not_reported_to_be_lost() -> None:
    report = probe(FakeCaptures(is_size_silent=True), replace(request(), is_brief=True))
    assert [one.has_crossed for one in report.crossings] == [None]


def test_a_size_without_a_figure_is_a_doubt() -> None:
    report = probe(FakeCaptures(is_size_silent=True))
    assert [one.frame_bytes for one in report.overhead] == []
    reported = [doubt for doubt in report.doubts if has_message(COST_UNMEASURED, answered=0, sent=0)(doubt)]
    assert [one.data["size"] for one in reported] == list(FRAME_BYTES)


def test_a_largest_frame_that_does_not_cross_is_reported() -> None:
    report = probe(FakeCaptures(largest_payload=1400), replace(request(), is_brief=True))
    (full,) = report.crossings
    assert full.has_crossed is False
    assert crossing_sentence(full) == "Frames of full size do not cross. 0 of 4 frames of 1514 bytes were answered."


def test_what_is_missing_is_named_with_its_package_and_no_host_is_touched() -> None:
    asked = request()
    lacking = replace(sample.facts("gw-b"), tools={"ping": Tool("ping", ToolFlavour.BUSYBOX, "BusyBox v1.36")})
    pair = sessions(FakeCaptures())
    facts = {"a": asked.facts["a"], "b": lacking}
    report = run_capture_tests(pair, replace(asked, facts=facts), token=CancelToken(), on_stage=lambda _: None)
    assert report.leak is not None
    assert report.leak.verdict is LeakVerdict.NOT_PROVEN
    assert has_message(NO_TCPDUMP, host="gateway-b", package="tcpdump")(report.leak.note)
    assert has_message(NO_MARKING_PING, host="gateway-b", package="iputils-ping")(report.leak.note)
    assert isinstance(pair.a, FakeHost)
    assert pair.a.commands == []


def test_only_root_can_capture() -> None:
    pair = sessions(FakeCaptures())
    assert missing_for_capture(pair, request().facts) == ""
    plain = FakeHost("gateway-a", lambda *_: iter(()), privilege=Privilege.NONE)
    assert has_message(NO_ROOT_TO_CAPTURE)(missing_for_capture(SessionPair(plain, pair.b), request().facts))


def test_cancelling_ends_the_captures() -> None:
    capture, token = FakeCaptures(), CancelToken()

    def on_stage(text: str) -> None:
        if text == CANARIES_OF_EVERY_SIZE():
            token.cancel()

    with pytest.raises(Cancelled):
        run_capture_tests(sessions(capture), request(), token=token, on_stage=on_stage)
    assert all(ended.is_set() for ended in capture.ended.values())
