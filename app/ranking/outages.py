"""Outages in the samples of an attempt: between which durations requests in a row without a reply lie."""

from __future__ import annotations

from typing import TypeAlias

from app.domain.hosts import Side, ToolFlavour
from app.domain.results import LOST_RTT_US, Attempt, CampaignRecord, LatencySeries
from app.probes.pacing import BLOCK_INTERVAL_S, FIRST_SPACING_S, longest_spacing_s, ping_interval_s

RequestPace: TypeAlias = tuple[ToolFlavour, float | None]
"""Ping of the sender, and the time between two requests of fixed rounds in s; None where each waits for a reply."""


def request_pace(record: CampaignRecord) -> RequestPace:
    """Return how a comparison's requests were sent."""
    tool = record.facts[Side.A.value].tools.get("ping") if Side.A.value in record.facts else None
    flavour = tool.flavour if tool is not None else ToolFlavour.UNKNOWN
    return flavour, ping_interval_s(record.plan.condition)


def is_timed(attempt: Attempt) -> bool:
    """Return whether the times of an attempt's blocks bound when each of its requests was sent."""
    return bool(attempt.latency) and all(is_timed_by_blocks(attempt, one) for one in attempt.latency)


def is_timed_by_blocks(attempt: Attempt, series: LatencySeries) -> bool:
    """Return whether the times of an attempt's blocks bound when each request of a series was sent."""
    return bool(attempt.blocks) and series.rtt_us.size % len(attempt.blocks) == 0


def block_bounds_s(attempt: Attempt, series: LatencySeries, first: int, after: int) -> tuple[float, float]:
    """Return between which durations an outage lasted by the times of blocks, in s.

    A request of a block was sent after the block began and before it ended. Where its end was not kept, the candidate's
    next block is the limit.

    Args:
        attempt: Timed by blocks.
        series: One of its series.
        first: Place of the first request without a reply.
        after: Place after the last one.
    """
    count = series.rtt_us.size // len(attempt.blocks)
    ended_s = (attempt.ended_at - attempt.started_at).total_seconds()
    began_s = [*(one.at_s for one in attempt.blocks), ended_s]
    one, other = first // count, (after - 1) // count
    least_s = max(0.0, began_s[other] - began_s[one + 1])
    lasted_s = attempt.blocks[other].lasted_s
    until_s = began_s[other + 1] if lasted_s is None else min(began_s[other + 1], began_s[other] + lasted_s)
    return least_s, max(least_s, until_s - began_s[one])


def longest_outage_s(
    attempt: Attempt, series: LatencySeries, first: int, after: int, flavour: ToolFlavour, interval_s: float | None
) -> float:
    """Return how long an outage lasted at most, by the spacing of requests and the times of blocks, in s.

    It began after the last answered request before it was sent, and ended before the first one after it was. At the end
    of a block, ping may have sent further requests that are not stored: there, the block's times alone are a limit.
    Fixed rounds do not store where ping was started again.

    Args:
        attempt: The attempt.
        series: One of its series.
        first: Place of the first request without a reply.
        after: Place after the last one.
        flavour: Which ping the sender has.
        interval_s: Time between two requests of fixed rounds in s; None where each waits for a reply.
    """
    answered = series.rtt_us[series.rtt_us != LOST_RTT_US]
    longest_s = float(answered.max()) / 1e6 if answered.size else 0.0
    spacings = after - first + 1
    if not is_timed_by_blocks(attempt, series):
        return spacings * longest_spacing_s(longest_s, flavour, interval_s)
    _, most_s = block_bounds_s(attempt, series, first, after)
    count = series.rtt_us.size // len(attempt.blocks)
    if first // count != after // count:
        return most_s  # up to the end of its block, or beyond
    block = attempt.blocks[first // count]
    spacing_s = longest_spacing_s(longest_s, flavour, block.interval_s)
    if block.lasted_s is None:  # of an earlier version, which did not keep the interval either
        spacing_s = max(spacing_s, BLOCK_INTERVAL_S)
    if first % count == 0 and block.interval_s is None:
        spacing_s = max(spacing_s, FIRST_SPACING_S)
    return min(most_s, spacings * spacing_s)
