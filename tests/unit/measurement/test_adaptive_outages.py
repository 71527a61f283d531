"""Adaptive comparisons of which a block has an outage: its cycle is repeated, and it counts if it recurs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample
from adaptive_stage import AdaptiveStage, FakeProbes

from app.domain import events
from app.domain.profiles import ADAPTIVE_PROFILE, CHECK_BLOCKS, GOOD_CYCLES, MOST_CYCLES
from app.domain.ranking import BarrierReason, CandidateResult
from app.domain.results import Attempt, CampaignRecord
from app.measurement.adaptive.cycles import outage_cycles
from app.ranking.blocks import FEWEST_WITHOUT_OUTAGE, OUTAGE_REQUESTS
from app.ranking.rank import rank

FOUR = (sample.BASELINE, sample.WIREGUARD, sample.OPENVPN_UDP, sample.OPENVPN_TCP)

FIRST = 2 * CHECK_BLOCKS
"""Cycles of the check, which come before those of the first round."""

ALL = 1_000
"""More requests in a row than a block has."""


def compared(cut: dict[tuple[str, int], int]) -> CampaignRecord:
    """Return a comparison; requests in a row are lost by solution and cycle, from 1 after the check."""
    probes = FakeProbes(cut={(name, FIRST + number): requests for (name, number), requests in cut.items()})
    return AdaptiveStage(candidates=FOUR, probes=probes).compare()


def result_of(record: CampaignRecord, solution: str) -> CandidateResult:
    return next(one for one in rank(record).results if one.solution == solution)


def first_round(record: CampaignRecord) -> list[Attempt]:
    return [one for one in record.attempts if one.key.round == 1]


def repeated(record: CampaignRecord) -> list[list[int]]:
    """Return the cycles of the first round that do not count, by candidate."""
    return [[block.cycle for block in one.blocks if not block.is_counted] for one in first_round(record)]


def test_a_cycle_with_an_outage_is_repeated_and_its_losses_bar_no_candidate() -> None:
    record = compared({("wireguard", 2): 40})

    assert [cycles[:1] for cycles in repeated(record)] == [[2]] * 4
    assert [sum(block.is_counted for block in one.blocks) for one in first_round(record)] == [GOOD_CYCLES] * 4
    found = result_of(record, "wireguard")
    assert found.barrier is None
    assert rank(record).recommendation.solution == "wireguard"
    lost = sum(one.sent - one.received for one in found.latency)
    assert lost == 40
    assert found.loss_pct == pytest.approx(100 * 40 / sum(one.sent for one in found.latency))
    assert found.arrivals is not None
    assert found.arrivals.lost_in_a_row == 40
    start = "In cycle 2 of round 1, 40 echo requests in a row were lost"
    (note,) = [one for one in found.doubts if one.startswith(start)]
    assert any(note in one for one in rank(record).recommendation.cautions)


@pytest.mark.parametrize("second", [4, GOOD_CYCLES + 1 + 3], ids=["the same round", "the next round"])
def test_an_outage_that_recurs_counts_and_bars_the_candidate(second: int) -> None:
    record = compared({("wireguard", 2): 40, ("wireguard", second): 5})

    found = result_of(record, "wireguard")
    assert found.barrier is not None
    assert found.barrier.reason is BarrierReason.LOSS
    assert not any("in a row were lost" in one for one in found.doubts)
    assert rank(record).recommendation.solution != "wireguard"


def test_cycles_of_a_candidate_that_drops_out_again_and_again_are_not_repeated() -> None:
    record = compared({("wireguard", number): 10 for number in (1, 3, 4)})
    assert repeated(record) == [[]] * 4
    assert {len(one.blocks) for one in first_round(record)} == {GOOD_CYCLES}


@pytest.mark.parametrize("requests", [1, 2])
def test_single_losses_repeat_nothing_and_count(requests: int) -> None:
    record = compared({("wireguard", number): requests for number in range(1, 7)})
    assert repeated(record) == [[]] * 4
    found = result_of(record, "wireguard")
    assert found.barrier is not None
    assert found.barrier.reason is BarrierReason.LOSS


def test_an_outage_of_the_bare_link_does_not_raise_the_limit_of_the_others() -> None:
    """Else one of the bare link would excuse losses of a candidate that has them in each block."""
    losses = {("wireguard", number): 1 for number in range(1, 40)}
    record = compared({("baseline", 2): 60, **losses})
    assert repeated(record) == [[2]] * 4
    found = result_of(record, "wireguard")
    assert found.barrier is not None
    assert "(the bare link: 0 %)" in found.barrier.words


def test_blocks_of_it_alone_show_whether_an_outage_recurs() -> None:
    record = compared({("wireguard", 2): 40})
    blocks = {one.key.solution: one.blocks for one in first_round(record)}
    assert {name: len(found) for name, found in blocks.items()} == {
        **dict.fromkeys(("baseline", "openvpn-udp", "openvpn-tcp"), GOOD_CYCLES + 1),
        "wireguard": FEWEST_WITHOUT_OUTAGE + 1,
    }
    assert not any(block.is_counted for block in blocks["wireguard"][GOOD_CYCLES + 1 :])
    (first,) = {one.key.round for one in record.attempts if len(one.blocks) > GOOD_CYCLES + 1}
    assert first == 1


@pytest.mark.parametrize("requests", [OUTAGE_REQUESTS, ALL])
def test_they_end_where_it_recurs(requests: int) -> None:
    record = compared({("wireguard", 2): 40, ("wireguard", GOOD_CYCLES + 1 + 4): requests})
    (found,) = (one for one in first_round(record) if one.key.solution == "wireguard")
    assert len(found.blocks) == GOOD_CYCLES + 1 + 4
    assert result_of(record, "wireguard").barrier is not None


def test_a_block_without_a_reply_while_others_answer_is_not_excused_and_needs_no_further_blocks() -> None:
    record = compared({("wireguard", 2): ALL})
    assert {len(one.blocks) for one in first_round(record)} == {GOOD_CYCLES + 1}
    assert result_of(record, "wireguard").barrier is not None
    record = compared({("wireguard", 2): ALL, ("openvpn-udp", 2): 5})
    assert result_of(record, "wireguard").barrier is None


def test_an_outage_of_the_bare_link_alone_needs_no_further_blocks() -> None:
    record = compared({("baseline", 2): 40})
    assert {len(one.blocks) for one in first_round(record)} == {GOOD_CYCLES + 1}
    assert any("40 echo requests in a row" in one for one in result_of(record, "baseline").doubts)


def test_no_further_blocks_are_measured_where_the_budget_is_used_up() -> None:
    probes = FakeProbes(cut={("wireguard", FIRST + 2): 40})
    stage = AdaptiveStage(candidates=FOUR, probes=probes, profile=replace(ADAPTIVE_PROFILE, budget_s=0.001))
    record = stage.compare()
    assert {len(one.blocks) for one in first_round(record)} <= {GOOD_CYCLES, GOOD_CYCLES + 1}
    assert result_of(record, "wireguard").barrier is not None


def test_candidates_with_one_outage_each_are_all_excused() -> None:
    record = compared({("baseline", 1): 20, ("wireguard", 3): 40, ("openvpn-udp", 4): 8, ("openvpn-tcp", 6): 30})
    assert [cycles[:4] for cycles in repeated(record)] == [[1, 3, 4, 6]] * 4
    assert {one.barrier.reason for one in rank(record).results if one.barrier} == {BarrierReason.UNPROTECTED}


def test_where_more_cycles_have_an_outage_than_can_be_repeated_all_count() -> None:
    def drafts(count: int) -> list[Any]:
        """Return candidates of which each has an outage in a cycle of its own."""
        return [SimpleNamespace(outages=[SimpleNamespace(cycle=own)]) for own in range(1, count + 1)]

    most = MOST_CYCLES - GOOD_CYCLES
    assert outage_cycles(drafts(most), range(1, MOST_CYCLES + 1)) == set(range(1, most + 1))
    assert outage_cycles(drafts(most + 1), range(1, MOST_CYCLES + 1)) == set()
    assert outage_cycles(drafts(most + 1), (1, 2)) == {1, 2}


def test_the_live_view_learns_that_the_cycle_does_not_count() -> None:
    stage = AdaptiveStage(candidates=FOUR, probes=FakeProbes(cut={("wireguard", FIRST + 2): 3}))
    stage.compare()
    ended = [event.is_counted for event in stage.of(events.CycleEnded) if event.round == 1]
    assert ended == [True, False, *[True] * 5]
