from __future__ import annotations

import pytest
from captured import A, B, ethernet, pieces, tcp, udp
from hypothesis import given
from hypothesis import strategies as st

from app.probes.capture import capture_overhead
from app.probes.capture.overhead import measured_cost
from app.probes.capture.packets import Packet, read_packet
from app.probes.capture.pcap import Record


def packets(*sent: bytes) -> list[Packet]:
    read = [read_packet(Record(1, 14 + len(one), ethernet(one)[:192])) for one in sent]
    return [one for one in read if one is not None]


@pytest.mark.parametrize(
    ("frame", "overhead", "mtu", "packets_made", "outer"),
    [
        (1000, 66, 1500, 1, 1066),
        (1448, 66, 1500, 1, 1514),
        (1449, 66, 1500, 2, 1549),
        (1514, 42, 1500, 2, 1590),  # L2TPv3, as captured: 1514 and 76 bytes
        (1514, 66, 1500, 2, 1614),  # OpenVPN over UDP, as captured: 1514 and 100 bytes
        (1514, 112, 1500, 2, 1660),  # WireGuard and L2TPv3, as captured
        (1514, 66, 576, 3, 1648),
    ],
)
def test_fragments_by_arithmetic(frame: int, overhead: int, mtu: int, packets_made: int, outer: int) -> None:
    cost = capture_overhead(frame, overhead, mtu)
    assert (cost.packets, cost.outer_bytes) == (packets_made, outer)


@given(st.integers(60, 1514), st.integers(42, 130), st.integers(576, 9000))
def test_arithmetic_is_what_cutting_a_packet_gives(frame: int, overhead: int, mtu: int) -> None:
    made = pieces(udp(A, B, bytes(frame + overhead - 42)), mtu)
    cost = capture_overhead(frame, overhead, mtu)
    assert (cost.packets, cost.outer_bytes) == (len(made), sum(14 + len(one) for one in made))


def test_a_stream_is_cut_into_segments() -> None:
    cost = capture_overhead(1514, 92, 1500, is_stream=True)
    assert (cost.packets, cost.outer_bytes) == (2, 1606 + 66)  # as captured
    assert capture_overhead(1000, 92, 1500, is_stream=True).outer_bytes == 1092


@given(st.integers(60, 1514), st.integers(1, 8))
def test_what_is_captured_is_what_arithmetic_says(frame: int, frames: int) -> None:
    sent = [piece for n in range(frames) for piece in pieces(udp(A, B, bytes(frame + 24), identification=n), 1500)]
    measured = measured_cost(packets(*sent), frames, 1500)
    theory = capture_overhead(frame, 66, 1500)
    assert measured is not None
    assert (measured.packets, measured.outer_bytes) == (theory.packets, theory.outer_bytes)
    assert measured.is_fragmented is (theory.packets > 1)


def test_signs_of_life_in_between_do_not_count() -> None:
    frames = [udp(A, B, bytes(500), identification=n) for n in range(4)]
    measured = measured_cost(packets(*frames[:2], udp(A, B, bytes(24)), *frames[2:]), 4, 1500)
    assert measured is not None
    assert (measured.packets, measured.outer_bytes, measured.is_fragmented) == (1.0, 542.0, False)


def test_acknowledgements_are_counted_apart_and_a_card_that_segments_is_taken_into_account() -> None:
    sent = [tcp(A, B, bytes(1540)), tcp(A, B, b"")] * 4
    measured = measured_cost(packets(*sent), 4, 1500)
    assert measured is not None
    assert (measured.packets, measured.outer_bytes, measured.ack_bytes) == (2.0, 1540 + 2 * 66, 66.0)
    assert not measured.is_fragmented


def test_without_packets_or_frames_there_is_no_figure() -> None:
    assert measured_cost([], 4, 1500) is None
    assert measured_cost(packets(udp(A, B, b"x")), 0, 1500) is None
    assert measured_cost(packets(udp(A, B, b"x")), 4, 1500) is None


def test_a_frame_that_got_lost_makes_the_others_no_smaller() -> None:
    sent = [piece for n in range(3) for piece in pieces(udp(A, B, bytes(1500), identification=n), 1500)]
    measured = measured_cost(packets(*sent), 4, 1500)
    whole = capture_overhead(1476, 66, 1500)
    assert measured is not None
    assert (measured.packets, measured.outer_bytes) == (whole.packets, whole.outer_bytes)


def test_sizes_that_vary_from_frame_to_frame_count_by_their_share() -> None:
    sent = [udp(A, B, bytes(size), identification=n) for n, size in enumerate((58, 62, 58, 62))]
    measured = measured_cost(packets(*sent), 4, 1500)
    assert measured is not None
    assert (measured.packets, measured.outer_bytes) == (1.0, 102.0)
