"""Rounds that were measured before a comparison was resumed: how long a further one takes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sample_records import STARTED, sample_record

from app.domain.profiles import CHECK_BLOCKS
from app.domain.results import Attempt, AttemptKey, AttemptStatus, Block
from app.measurement.adaptive.past_rounds import PastRounds, stored_times, took_s

BLOCK_S, CYCLES, CLEANUP_S = 1.0, 6, 5.0
BEFORE_S = 20.0
NAMES = ("baseline", "wireguard", "openvpn-udp")
CHECK_S = 2 * CHECK_BLOCKS * 2 * BLOCK_S
BLOCKS_S = CYCLES * len(NAMES) * BLOCK_S
FURTHER_S = BEFORE_S + BLOCKS_S + CLEANUP_S


def first_round() -> list[Attempt]:
    """Return a round with the check that idle tunnels change no latency, without TCP and packet tests."""
    ended = STARTED + timedelta(seconds=CHECK_S + FURTHER_S)
    made = []
    for nth, name in enumerate(NAMES):
        first_s = BEFORE_S + CHECK_S + nth * BLOCK_S
        blocks = tuple(Block(1 + cycle, first_s + cycle * len(NAMES) * BLOCK_S) for cycle in range(CYCLES))
        key = AttemptKey(nth, name, "", "", 1)
        made.append(Attempt(key, AttemptStatus.COMPLETED, "", "", STARTED, ended, blocks=blocks, cleanup_s=CLEANUP_S))
    return made


def test_the_check_of_a_stored_round_is_not_expected_in_the_next_one() -> None:
    attempts = first_round()
    past = PastRounds(sample_record().plan)
    past.add(attempts, took_s(attempts), stored_times(attempts))
    assert past.measured_s == pytest.approx(CHECK_S + FURTHER_S)
    assert past.latency_s == pytest.approx(FURTHER_S)
