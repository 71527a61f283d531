"""Time of a further round: what happens only once is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sample_records import STARTED, sample_record

from app.domain.profiles import CHECK_BLOCKS
from app.domain.results import Attempt, AttemptKey, AttemptStatus, Block
from app.domain.workloads import WorkloadResult
from app.probes.workloads import WORKLOADS
from app.ranking.compared import compared_of, judged
from app.ranking.round_time import further_round_s

BLOCK_S = 2.0
CLEANUP_S = 5.0
SETUP_S = 8.0
WARM_UP_S = 2.0
INSPECTION_S = 1.0


def attempt(
    solution: str,
    first_s: float,
    *,
    number: int = 1,
    cycles: range = range(1, 7),
    whole_s: float = 300.0,
    repeats: int = 0,
) -> Attempt:
    """Return an attempt whose blocks are in turn with those of two others."""
    blocks = tuple(Block(cycle, first_s + 3 * BLOCK_S * nth) for nth, cycle in enumerate(cycles))
    key = AttemptKey(0, solution, "", "", number)
    ended = STARTED + timedelta(seconds=whole_s)
    return Attempt(
        key,
        AttemptStatus.COMPLETED,
        "",
        "",
        STARTED,
        ended,
        blocks=blocks,
        cleanup_s=CLEANUP_S,
        repeats=repeats,
    )


def three(
    before_s: float, *, number: int = 1, cycles: range = range(1, 7), whole_s: float = 300.0, repeats: int = 0
) -> list[Attempt]:
    names = ("baseline", "wireguard", "openvpn-udp")
    return [
        attempt(name, before_s + nth * BLOCK_S, number=number, cycles=cycles, whole_s=whole_s, repeats=repeats)
        for nth, name in enumerate(names)
    ]


BLOCKS_S = pytest.approx(18 * BLOCK_S, abs=BLOCK_S)


def test_what_follows_the_blocks_is_left_out() -> None:
    assert further_round_s(three(20.0, number=2)) - 20.0 - CLEANUP_S == BLOCKS_S


def test_the_check_of_the_first_round_is_left_out() -> None:
    check_s = 2 * CHECK_BLOCKS * 2 * BLOCK_S
    assert further_round_s(three(20.0 + check_s)) - 20.0 - CLEANUP_S == BLOCKS_S


def test_blocks_that_were_repeated_count_once() -> None:
    found_s = further_round_s(three(20.0, number=2, cycles=range(1, 19), repeats=2))
    assert found_s - 20.0 - CLEANUP_S == BLOCKS_S


def test_each_group_is_set_up_and_removed() -> None:
    later = attempt("tinc", 150.0, number=2, cycles=range(7, 13))
    one_s = further_round_s(three(20.0, number=2))
    assert further_round_s([*three(20.0, number=2), later]) - one_s - 20.0 - CLEANUP_S == BLOCKS_S


def test_blocks_of_one_candidate_alone_are_left_out() -> None:
    """They follow an outage of it, see `Cycles.prove`."""
    first, *others, last = three(20.0, number=2)
    alone = tuple(Block(7 + nth, 60.0 + BLOCK_S * nth, is_counted=False) for nth in range(24))
    last = replace(last, blocks=(*last.blocks, *alone))
    assert further_round_s([first, *others, last]) == further_round_s(three(20.0, number=2))


def one_at_a_time(in_vain_s: float, after_s: float) -> list[Attempt]:
    """Return the first round of three VPNs and the bare link that were up together in vain.

    Args:
        in_vain_s: Seconds from the beginning until the first one is set up alone.
        after_s: Seconds of packet tests after the blocks of each.
    """
    made, now_s, bare = [], in_vain_s, ()
    for nth, name in enumerate(("wireguard", "openvpn-udp", "tinc")):
        now_s += SETUP_S + WARM_UP_S
        cycles = range(1 + 6 * nth, 7 + 6 * nth)
        both_s = [now_s + 2 * BLOCK_S * passed for passed in range(6)]
        bare += tuple(Block(cycle, at_s) for cycle, at_s in zip(cycles, both_s, strict=True))
        blocks = tuple(Block(cycle, at_s + BLOCK_S) for cycle, at_s in zip(cycles, both_s, strict=True))
        made.append(replace(attempt(name, 0.0, whole_s=1_000.0), blocks=blocks, setup_s=SETUP_S))
        now_s += 12 * BLOCK_S + after_s + CLEANUP_S
    return [replace(attempt("baseline", 0.0, whole_s=1_000.0), blocks=bare, cleanup_s=0.0), *made]


@pytest.mark.parametrize("after_s", [0.0, 60.0])
def test_tunnels_that_were_up_together_in_vain_are_left_out(after_s: float) -> None:
    warmed_up_s = 9 * WARM_UP_S / 2
    in_vain_s = INSPECTION_S + 2 * SETUP_S + 2 * CHECK_BLOCKS * 2 * BLOCK_S + warmed_up_s + CLEANUP_S
    wanted_s = 3 * (SETUP_S + WARM_UP_S + 12 * BLOCK_S + CLEANUP_S)
    found_s = further_round_s(one_at_a_time(in_vain_s, after_s))
    assert wanted_s - 1.0 <= found_s <= wanted_s + 3 * (INSPECTION_S + 1.0)


def test_groups_of_one_vpn_that_were_never_up_together_have_nothing_in_vain() -> None:
    wanted_s = 3 * (SETUP_S + WARM_UP_S + 12 * BLOCK_S + CLEANUP_S)
    assert further_round_s(one_at_a_time(INSPECTION_S, 60.0)) == pytest.approx(wanted_s + 3 * INSPECTION_S, abs=1.0)


def test_it_never_takes_longer_than_the_round_did_as_a_whole() -> None:
    assert further_round_s(three(20.0, number=2, whole_s=30.0)) == 30.0
    assert further_round_s([]) == 0.0


def test_a_fixed_round_is_taken_without_packet_tests() -> None:
    record = sample_record(rounds=2)
    done = [one for one in record.attempts if one.status is AttemptStatus.COMPLETED]
    assert any(one.capture for one in done)
    round_s = len(done) / 2 * (2.1 + 28.0 + 1.3)
    assert compared_of(record, judged(record)).round_s == pytest.approx(round_s)
    found = WorkloadResult("voice", {"mos": 4.3})
    attempts = tuple(replace(one, workloads=(found,)) for one in record.attempts)
    more = replace(record, plan=replace(record.plan, workloads=("voice", "transfer")), attempts=attempts)
    voice_s = WORKLOADS["voice"].seconds
    assert compared_of(more, judged(more)).round_s == pytest.approx(round_s + len(done) / 2 * voice_s)
