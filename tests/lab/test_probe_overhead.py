"""What it costs that Tunnelmark runs the probes and not somebody by hand. For exact figures there is tests/bench."""

from __future__ import annotations

import statistics

import pytest
from by_hand import compare

from app.lab import Lab

ROUNDS = 4
LIMIT = 1.5
"""Far above what is wanted (1.10): other work on the computer moves single rounds by much more than that."""


@pytest.mark.timed
def test_probes_take_about_as_long_as_by_hand_and_measure_the_same(lab: Lab) -> None:
    ours, bare = compare(lab, rounds=ROUNDS, pings=200, seconds=2)

    ratio = min(one.total_s for one in ours) / min(one.total_s for one in bare)
    assert ratio < LIMIT, [(mine.total_s, theirs.total_s) for mine, theirs in zip(ours, bare, strict=True)]
    mine = statistics.median(value for one in ours for value in one.medians_ms)
    theirs = statistics.median(value for one in bare for value in one.medians_ms)
    assert theirs / 2 < mine < theirs * 2
