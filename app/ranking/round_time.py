"""Time that a further round of a comparison would take, from the attempts that are stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from app.domain.profiles import CHECK_BLOCKS
from app.domain.results import Attempt, CampaignPlan
from app.domain.solutions import BASELINE
from app.probes.throughput import OMIT_S
from app.probes.workloads import planned_workloads

_WARM_UP_BLOCKS = 0.5
"""Shortest warm-up of a target as a share of a block. Source: twice 50 echo requests, where a block has 200."""


def attempt_s(attempt: Attempt, plan: CampaignPlan) -> float:
    """Return roughly how long an attempt of a fixed round takes in seconds, without packet tests.

    The time of workloads is not stored: it is that on a link with a short round trip.
    """
    measured = {one.workload for one in attempt.workloads if one.figures}
    workloads_s = sum(one.seconds for one in planned_workloads(plan) if one.name in measured)
    return attempt.setup_s + attempt.probe_s + workloads_s + attempt.cleanup_s


def further_round_s(attempts: Sequence[Attempt]) -> float:
    """Return roughly how long one more adaptive round with the candidates of a complete one takes, in seconds.

    Each group of tunnels has set-up, warm-up, blocks and clean-up. TCP, the CPU at one rate and packet tests follow
    the blocks of a group and are left out, as are repeated blocks, the side-by-side check of the first round, and
    tunnels that were up together in vain before candidates were measured one at a time.

    Args:
        attempts: Those of one round.
    """
    if not attempts:
        return 0.0
    whole_s = (max(one.ended_at for one in attempts) - min(one.started_at for one in attempts)).total_seconds()
    groups = _groups(attempts)
    if not groups:
        return whole_s
    others_s = _others_s(groups)
    cleanup_s = max(one.cleanup_s for one in attempts)
    return min(whole_s, sum(_setup_s(group) + others_s + _blocks_s(group) + cleanup_s for group in groups))


def _others_s(groups: Sequence[Sequence[Attempt]]) -> float:
    """Return how long a group takes before its blocks besides its set-up, as for its warm-up, at most.

    Before the first group's blocks is whatever the round began with; before those of another one is what followed the
    blocks of the group before it. The shortest of these times has least of what is not wanted.
    """
    first, vpns = groups[0], _vpns(groups[0])
    begun_s = min(_times(first)) - _setup_s(first)
    if first[0].key.round == 1 and len(vpns) > 1:
        begun_s -= 2 * CHECK_BLOCKS * 2 * _block_s(first)  # before and after the others are up, of two targets
    found_s = [begun_s]
    if len(groups) > 1 and all(len(_vpns(group)) == 1 for group in groups):
        found_s.append(begun_s - _in_vain_s(groups))
    for group, after in pairwise(groups):
        ended_s = max(_times(group)) + _block_s(group)
        followed_s = max(one.cleanup_s for one in group) + _transfers_s(group if group is first else _vpns(group))
        between_s = min(_times(after)) - ended_s - followed_s
        found_s.append(between_s - _setup_s(after))
    return min((one for one in found_s if one > 0), default=0.0)


def _in_vain_s(groups: Sequence[Sequence[Attempt]]) -> float:
    """Return how long tunnels were up together for the check that then had them measured one at a time, in seconds.

    The first one was set up before the others. The check has two targets, which were warmed up twice for it, and all
    were once more.
    """
    first, *others = (_setup_s(group) for group in groups)
    cleanup_s = max(one.cleanup_s for group in groups for one in group)
    blocks = 2 * CHECK_BLOCKS * 2 + _WARM_UP_BLOCKS * (2 * 2 + 1 + len(groups))
    return first + max(others) + blocks * _block_s(groups[0]) + cleanup_s


def _vpns(group: Sequence[Attempt]) -> list[Attempt]:
    return [one for one in group if one.key.solution != BASELINE]


def _setup_s(group: Sequence[Attempt]) -> float:
    return max(one.setup_s for one in group)


def _transfers_s(group: Sequence[Attempt]) -> float:
    """Return how long TCP of a group took, without what each direction takes beyond its seconds."""
    series = [each for one in group for each in one.throughput]
    return sum(len(each.interval_mbit_s) * each.interval_s + OMIT_S for each in series)


def _groups(attempts: Sequence[Attempt]) -> list[list[Attempt]]:
    """Return the attempts that have blocks by group, in order; the bare link is in each group that it has blocks in.

    Candidates of a group have their first block in the same cycle.
    """
    by_cycle: dict[int, list[Attempt]] = defaultdict(list)
    vpns = _vpns(attempts)
    for one in vpns or attempts:
        if one.blocks:
            by_cycle[one.blocks[0].cycle].append(one)
    groups = [by_cycle[cycle] for cycle in sorted(by_cycle)]
    bare = [one for one in attempts if vpns and one.key.solution == BASELINE]
    return [[*(one for one in bare if _shares_cycles(one, group)), *group] for group in groups]


def _shares_cycles(one: Attempt, group: Sequence[Attempt]) -> bool:
    return bool(_cycles(group).intersection(block.cycle for block in one.blocks))


def _cycles(group: Sequence[Attempt]) -> set[int]:
    """Return the cycles of a group, without those of one candidate alone, which follow an outage of it."""
    taking_part = Counter(block.cycle for one in group for block in one.blocks)
    own = {block.cycle for one in _vpns(group) or group for block in one.blocks}
    return {cycle for cycle in own if taking_part[cycle] > 1} or own


def _times(group: Sequence[Attempt]) -> list[float]:
    """Return when the blocks of a group began, in seconds."""
    cycles = _cycles(group)
    return sorted(block.at_s for one in group for block in one.blocks if block.cycle in cycles)


def _block_s(group: Sequence[Attempt]) -> float:
    """Return the mean time from one block of a group to the next."""
    times = _times(group)
    return (times[-1] - times[0]) / max(1, len(times) - 1)


def _blocks_s(group: Sequence[Attempt]) -> float:
    """Return how long the blocks of a group took that were not repeated."""
    times = _times(group)
    return (times[-1] - times[0] + _block_s(group)) / (1 + max(one.repeats for one in group))
