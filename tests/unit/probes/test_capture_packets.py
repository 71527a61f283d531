from __future__ import annotations

import struct

import pytest
from captured import A, B, echo, ethernet, ipv4, od, pcap, pieces, tcp, udp
from hypothesis import given
from hypothesis import strategies as st

from app.domain.link import Link
from app.probes.capture.canary import CanaryFrames
from app.probes.capture.canary_traffic import Sent, parse_sent
from app.probes.capture.classification import count_canaries, sort_packets
from app.probes.capture.packets import read_ethernet, read_packet
from app.probes.capture.pcap import Record, from_od, parse_pcap
from app.probes.capture.recording import parse_collected
from app.probes.capture.special_frames import judge_crossings

FRAMES = [ethernet(udp(A, B, b"x" * 300)), ethernet(echo(B, A, b"abcdefgh"))]


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_capture_file_is_read_in_either_byte_order(order: str) -> None:
    records = parse_pcap(pcap(FRAMES, order=order))
    assert [(one.link_type, one.length_bytes, one.data) for one in records] == [
        (1, len(frame), frame[:192]) for frame in FRAMES
    ]


def test_a_capture_that_is_cut_anywhere_gives_its_whole_records() -> None:
    whole = pcap(FRAMES)
    counts = [len(parse_pcap(whole[:length])) for length in range(len(whole) + 1)]
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2}
    assert counts[24 + 16 + 192] == 1


def test_a_record_that_claims_more_than_there_is_ends_it() -> None:
    lying = pcap(FRAMES[:1]) + struct.pack("<IIII", 1, 2, 0xFFFFFFFF, 64) + b"x" * 64
    assert len(parse_pcap(lying)) == 1


def test_what_od_printed_is_read_back() -> None:
    data = pcap(FRAMES)
    assert from_od(od(data)) == data
    assert from_od(" 0a 0b\n 0c zz 0d") == b"\x0a\x0b\x0c"
    assert from_od("0a é") == b"\x0a"


@given(st.binary(max_size=400), st.sampled_from(["<", ">"]), st.sampled_from([1, 12, 101, 113, 276, 147]))
def test_whatever_is_captured_is_read_without_an_error(noise: bytes, order: str, link_type: int) -> None:
    canaries = CanaryFrames.new()
    header = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 192, link_type)
    record = struct.pack(f"{order}IIII", 1, 2, len(noise), len(noise))
    for text in (noise, header + noise, header + record + noise):
        records = parse_pcap(text)
        for one in records:
            read_packet(one)
            read_ethernet(one)
        sort_packets(records, Link(A, B), "udp port 1", canaries)
        judge_crossings(records, Sent(vlan="sent"), canaries)
        assert count_canaries(records, canaries.inside) == 0


@given(st.binary(max_size=120))
def test_an_ipv4_packet_with_any_header_is_read_without_an_error(noise: bytes) -> None:
    packet = read_packet(Record(1, 1514, ethernet(noise)))
    assert packet is None or (packet.payload_bytes >= 0 and packet.frame_bytes >= 34)


@given(st.text(max_size=300))
def test_whatever_a_host_prints_is_read_without_an_error(noise: str) -> None:
    parse_sent(noise)
    parse_sent(f"@start leak 7\n{noise}\n#vlan {noise}\n#neighbour {noise}")
    parse_collected(noise)
    parse_collected(f"#pcap underlay\n{noise}#pcap tunnel\n{noise}")


def test_headers_are_read() -> None:
    packet = read_packet(Record(1, 500, ethernet(tcp(A, B, b"x" * 100))))
    assert packet is not None
    assert (packet.source, packet.destination, packet.protocol) == (A, B, 6)
    assert (packet.frame_bytes, packet.payload_bytes, packet.tcp_header_bytes) == (166, 132, 32)
    assert not packet.is_fragment


def test_padding_of_short_frames_is_not_part_of_them() -> None:
    packet = read_packet(Record(1, 60, ethernet(udp(A, B, b"")) + bytes(18)))
    assert packet is not None
    assert packet.frame_bytes == 42


def test_pieces_of_a_packet_are_known_as_such() -> None:
    cut = [read_packet(Record(1, 14 + len(one), ethernet(one)[:192])) for one in pieces(udp(A, B, b"x" * 1600), 1500)]
    assert [(one.is_fragment, one.offset_bytes) for one in cut if one is not None] == [(True, 0), (True, 1480)]
    assert len({one.datagram for one in cut if one is not None}) == 1


@pytest.mark.parametrize("link_type", [12, 101, 228])
def test_interfaces_without_ethernet_headers_count_as_if_they_had_them(link_type: int) -> None:
    packet = read_packet(Record(link_type, 128, udp(A, B, b"x" * 100)))
    assert packet is not None
    assert packet.frame_bytes == 142


def test_a_tagged_frame_is_inspected() -> None:
    frame = read_ethernet(Record(1, 1518, ethernet(echo(A, B, b"abcdefgh"), tag=3077)))
    assert frame is not None
    assert (frame.tag, frame.ethertype, frame.length_bytes, frame.is_multicast) == (0x8100, 0x0800, 1518, False)
    assert ipv4(A, B, 1, b"")[:1] == frame.content[:1]
