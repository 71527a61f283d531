from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.results import LOST_RTT_US
from app.probes.echoes import Echoes
from app.probes.messages import CLOCK_WAS_SET, REPLIES_REORDERED
from app.probes.ping_lines import Reply, Summary, Trouble
from support.message_checks import has_message


def reply(seq: int, rtt_us: int = 500, *, is_duplicate: bool = False, is_damaged: bool = False) -> Reply:
    return Reply(seq & 0xFFFF, rtt_us, is_duplicate, is_damaged)


def test_replies_are_in_the_order_of_sending() -> None:
    echoes = Echoes(60, 3, first_seq=1)
    for seq, rtt_us in ((1, 100), (2, 200), (3, 300)):
        echoes.add_reply(reply(seq, rtt_us))
    echoes.add_summary(Summary(3, 3))

    series = echoes.series()

    assert (series.sent, series.received, series.duplicates, series.note) == (3, 3, 0, "")
    assert series.rtt_us.dtype == np.uint32
    assert series.rtt_us.tolist() == [100, 200, 300]


def test_a_lost_request_is_kept_in_its_place() -> None:
    echoes = Echoes(60, 4, first_seq=1)
    echoes.add_reply(reply(1))
    echoes.add_reply(reply(4))
    echoes.add_summary(Summary(4, 2))

    series = echoes.series()

    assert series.received == 2
    assert series.rtt_us.tolist() == [500, LOST_RTT_US, LOST_RTT_US, 500]


def test_a_loss_at_the_end_counts_as_sent() -> None:
    echoes = Echoes(60, 3, first_seq=1)
    echoes.add_reply(reply(1))
    echoes.add_summary(Summary(3, 1))

    assert echoes.series().sent == 3


def test_a_duplicate_is_counted_and_changes_nothing_else() -> None:
    echoes = Echoes(60, 2, first_seq=1)
    echoes.add_reply(reply(1, 100))
    echoes.add_reply(reply(1, 900, is_duplicate=True))
    echoes.add_reply(reply(1, 901))
    echoes.add_summary(Summary(1, 1))

    series = echoes.series()

    assert (series.received, series.duplicates) == (1, 2)
    assert series.rtt_us.tolist() == [100]


def test_order_is_noted() -> None:
    echoes = Echoes(60, 3, first_seq=1)
    for seq in (2, 1, 3):
        echoes.add_reply(reply(seq))
    echoes.add_summary(Summary(3, 3))

    assert echoes.series().note == REPLIES_REORDERED(count=1)
    assert echoes.series().received == 3


def test_damaged_replies_do_not_count() -> None:
    echoes = Echoes(60, 2, first_seq=1)
    echoes.add_reply(reply(1, is_damaged=True))
    echoes.add_summary(Summary(1, 1))

    series = echoes.series()

    assert series.received == 0
    assert "damaged" in series.note


def test_a_clock_that_was_set_is_noted() -> None:
    echoes = Echoes(60, 2, first_seq=1)
    echoes.add_trouble(Trouble("Warning: time of day goes back (-1us), taking countermeasures", is_clock=True))

    assert has_message(CLOCK_WAS_SET)(echoes.series().note)


def test_complaints_are_bounded() -> None:
    echoes = Echoes(60, 2, first_seq=1)
    for number in range(1000):
        echoes.add_trouble(Trouble(f"complaint {number}"))

    assert len(echoes.troubles) <= 8
    assert len(echoes.series().note) < 1000


@pytest.mark.parametrize("first_seq", [0, 1])
def test_sequence_numbers_begin_anew_after_65535(first_seq: int) -> None:
    count = 140_000
    echoes = Echoes(60, count, first_seq)
    for index in range(count):
        assert echoes.add_reply(reply(index + first_seq, index % 1000))
    echoes.add_summary(Summary(count, count))

    series = echoes.series()

    assert series.received == count
    assert series.duplicates == 0
    assert series.rtt_us[65_535:65_538].tolist() == [535, 536, 537]


def test_a_late_reply_across_the_new_beginning_goes_to_its_place() -> None:
    echoes = Echoes(60, 70_000, first_seq=1)
    for index in range(65_535):
        echoes.add_reply(reply(index + 1, 1))
    echoes.add_reply(reply(65_538, 7))
    echoes.add_reply(reply(65_537, 9))

    rtt_us = echoes.series().rtt_us

    assert rtt_us[65_537] == 7
    assert rtt_us[65_536] == 9
    assert rtt_us[65_535] == LOST_RTT_US


def test_replies_to_nothing_that_was_sent_are_ignored() -> None:
    echoes = Echoes(60, 3, first_seq=1)

    assert not echoes.add_reply(reply(0))
    assert not echoes.add_reply(reply(4))
    assert not echoes.add_reply(reply(40_000))
    assert echoes.series().sent == 0


def test_samples_are_handed_on_once_and_gaps_are_not_numbers() -> None:
    echoes = Echoes(60, 10, first_seq=1)
    echoes.add_reply(reply(1, 1500))
    echoes.add_reply(reply(3, 2500))

    first, rtt_ms = echoes.take_new()

    assert first == 0
    assert rtt_ms[0] == 1.5
    assert math.isnan(rtt_ms[1])
    assert rtt_ms[2] == 2.5
    assert echoes.take_new() == (3, ())
    echoes.add_reply(reply(4, 100))
    assert echoes.take_new() == (3, (0.1,))


@settings(max_examples=60)
@given(st.integers(1, 400), st.data())
def test_whatever_order_and_losses_the_sums_are_right(count: int, data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.integers(0, count - 1), unique=True))
    extra = data.draw(st.lists(st.sampled_from(kept), max_size=5)) if kept else []
    echoes = Echoes(60, count, first_seq=1)
    for index in [*kept, *extra]:
        echoes.add_reply(reply(index + 1, index))
    echoes.add_summary(Summary(count, len(kept)))

    series = echoes.series()

    assert series.sent == count
    assert series.received == len(kept) == int((series.rtt_us != LOST_RTT_US).sum())
    assert series.duplicates == len(extra)
    assert {index for index in range(count) if series.rtt_us[index] != LOST_RTT_US} == set(kept)
