"""Copied packets are sorted by the separators that their own host sent."""

from __future__ import annotations

from captured import A, B, echo, ethernet, ipv4

from app.probes.capture.canary import CanaryFrames
from app.probes.capture.pcap import ETHERNET, Record
from app.probes.injection.groups import groups_of
from app.probes.injection.stages import ECHOES, Copied

CANARIES = CanaryFrames.new()


def record(frame: bytes) -> Record:
    return Record(ETHERNET, len(frame), frame)


def separator(number: int, *, is_reply: bool = False) -> Record:
    return record(ethernet(echo(A, B, CANARIES.separator(number), is_reply=is_reply)))


def tunnel_packet(mark: bytes, length: int = 300) -> Record:
    return record(ethernet(ipv4(A, B, 115, (mark * 40)[:length])))


FIRST, SECOND = (tunnel_packet(CANARIES.broken(number)) for number in (0, 1))


def test_each_group_lies_between_two_separators() -> None:
    records = (separator(1), *[FIRST] * ECHOES, separator(2), *[SECOND] * ECHOES, separator(3))
    groups = groups_of(Copied(records, 0), CANARIES)
    assert (len(groups.first), len(groups.second)) == (ECHOES, ECHOES)
    assert (groups.first[0].content[:8], groups.second[0].content[:8]) == (CANARIES.broken(0), CANARIES.broken(1))


def test_answers_to_the_other_hosts_separators_part_nothing() -> None:
    # The other host is ahead in the first group, and late in the second one.
    early, late = separator(3, is_reply=True), separator(1, is_reply=True)
    records = (separator(1), FIRST, early, FIRST, separator(2), SECOND, late, SECOND, separator(3))
    groups = groups_of(Copied(records, 0), CANARIES)
    assert (len(groups.first), len(groups.second)) == (ECHOES, ECHOES)


def test_other_traffic_of_the_tunnel_is_left_out() -> None:
    other = tunnel_packet(b"hello...", length=280)
    records = (separator(1), FIRST, other, FIRST, separator(2), *[SECOND] * ECHOES, other, other, other, separator(3))
    groups = groups_of(Copied(records, 0), CANARIES)
    assert (len(groups.first), len(groups.second)) == (ECHOES, ECHOES)


def test_nothing_is_taken_for_its_own_where_the_numbers_are_not_right() -> None:
    records = (separator(1), FIRST, separator(2), *[SECOND] * ECHOES, separator(3))
    groups = groups_of(Copied(records, 0), CANARIES)
    assert (groups.first, groups.second) == ((), ())
