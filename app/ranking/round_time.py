"""Time that a further round of a comparison would take, from the attempts that are stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from app.domain.profiles import CHECK_BLOCKS
from app.domain.results import Attempt, CampaignPlan
from app.domain.solutions import BASELINE
from app.probes.workloads import planned_workloads


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
    the blocks of a group and are left out, as are repeated blocks and the side-by-side check of the first round.

    Args:
        attempts: Those of one round.
    """
    if not attempts:
        return 0.0
    whole_s = (max(one.ended_at for one in attempts) - min(one.started_at for one in attempts)).total_seconds()
    groups = _groups(attempts)
    if not groups:
        return whole_s
    blocks_s = [_blocks_s(group) for group in groups]
    vpns = [one for one in groups[0] if one.key.solution != BASELINE]
    check_s = 0.0
    if attempts[0].key.round == 1 and len(vpns) > 1:
        check_s = 2 * CHECK_BLOCKS * 2 * _block_s(groups[0])  # before and after the others are up, of two targets
    before_s = max(0.0, min(_times(groups[0])) - check_s)
    each_s = before_s + max(one.cleanup_s for one in attempts)
    return min(whole_s, sum(blocks_s) + len(groups) * each_s)


def _groups(attempts: Sequence[Attempt]) -> list[list[Attempt]]:
    """Return the attempts that have blocks by group, in order; the bare link, which has blocks in each, in the first.

    Candidates of a group have their first block in the same cycle.
    """
    by_cycle: dict[int, list[Attempt]] = defaultdict(list)
    for one in attempts:
        if one.blocks:
            by_cycle[one.blocks[0].cycle].append(one)
    return [by_cycle[cycle] for cycle in sorted(by_cycle)]


def _times(group: Sequence[Attempt]) -> list[float]:
    """Return when the blocks of a group's VPNs began, or those of the bare link alone, in seconds."""
    vpns = [one for one in group if one.key.solution != BASELINE]
    return sorted(block.at_s for one in vpns or group for block in one.blocks)


def _block_s(group: Sequence[Attempt]) -> float:
    """Return the mean time from one block of a group to the next."""
    vpns = [one for one in group if one.key.solution != BASELINE]
    cycles = {block.cycle for one in vpns or group for block in one.blocks}
    times = sorted(block.at_s for one in group for block in one.blocks if block.cycle in cycles)
    return (times[-1] - times[0]) / max(1, len(times) - 1)


def _blocks_s(group: Sequence[Attempt]) -> float:
    """Return how long the blocks of a group took that were not repeated."""
    times = _times(group)
    return (times[-1] - times[0] + _block_s(group)) / (1 + max(one.repeats for one in group))
