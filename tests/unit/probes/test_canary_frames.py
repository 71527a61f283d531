from __future__ import annotations

import re

import pytest
from captured import A, B, echo, ethernet, ipv4
from hypothesis import given
from hypothesis import strategies as st

from app.domain.link import Link
from app.probes.capture.canary import (
    CanaryFrames,
    canary_filter,
    protocols_of,
    read_separator,
    underlay_filter,
)
from app.probes.capture.recording import SNAPLEN_BYTES


def matches(filter_text: str, packet: bytes) -> bool:
    """Evaluate `ip[N:4] = 0x…` terms as libpcap does."""
    terms = re.findall(r"ip\[(\d+):4\] = 0x([0-9a-f]{8})", filter_text)
    assert terms
    return any(packet[int(place) : int(place) + 4].hex() == number for place, number in terms)


def test_all_marks_have_eight_bytes_and_none_is_another() -> None:
    canaries = CanaryFrames.new()
    hidden = [canaries.inside, *(canaries.broken(n) for n in range(12))]
    bare = [
        canaries.control,
        canaries.end,
        *(canaries.separator(n) for n in range(12)),
        *map(canaries.broken_control, range(12)),
    ]
    assert {len(one) for one in hidden + bare} == {8}
    assert len(set(hidden + bare)) == len(hidden + bare)
    assert not any(one in other * 3 for one in hidden for other in bare + hidden if other != one)
    assert CanaryFrames.new() != CanaryFrames.new()


@given(st.integers(0, 40))
def test_a_marked_frame_is_seen_whatever_it_is_wrapped_in(extra: int) -> None:
    canaries = CanaryFrames.new()
    inner = ethernet(echo("198.18.0.1", "198.18.0.2", canaries.inside))
    packet = ipv4(A, B, 99, bytes(extra) + inner)
    assert matches(canary_filter(canaries.family), packet)
    assert canaries.inside in ethernet(packet)[:SNAPLEN_BYTES]
    assert not matches(canary_filter(canaries.bare_family), packet)


def test_a_bare_echo_is_seen_and_says_which_separator_it_is() -> None:
    canaries = CanaryFrames.new()
    packet = echo(A, B, canaries.separator(7))
    assert matches(canary_filter(canaries.bare_family), packet)
    assert read_separator(canaries, packet) == 7
    assert read_separator(canaries, echo(A, B, canaries.control)) is None


@pytest.mark.parametrize(
    ("outer_filter", "numbers"),
    [
        ("udp port 21194", {17}),
        ("tcp port 21195", {6}),
        ("ip proto 115", {115}),
        ("esp or udp port 4500", {50, 17}),
        ("proto 50", {50}),
        ("ip proto \\esp", {50}),
        ("(tcp or udp) port 21655", {6, 17}),
        ("", set()),
    ],
)
def test_protocols_in_a_plans_filter(outer_filter: str, numbers: set[int]) -> None:
    assert protocols_of(outer_filter) == numbers


def test_the_underlay_filter_takes_only_what_is_ours() -> None:
    text = underlay_filter(Link(A, B), "udp port 21194", CanaryFrames.new())
    own, _, canary = text.partition(" or (ip[120:4]")
    assert own == (f"(host {A} and host {B} and ((udp port 21194) or ((ip proto 17) and ip[6:2] & 0x1fff != 0)))")
    assert canary.count(":4] = 0x") == 15
