"""Lost requests that count for eligibility: all but those of a single outage that may be the link's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from sample_records import BASELINE, OPENVPN_UDP, WIREGUARD, Model, sample_record

from app.domain.profiles import ADAPTIVE_PROFILE, BLOCK_PINGS, FRAME_BYTES
from app.domain.ranking import CandidateResult
from app.domain.results import LOST_RTT_US, Attempt, AttemptStatus, Block, CampaignRecord, LatencySeries
from app.ranking.blocks import FEWEST_WITHOUT_OUTAGE, OUTAGE_REQUESTS, lost_in_a_row
from app.ranking.eligibility import LATE_LIMIT_PCT
from app.ranking.rank import rank

MODELS = (
    Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0),
    Model(WIREGUARD, 1.0, 0.3, 40.0, 70.0, 100),
    Model(OPENVPN_UDP, 1.5, 0.3, 40.0, 70.0, 100),
)
CYCLES = 1 + FEWEST_WITHOUT_OUTAGE // 2
"""Two rounds have one block more than are needed."""
CUT = 2
"""Cycle, from 1, of which the blocks do not count."""

Place = tuple[str, int, int]
"""Solution, round and cycle."""


def in_blocks(one: Attempt, lost: Mapping[Place, int], *, silent: frozenset[Place]) -> Attempt:
    """Return an attempt measured in blocks, of which one cycle does not count."""
    rng = np.random.default_rng(one.key.position)
    parts: list[list[npt.NDArray[np.uint32]]] = [[] for _ in FRAME_BYTES]
    for cycle in range(1, CYCLES + 1):
        place = one.key.solution, one.key.round, cycle
        for nth, count in enumerate(BLOCK_PINGS):
            rtt_us = rng.normal(1_000.0, 20.0, count).astype(np.uint32)
            if place in silent:
                rtt_us[:] = LOST_RTT_US
            elif nth == 0:
                rtt_us[3 : 3 + lost.get(place, 0)] = LOST_RTT_US
            parts[nth].append(rtt_us)
    series = []
    for size, found in zip(FRAME_BYTES, parts, strict=True):
        rtt_us = np.concatenate(found)
        series.append(LatencySeries(size, rtt_us.size, int((rtt_us != LOST_RTT_US).sum()), 0, rtt_us))
    blocks = tuple(Block(cycle, float(cycle), cycle != CUT, 0.5) for cycle in range(1, CYCLES + 1))
    return replace(one, latency=tuple(series), blocks=blocks)


def compared(
    lost: Mapping[Place, int], *, silent: frozenset[Place] = frozenset(), rounds: int = 2, failed: str = ""
) -> CampaignRecord:
    """Return a comparison; the last round of one candidate may have failed."""
    record = sample_record(models=MODELS, rounds=rounds)
    first = [one for one in record.attempts if one.key.round <= rounds]
    attempts = {(one.key.solution, one.key.round): in_blocks(one, lost, silent=silent) for one in first}
    if failed:
        attempts[failed, rounds] = replace(attempts[failed, rounds], status=AttemptStatus.FAILED, message="It failed.")
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE)
    return replace(record, plan=plan, attempts=tuple(attempts.values()))


def found(record: CampaignRecord, solution: str = "wireguard") -> CandidateResult:
    return next(one for one in rank(record).results if one.solution == solution)


def is_barred(record: CampaignRecord) -> bool:
    return found(record).barrier is not None


def test_the_only_outage_is_left_out_with_a_note() -> None:
    record = compared({("wireguard", 1, CUT): 60})
    assert not is_barred(record)
    note = found(record).doubts[-1]
    assert note == (
        "In cycle 2 of round 1, 60 echo requests in a row were lost. The losses of that block do not count for the "
        "recommendation: 31 other blocks had no such outage, so the link may be the cause."
    )
    assert found(record).loss_pct == pytest.approx(100 * 60 / (2 * CYCLES * sum(BLOCK_PINGS)))
    assert rank(record).recommendation.solution == "wireguard"


def test_an_outage_of_a_cycle_that_counts_is_not_left_out() -> None:
    assert is_barred(compared({("wireguard", 1, CUT + 1): 60}))


@pytest.mark.parametrize("second", [(1, 5), (2, CUT), (2, 6)])
def test_a_second_outage_makes_both_count(second: tuple[int, int]) -> None:
    record = compared({("wireguard", 1, CUT): 60, ("wireguard", *second): OUTAGE_REQUESTS})
    assert is_barred(record)
    assert "in a row" not in " ".join(found(record).doubts)


def test_others_that_have_one_outage_each_do_not_excuse_a_second_one() -> None:
    others = {("openvpn-udp", 1, CUT): 60, ("baseline", 2, CUT): 60}
    assert is_barred(compared({("wireguard", 1, CUT): 60, ("wireguard", 2, CUT): 20, **others}))


def test_where_the_bare_link_has_as_many_they_are_the_links() -> None:
    ways = {(name, number, CUT): 60 for name in ("baseline", "wireguard") for number in (1, 2)}
    assert not is_barred(compared(ways))


def test_an_outage_in_a_round_that_failed_counts_as_a_second_one() -> None:
    lost = {("wireguard", 1, CUT): 60}
    only = found(compared(lost, rounds=3, failed="wireguard"))
    assert "in a row" in " ".join(only.doubts)
    second = found(compared({**lost, ("wireguard", 3, 6): 60}, rounds=3, failed="wireguard"))
    assert "in a row" not in " ".join(second.doubts)


def test_one_round_is_too_short_to_show_that_an_outage_does_not_recur() -> None:
    assert is_barred(compared({("wireguard", 1, CUT): 60}, rounds=1))


def test_losses_beside_the_outage_count() -> None:
    single = {("wireguard", number, cycle): 1 for number in (1, 2) for cycle in range(4, 10)}
    assert is_barred(compared({("wireguard", 1, CUT): 60, **single}))


def test_losses_of_a_cycle_that_does_not_count_are_no_outage_by_that() -> None:
    """A cycle is repeated for other reasons as well: single losses in it count."""
    counted = {("wireguard", 1, cycle): 2 for cycle in (4, 5)}
    assert not is_barred(compared(counted))
    assert is_barred(compared({**counted, **{("wireguard", number, CUT): 2 for number in (1, 2)}}))


def test_a_block_without_a_reply_is_the_links_only_if_a_neighbour_has_an_outage() -> None:
    silent = frozenset({("wireguard", 1, CUT)})
    assert is_barred(compared({}, silent=silent))
    record = compared({("openvpn-udp", 1, CUT): 20}, silent=silent)
    assert not is_barred(record)
    assert "200 echo requests in a row" in found(record).doubts[-1]


def test_requests_that_do_not_count_as_lost_are_not_late_either() -> None:
    silent = {("wireguard", 1, CUT)}
    record = compared({("openvpn-udp", 1, CUT): 20}, silent=frozenset(silent))
    late = replace(record, plan=replace(record.plan, deadline_ms=1.037))
    late_pct = found(late).late_pct
    assert late_pct is not None
    assert late_pct > LATE_LIMIT_PCT
    assert not is_barred(late)
    always = replace(record, plan=replace(record.plan, deadline_ms=1.03))
    assert found(always).barrier is not None


def test_an_outage_of_the_bare_link_raises_no_limit() -> None:
    single = {("wireguard", number, cycle): 1 for number in (1, 2) for cycle in range(4, 10)}
    for cycle in (CUT, CUT + 1):  # whether it was repeated or not
        assert is_barred(compared({("baseline", 1, cycle): 60, **single}))


def test_requests_in_a_row_are_those_in_the_order_of_sending() -> None:
    ok, lost = np.full(2, 1_000, np.uint32), np.full(2, LOST_RTT_US, np.uint32)
    assert lost_in_a_row([ok, lost, lost], (), first=0) == 4
    assert lost_in_a_row([lost, ok, lost], (), first=0) == 2
    assert lost_in_a_row([lost, ok, lost], (), first=2) == 4
    assert lost_in_a_row([ok, ok, ok], (), first=1) == 0
    assert lost_in_a_row([lost, lost, lost], (2, 1, 0), first=0) == 3
