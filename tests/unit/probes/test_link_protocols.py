from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from captured import pcap
from fake_capture_probe import plan, probe, request, sessions
from fake_captures import FakeCaptures
from fake_hosts import FakeHost
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cancel import CancelToken
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from app.domain.link_protocols import A_TO_B, LinkProtocol, ProtocolCrossing, ProtocolVerdict, ProtocolWay
from app.probes.capture.link_frames import CONTROL, COPIES, KINDS, FrameTag, LinkFrame, build_frames
from app.probes.capture.link_protocols import LinkSent, changes_of, judge_way, parse_link_sent, send_link_frames
from app.probes.capture.messages import (
    CHANGED_CONTENT,
    CHANGED_DESTINATION,
    FEW_CONTROLS,
    FRAMES_NOT_SENT,
    FRAMES_REPEATED,
    FRAMES_SENT_TOO_LATE,
    PERL_REPORTED,
    PRIORITY_CHANGED,
    TAG_ADDED,
    TAG_KEPT,
    TAG_REMOVED,
    VLAN_CHANGED,
)
from app.probes.capture.pcap import Record, parse_pcap
from app.probes.capture.recording import TUNNEL, HostCapture
from app.wording.capture_sentences import capture_line
from app.wording.link_protocols import joined_words, protocol_note, protocols_line, tunnel_words

TAG = FrameTag("abc1234")
FRAMES = build_frames(TAG, Side.A)
SENT = LinkSent("gw-a", FRAMES, frozenset(range(len(FRAMES))))


def of_kind(kind: str) -> list[LinkFrame]:
    return [frame for frame in FRAMES if frame.kind == kind]


def judged(frames: Iterable[bytes], *, sent: LinkSent = SENT, dropped: int = 0) -> Mapping[LinkProtocol, ProtocolWay]:
    """Judge a capture made by hand."""
    capture = HostCapture({TUNNEL: parse_pcap(pcap(frames))}, dropped)
    return judge_way(TAG, sent, capture, Side.A)


def without(*kinds: str) -> list[bytes]:
    return [frame.data for frame in FRAMES if frame.kind not in kinds]


# --- building ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "destination", "ethertype"),
    [
        (LinkProtocol.STP, "0180c2000000", "0030"),  # 802.3: a length
        (LinkProtocol.LLDP, "0180c200000e", "88cc"),
        (LinkProtocol.PTP, "011b19000000", "88f7"),
        (LinkProtocol.PTP_PEER_DELAY, "0180c200000e", "88f7"),
        (LinkProtocol.MRP, "01154e000001", "88e3"),
        (LinkProtocol.PROFINET_DCP, "010ecf000000", "8892"),
        (LinkProtocol.PRIORITY, "ffffffffffff", "8100cc0588b5"),
        (LinkProtocol.PRIORITY_TAG, "ffffffffffff", "8100c00088b5"),
        (CONTROL, "ffffffffffff", "88b5"),
    ],
)
def test_each_protocol_has_its_group_address_and_ethertype(kind: str, destination: str, ethertype: str) -> None:
    for frame in of_kind(kind):
        assert frame.data[:6].hex() == destination
        assert frame.data[12:].hex().startswith(ethertype)
        assert len(frame.data) >= 60


def test_frames_differ_and_each_is_known_by_its_tag() -> None:
    everything = [(side, frame) for side in Side for frame in build_frames(TAG, side)]
    assert len({frame.data for _, frame in everything}) == len(everything) == 2 * COPIES * len(KINDS)
    for side, frame in everything:
        assert TAG.find(frame.data) == (frame.kind, side.value, frame.number)
    assert FrameTag.new() != FrameTag.new()
    assert FrameTag.new().find(everything[0][1].data) is None


