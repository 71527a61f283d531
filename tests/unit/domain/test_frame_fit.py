"""Sizes inside a tunnel that are not fragmented outside."""

from __future__ import annotations

import pytest

from app.domain.frame_fit import FrameFit, frame_fit
from app.domain.link import ETHERNET_HEADER_BYTES, VLAN_TAG_BYTES
from app.domain.path_note import PathNote
from app.probes.capture.overhead import capture_overhead


def test_a_packet_is_the_frame_without_its_header_and_a_segment_without_those_of_ip_and_tcp() -> None:
    assert frame_fit(1472, 1500) == FrameFit(1472, 1458, 1418, 1398)


def test_there_is_room_for_tags() -> None:
    fit = frame_fit(1472, 1500, tag_bytes=VLAN_TAG_BYTES)
    assert fit is not None
    assert (fit.frame_bytes, fit.packet_bytes) == (1472, 1454)


@pytest.mark.parametrize("largest", [None, 1514, 1600])
def test_nothing_has_to_fit_where_nothing_is_fragmented(largest: int | None) -> None:
    assert frame_fit(largest, 1500) is None


@pytest.mark.parametrize("path_mtu", [576, 1280, 1400, 1500])
@pytest.mark.parametrize("overhead", [14, 50, 72, 100])
def test_a_full_segment_is_one_outer_packet_and_one_byte_more_is_two(path_mtu: int, overhead: int) -> None:
    fit = frame_fit(path_mtu + ETHERNET_HEADER_BYTES - overhead, 1500)
    assert fit is not None
    frame_bytes = fit.mss_ipv4_bytes + 20 + 20 + ETHERNET_HEADER_BYTES
    assert frame_bytes == fit.mss_ipv6_bytes + 20 + 40 + ETHERNET_HEADER_BYTES
    packets = [capture_overhead(size, overhead, path_mtu).packets for size in (frame_bytes, frame_bytes + 1)]
    assert packets == [1, 2]


def test_a_note_of_an_attempt_knows_what_fits() -> None:
    note = PathNote(1500, 1500, 0, 1472, 42)
    assert note.fit == frame_fit(1472, 1500)
    assert PathNote(1500, 1600, 0, 1572, 42).fit is None
