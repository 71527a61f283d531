"""Packets that the injection test builds: read back, altered by one bit, with checksums that fit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.probes.capture.packets import TCP, UDP
from app.probes.capture.pcap import ETHERNET, Record
from app.probes.injection.altering import altered
from app.probes.injection.forging import (
    Forgery,
    Target,
    forge_datagrams,
    forge_l2tp,
    stranger_of,
)
from app.probes.injection.packets import DSCP, Captured, checksum, ipv4, read_captured

LINK = bytes.fromhex("0200000000020200000000010800")
TARGET = Target(
    link_header=LINK,
    underlay="192.0.2.2",
    peer="192.0.2.1",
    stranger="192.0.2.79",
    carrier="198.18.1.2",
    peers_carrier="198.18.1.1",
    link_local="fe80::2",
    session_id=7301,
    cookie=bytes(range(8)),
)


def datagram(payload: bytes, *, protocol: int = UDP) -> Record:
    """A captured UDP datagram, or a TCP segment, whose checksum the card had yet to write."""
    if protocol == TCP:
        head = struct.pack("!HHIIBBHHH", 40_000, 21_222, 1, 1, 5 << 4, 0x18, 500, 0xDEAD, 0)
    else:
        head = struct.pack("!HHHH", 21_820, 21_820, 8 + len(payload), 0xDEAD)
    frame = LINK + ipv4("192.0.2.1", "192.0.2.2", protocol, head + payload)
    return Record(ETHERNET, len(frame), frame)


def read(record: Record) -> Captured:
    captured = read_captured(record)
    assert captured is not None
    return captured


def pseudo(packet: Captured) -> bytes:
    return packet.ip_header[12:20] + struct.pack("!BBH", 0, packet.protocol, len(packet.content))


@pytest.mark.parametrize("protocol", [UDP, TCP])
@pytest.mark.parametrize("length", [1, 40, 41, 300])
def test_captured_packet_gets_the_checksums_that_its_card_would_have_written(protocol: int, length: int) -> None:
    packet = read(datagram(b"x" * length, protocol=protocol))
    assert checksum(packet.ip_header) == 0
    assert checksum(pseudo(packet) + packet.content) == 0
    again = packet.frame()
    sent = read(Record(ETHERNET, len(again), again))
    assert (sent.link_header, sent.content) == (packet.link_header, packet.content)
    assert sent.ip_header[1] == DSCP << 2
    assert checksum(sent.ip_header) == 0


def test_padding_behind_a_short_packet_is_no_part_of_it() -> None:
    short = datagram(b"abc")
    padded = Record(ETHERNET, 60, short.data.ljust(60, b"\0"))
    assert read(padded) == read(short)


def test_tagged_frame_keeps_its_tag() -> None:
    plain = datagram(b"abc" * 30)
    data = plain.data[:12] + bytes.fromhex("81000c05") + plain.data[12:]
    packet = read(Record(ETHERNET, len(data), data))
    assert packet.content == read(plain).content
    assert packet.frame()[:18] == data[:18]


@given(st.binary(max_size=120), st.integers(0, 200))
def test_no_frame_makes_reading_fail(data: bytes, length: int) -> None:
    read_captured(Record(ETHERNET, length, data))
    read_captured(Record(ETHERNET, len(LINK + data), LINK + data))


def test_frame_that_was_cut_is_not_sent_again() -> None:
    whole = datagram(b"x" * 100)
    assert read_captured(Record(ETHERNET, whole.length_bytes, whole.data[:-1])) is None


@pytest.mark.parametrize(("protocol", "header_bytes"), [(UDP, 8), (115, 0)])
def test_each_altered_copy_differs_in_one_bit_behind_the_header(protocol: int, header_bytes: int) -> None:
    record = datagram(b"y" * 200)
    packet = read(record)
    if protocol != UDP:
        frame = LINK + ipv4("192.0.2.1", "192.0.2.2", protocol, b"y" * 208)
        packet = read(Record(ETHERNET, len(frame), frame))
    copies = list(altered(packet))
    assert len(copies) == 11
    assert len({copy.content for copy in copies}) == 11
    for copy in copies:
        changed = [n for n in range(header_bytes, 208) if copy.content[n] != packet.content[n]]
        assert len(changed) == 1
        assert (copy.content[changed[0]] ^ packet.content[changed[0]]).bit_count() == 1
    last = max(n for copy in copies for n in range(208) if copy.content[n] != packet.content[n])
    assert last == 207
    assert packet.content not in {copy.content for copy in copies}


def test_tiny_packet_is_altered_only_where_it_has_bytes() -> None:
    for copy in altered(read(datagram(b"z"))):
        assert len(copy.content) == 9


@pytest.mark.parametrize(("sender", "target"), [("192.0.2.2", "192.0.2.1"), ("192.0.2.1", "192.0.2.76")])
def test_stranger_is_neither_of_both(sender: str, target: str) -> None:
    stranger = stranger_of(sender, target)
    assert stranger not in (sender, target)
    assert stranger.rpartition(".")[0] == sender.rpartition(".")[0]


def by_title(forgeries: tuple[Forgery, ...]) -> dict[str, list[Forgery]]:
    found: dict[str, list[Forgery]] = {}
    for one in forgeries:
        found.setdefault(one.title, []).append(one)
    return found


def test_each_kind_has_a_tag_that_survives_its_fragments() -> None:
    forged = by_title(forge_l2tp(TARGET, b"markmark"))
    assert len(forged) == 11
    tags = [group[0].tag for group in forged.values()]
    assert len(set(tags)) == 11
    for group in forged.values():
        (one,) = group
        assert sum(one.tag in frame for frame in one.frames) == 1
        assert not any(tag in frame for tag in tags if tag != one.tag for frame in one.frames)


def test_packets_name_the_session_and_its_cookie() -> None:
    forged = by_title(forge_l2tp(TARGET, b"markmark"))
    (frame,) = forged["from a third address"][0].frames
    packet = read(Record(ETHERNET, len(frame), frame))
    assert packet.protocol == 115
    assert packet.content[:12] == struct.pack("!I", 7301) + bytes(range(8))
    assert packet.ip_header[12:20] == bytes([192, 0, 2, 79, 192, 0, 2, 2])
    (frame,) = forged["with IP options"][0].frames
    assert len(read(Record(ETHERNET, len(frame), frame)).ip_header) == 24


def test_without_ipv6_none_is_sent() -> None:
    titles = by_title(forge_l2tp(Target(**{**vars_of(TARGET), "link_local": ""}), b"markmark"))
    assert not any("IPv6" in title for title in titles)
    assert len(titles) == 7


def vars_of(target: Target) -> dict[str, object]:
    return {name: getattr(target, name) for name in Target.__slots__}


def test_datagrams_hold_a_plain_frame_behind_the_header_of_a_real_one() -> None:
    real = read(datagram(bytes(range(200))))
    forged = by_title(forge_datagrams(TARGET, real, b"markmark"))
    assert set(forged) == {"from the peer's address", "from a third address"}
    for group in forged.values():
        kept = []
        for one in group:
            (frame,) = one.frames
            packet = read(Record(ETHERNET, len(frame), frame))
            payload = packet.content[8:]
            place = payload.index(b"\xff" * 6)
            assert payload[:place] == bytes(range(place))
            assert one.tag in payload
            kept.append(place)
        assert kept == [0, 4, 8, 16]