def test_frames_have_no_effect_where_they_arrive() -> None:
    bpdu, lldp, ptp, peer_delay, dcp = (
        of_kind(kind)[0].data[14:]
        for kind in (
            LinkProtocol.STP,
            LinkProtocol.LLDP,
            LinkProtocol.PTP,
            LinkProtocol.PTP_PEER_DELAY,
            LinkProtocol.PROFINET_DCP,
        )
    )
    age, longest = struct.unpack_from("!HH", bpdu, 3 + 27)
    assert age > longest, "a BPDU that is too old is dropped"
    assert struct.unpack("!H", bpdu[3 + 5 : 3 + 7])[0] == 0xF000, "the lowest priority of a root"
    assert b"\x06\x02\x00\x00\x00\x00" in lldp, "time to live 0, and the end"
    assert (ptp[0], peer_delay[0]) == (0x8, 0xA), "both follow a message that was not sent"
    assert (ptp[4], peer_delay[4]) == (127, 127)
    assert [struct.unpack_from("!H", one, 2)[0] for one in (ptp, peer_delay)] == [44, 54]
    assert dcp[:4] == b"\xfe\xfe\x05\x00"
    assert TAG.of(LinkProtocol.PROFINET_DCP, Side.A, 0).decode().isalnum()


@given(st.binary(max_size=80))
def test_any_frame_is_inspected_without_an_error(noise: bytes) -> None:
    TAG.find(noise)
    TAG.find(b"abc1234" + noise)
    list(changes_of(FRAMES[0].data, noise))
    records = (Record(1, len(noise), noise), Record(1, 99, noise + b"abc1234" + noise))
    judge_way(TAG, SENT, HostCapture({TUNNEL: records}), Side.A)
    parse_link_sent("gw-a", FRAMES, noise.decode(errors="replace"))


# --- judging ----------------------------------------------------------------------------------------------------------


def test_what_arrives_as_it_was_sent_crosses() -> None:
    with_sources = [data[:6] + b"\x02\0\0\0\0\x01" + data[12:] + bytes(4) for data in without()]
    ways = judged(with_sources)
    assert {(way.verdict, way.sent, way.arrived) for way in ways.values()} == {(ProtocolVerdict.CROSSES, 3, 3)}
    assert {protocol: way.note for protocol, way in ways.items() if way.note} == {LinkProtocol.PRIORITY_TAG: TAG_KEPT()}


def test_what_is_missing_beside_ordinary_frames_does_not_cross() -> None:
    ways = judged(without(LinkProtocol.LLDP))
    assert ways.pop(LinkProtocol.LLDP) == ProtocolWay(ProtocolVerdict.LOST, 3, 0)
    assert {way.verdict for way in ways.values()} == {ProtocolVerdict.CROSSES}


def test_frames_that_the_host_sent_itself_did_not_arrive() -> None:
    own = [frame.data for frame in build_frames(TAG, Side.B)]
    ways = judged([*without(LinkProtocol.LLDP), *own])
    assert ways[LinkProtocol.LLDP].verdict is ProtocolVerdict.LOST


def test_a_frame_that_is_lost_now_and_then_is_no_verdict() -> None:
    first = of_kind(LinkProtocol.MRP)[0].data
    way = judged([data for data in without() if data != first])[LinkProtocol.MRP]
    assert way == ProtocolWay(ProtocolVerdict.CROSSES, 3, 2)
    crossing = ProtocolCrossing.of(LinkProtocol.MRP, {A_TO_B: way})
    assert protocol_note(crossing) == "From A to B: 2 of 3 frames arrived."


@pytest.mark.parametrize("lost", [1, 3])
def test_without_ordinary_frames_beside_them_nothing_is_reported(lost: int) -> None:
    gone = [frame.data for frame in of_kind(CONTROL)[:lost]]
    way = judged([data for data in without(LinkProtocol.LLDP) if data not in gone])[LinkProtocol.LLDP]
    assert way.verdict is ProtocolVerdict.NOT_TRIED
    assert way.note == FEW_CONTROLS(seen=3 - lost, controls=3)


