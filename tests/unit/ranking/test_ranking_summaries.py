from __future__ import annotations

import numpy as np
import pytest

from app.domain.results import LOST_RTT_US, LatencySeries
from app.ranking import summarise


def series(rtt_us: list[int], *, frame_bytes: int = 60, duplicates: int = 0, note: str = "") -> LatencySeries:
    data = np.array(rtt_us, dtype=np.uint32)
    received = int(np.count_nonzero(data != LOST_RTT_US))
    return LatencySeries(frame_bytes, len(rtt_us), received, duplicates, data, note)


LOST = int(LOST_RTT_US)


def test_known_samples() -> None:
    found = summarise([series(list(range(1000, 102_000, 1000)))], None)  # 1 to 101 ms
    assert (found.sent, found.received) == (101, 101)
    assert found.mean_ms == pytest.approx(51.0)
    assert (found.p5_ms, found.p50_ms, found.p95_ms) == pytest.approx((6.0, 51.0, 96.0))
    assert found.p99_ms == pytest.approx(100.0)
    assert found.p999_ms == pytest.approx(100.9)
    assert found.max_ms == pytest.approx(101.0)
    assert found.stdev_ms == pytest.approx(np.std(np.arange(1, 102), ddof=1))
    assert found.over_deadline_pct is None


def test_lost_requests_are_in_no_time_but_count_as_late() -> None:
    found = summarise([series([1000, LOST, 3000, LOST])], deadline_ms=2.0)
    assert (found.sent, found.received) == (4, 2)
    assert found.mean_ms == pytest.approx(2.0)
    assert found.max_ms == pytest.approx(3.0)
    assert found.over_deadline_pct == pytest.approx(75.0)


def test_a_reply_at_the_deadline_is_in_time() -> None:
    assert summarise([series([2000, 2001])], deadline_ms=2.0).over_deadline_pct == pytest.approx(50.0)


def test_nothing_received() -> None:
    found = summarise([series([LOST, LOST], note="no reply")], deadline_ms=1.0)
    assert (found.sent, found.received, found.over_deadline_pct) == (2, 0, 100.0)
    assert (found.mean_ms, found.p5_ms, found.max_ms, found.stdev_ms) == (None, None, None, None)
    assert found.note == "no reply"


def test_nothing_sent() -> None:
    found = summarise([series([])], deadline_ms=1.0)
    assert (found.sent, found.mean_ms, found.over_deadline_pct) == (0, None, None)


def test_every_round_counts_the_same_in_the_mean_and_every_sample_in_the_percentiles() -> None:
    found = summarise([series([1000] * 9), series([3000])], None)
    assert found.mean_ms == pytest.approx(2.0)
    assert found.p50_ms == pytest.approx(1.0)
    assert (found.sent, found.received) == (10, 10)


def test_duplicates_add_up_and_notes_are_reported_once() -> None:
    found = summarise([series([1], duplicates=2, note="odd"), series([1], duplicates=1, note="odd")], None)
    assert (found.duplicates, found.note) == (3, "odd")


def test_one_sample_has_no_deviation() -> None:
    assert summarise([series([1000])], None).stdev_ms is None


def test_different_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="one frame size"):
        summarise([series([1]), series([1], frame_bytes=128)], None)
    with pytest.raises(ValueError, match="one frame size"):
        summarise([], None)


def test_sums_of_large_times_do_not_overflow() -> None:
    assert summarise([series([4_000_000_000] * 1000)], None).mean_ms == pytest.approx(4_000_000.0)