def test_a_capture_that_lost_packets_does_not_show_that_a_frame_did_not_cross() -> None:
    ways = judged(without(LinkProtocol.LLDP), dropped=2)
    assert ways[LinkProtocol.LLDP].verdict is ProtocolVerdict.NOT_TRIED
    assert ways[LinkProtocol.MRP].verdict is ProtocolVerdict.CROSSES


def test_duplicates_count_once_and_are_reported() -> None:
    lldp = of_kind(LinkProtocol.LLDP)[0].data
    way = judged([*without(), lldp, lldp])[LinkProtocol.LLDP]
    assert way == ProtocolWay(ProtocolVerdict.CROSSES, 3, 3, FRAMES_REPEATED())


def untagged(data: bytes) -> bytes:
    return (data[:12] + data[16:]).ljust(60, b"\0")


@pytest.mark.parametrize("protocol", [LinkProtocol.PRIORITY_TAG, LinkProtocol.PRIORITY])
def test_a_tag_that_is_removed_is_a_change(protocol: LinkProtocol) -> None:
    changed = [untagged(frame.data) if frame.kind == protocol else frame.data for frame in FRAMES]
    assert judged(changed)[protocol] == ProtocolWay(ProtocolVerdict.CHANGED, 3, 3, TAG_REMOVED())


@pytest.mark.parametrize(
    ("tci", "changes"),
    [
        (0x0C05, [PRIORITY_CHANGED(after=0, before=6)]),
        (0xC001, [VLAN_CHANGED(after=1, before=3077)]),
        (0x2001, [PRIORITY_CHANGED(after=1, before=6), VLAN_CHANGED(after=1, before=3077)]),
        (0xDC05, []),  # the drop eligible indicator is promised by no solution
    ],
)
def test_another_priority_or_vlan_is_a_change(tci: int, changes: list[str]) -> None:
    (data, *_) = (frame.data for frame in of_kind(LinkProtocol.PRIORITY))
    assert list(changes_of(data, data[:14] + struct.pack("!H", tci) + data[16:])) == changes


def test_other_changes_are_named() -> None:
    (lldp, *_) = (frame.data for frame in of_kind(LinkProtocol.LLDP))
    assert list(changes_of(lldp, b"\x01\x80\xc2\0\0\x03" + lldp[6:])) == [CHANGED_DESTINATION()]
    assert list(changes_of(lldp, lldp[:12] + b"\x81\0\0\1" + lldp[12:])) == [TAG_ADDED()]
    assert list(changes_of(lldp, lldp + b"x")) == [CHANGED_CONTENT()]
    assert list(changes_of(lldp, lldp[:12] + b"\x88\xcd" + lldp[14:])) == [CHANGED_CONTENT()]
    assert list(changes_of(lldp, lldp + bytes(4))) == []


# --- sending ----------------------------------------------------------------------------------------------------------


def test_what_could_not_be_sent_was_not_tried() -> None:
    text = "".join(f"#sent {n}\n" for n, frame in enumerate(FRAMES) if frame.kind != LinkProtocol.PRIORITY)
    text += "".join(f"#unsent {n} Operation not permitted\n" for n, one in enumerate(FRAMES) if one.kind == "priority")
    ways = judged(without(LinkProtocol.PRIORITY), sent=parse_link_sent("gw-a", FRAMES, text))
    assert ways.pop(LinkProtocol.PRIORITY) == ProtocolWay(
        ProtocolVerdict.NOT_TRIED,
        note=f"{FRAMES_NOT_SENT(host='gw-a')} {PERL_REPORTED(output='Operation not permitted')}",
    )
    assert {way.verdict for way in ways.values()} == {ProtocolVerdict.CROSSES}


def test_both_directions_are_judged_and_the_worse_one_counts() -> None:
    report = probe(FakeCaptures(), request(plan(())))
    assert [one.protocol for one in report.protocols] == list(LinkProtocol)
    assert {one.verdict for one in report.protocols} == {ProtocolVerdict.CROSSES}
    assert capture_line(report).endswith(
        "; 8 of 8 link-layer protocols cross (between joined LANs not LLDP and PTP peer delay)"
    )

    one = ProtocolCrossing.of(
        LinkProtocol.LLDP,
        {"a_to_b": ProtocolWay(ProtocolVerdict.CROSSES, 3, 3), "b_to_a": ProtocolWay(ProtocolVerdict.LOST, 3, 0)},
    )
    assert one.verdict is ProtocolVerdict.LOST
    assert (tunnel_words(one), joined_words(one)) == ("does not cross", "does not cross")
    assert protocol_note(one) == "From B to A: 0 of 3 frames arrived."


def test_a_tunnel_that_drops_a_protocol_is_found() -> None:
    # The hosts' kernels lost packets of the other captures, so nothing is claimed of what is missing.
    doubtful = probe(FakeCaptures(lost_ethertype=0x88CC), request(plan(())))
    by_protocol = {one.protocol: one for one in doubtful.protocols}
    assert by_protocol[LinkProtocol.LLDP].verdict is ProtocolVerdict.NOT_TRIED
    report = probe(FakeCaptures(lost_ethertype=0x88CC, dropped=0), request(plan(())))
    by_protocol = {one.protocol: one for one in report.protocols}
    assert by_protocol.pop(LinkProtocol.LLDP).verdict is ProtocolVerdict.LOST
    assert {one.verdict for one in by_protocol.values()} == {ProtocolVerdict.CROSSES}
    assert protocols_line(report.protocols) == (
        "7 of 8 link-layer protocols cross (LLDP does not cross, between joined LANs not PTP peer delay)"
    )


def test_a_host_without_perl_is_named_and_the_other_direction_is_tried() -> None:
    one_way = probe(FakeCaptures(without_perl="b"), request(plan(())))
    assert {one.verdict for one in one_way.protocols} == {ProtocolVerdict.CROSSES}
    assert protocol_note(one_way.protocols[0]) == (
        "From B to A: not tried, because gateway-b has no Perl to send whole frames with."
    )
    by_protocol = {one.protocol: one for one in one_way.protocols}
    bpdu, lldp = by_protocol[LinkProtocol.STP], by_protocol[LinkProtocol.LLDP]
    assert (tunnel_words(bpdu), joined_words(bpdu)) == ("crosses from A to B", "crosses from A to B")
    assert (tunnel_words(lldp), joined_words(lldp)) == ("crosses from A to B", "does not cross")
    assert protocols_line(one_way.protocols) == (
        "8 of 8 link-layer protocols cross (not all tried in both directions, "
        "between joined LANs not LLDP and PTP peer delay)"
    )
    neither = probe(FakeCaptures(without_perl="ab"), request(plan(())))
    assert {one.verdict for one in neither.protocols} == {ProtocolVerdict.NOT_TRIED}
    assert tunnel_words(neither.protocols[0]) == "not tried"
    assert protocol_note(neither.protocols[0]) == (
        "From A to B: not tried, because gateway-a has no Perl to send whole frames with. "
        "From B to A: not tried, because gateway-b has no Perl to send whole frames with."
    )
    assert protocols_line(neither.protocols) == "link-layer protocols not tried"


def test_a_host_that_is_too_slow_loses_nothing_else() -> None:
    pair = sessions(FakeCaptures())

    def late(command: object, token: object) -> object:
        raise DeadlineExceeded("gateway-a took too long.")

    slow = FakeHost("gateway-a", late)  # type: ignore[arg-type]
    run = send_link_frames(replace(pair, a=slow), plan(), token=CancelToken())
    assert run.sent[Side.A].error == FRAMES_SENT_TOO_LATE(host="gateway-a", seconds=20.0)
    assert len(run.sent[Side.B].sent) == len(run.sent[Side.B].frames)


def test_deployments_and_the_bare_underlay_try_no_protocols() -> None:
    assert probe(FakeCaptures(), replace(request(), is_brief=True)).protocols == ()
    assert probe(FakeCaptures(is_bare=True), request(plan((), is_bare=True), is_unprotected=True)).protocols == ()
