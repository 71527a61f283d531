"""Outages in the samples of an attempt: between which durations requests in a row without a reply lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from app.domain.hosts import Side, ToolFlavour
from app.domain.results import LOST_RTT_US, Attempt, CampaignRecord, LatencySeries
from app.probes.pacing import BLOCK_INTERVAL_S, FIRST_SPACING_S, longest_spacing_s, ping_interval_s
from app.ranking.block_times import RequestOrder, outage_span_s, request_order, silent_ends_s
from app.ranking.summaries import LostRun, lost_runs

RequestPace: TypeAlias = tuple[ToolFlavour, float | None]
"""Ping of the sender, and the time between two requests of fixed rounds in s; None where each waits for a reply."""


def request_pace(record: CampaignRecord) -> RequestPace:
    """Return how a comparison's requests were sent."""
    tool = record.facts[Side.A.value].tools.get("ping") if Side.A.value in record.facts else None
    flavour = tool.flavour if tool is not None else ToolFlavour.UNKNOWN
    return flavour, ping_interval_s(record.plan.condition)


def is_timed_by_blocks(attempt: Attempt) -> bool:
    """Return whether the times of an attempt's blocks bound when each of its requests was sent."""
    count = len(attempt.blocks)
    return bool(count) and all(one.rtt_us.size % count == 0 for one in attempt.latency)


def block_bounds_s(attempt: Attempt, order: RequestOrder, series: LatencySeries, run: LostRun) -> tuple[float, float]:
    """Return between which durations an outage lasted by the times of blocks, in s.

    Args:
        attempt: Timed by blocks.
        order: All its requests.
        series: One of its series.
        run: Requests of the series without a reply.
    """
    count = series.rtt_us.size // len(attempt.blocks)
    ended_s = (attempt.ended_at - attempt.started_at).total_seconds()
    began_s = [*(one.at_s for one in attempt.blocks), ended_s]
    one, other = run.first // count, (run.after - 1) // count
    least_s = max(0.0, began_s[other] - began_s[one + 1])
    numbers = order.numbers[series.frame_bytes]
    since_s, until_s = outage_span_s(attempt, order, int(numbers[run.first]), int(numbers[run.after - 1]))
    return least_s, max(least_s, until_s - since_s)


def longest_outages_s(attempt: Attempt, series: Sequence[LatencySeries], pace: RequestPace) -> Iterator[float]:
    """Return how long each outage in some series of an attempt lasted at most, in s.

    Blocks that ended early without a reply count even if no request of these series was sent in them.
    """
    runs = [(one, run) for one in series for run in lost_runs(attempt, one)]
    if not is_timed_by_blocks(attempt):
        yield from ((run.requests + 1) * longest_spacing_s(_longest_rtt_s(one), *pace) for one, run in runs)
        return
    if runs:
        order = request_order(attempt, attempt.latency)
        yield from (_longest_in_blocks_s(attempt, order, one, run, pace[0]) for one, run in runs)
    yield from silent_ends_s(attempt)


def _longest_in_blocks_s(
    attempt: Attempt, order: RequestOrder, series: LatencySeries, run: LostRun, flavour: ToolFlavour
) -> float:
    """Return how long an outage lasted at most, by the spacing of requests and the times of blocks, in s.

    It began after the last answered request before it was sent, and ended before the first one after it was. At the end
    of a size, ping may have sent further requests that are not stored: there, the times of blocks alone are a limit.
    """
    _, most_s = block_bounds_s(attempt, order, series, run)
    count = series.rtt_us.size // len(attempt.blocks)
    numbers = order.numbers[series.frame_bytes]
    if run.first // count != run.after // count or numbers[run.after] < 0:
        return most_s
    first = int(numbers[run.first])
    before, _ = order.neighbours(first, first)
    block = attempt.blocks[run.first // count]
    gap_s = 0.0
    if order.begins_block(first):
        gap_s = block.at_s - outage_span_s(attempt, order, first, first)[0]
    elif before != first - 1:
        return most_s
    spacing_s = longest_spacing_s(_longest_rtt_s(series), flavour, block.interval_s)
    if block.lasted_s is None:  # of an earlier version, which did not keep the interval either
        spacing_s = max(spacing_s, BLOCK_INTERVAL_S)
    if run.first % count == 0 and block.interval_s is None:
        spacing_s = max(spacing_s, FIRST_SPACING_S)
    return min(most_s, gap_s + (run.requests + 1) * spacing_s)


def _longest_rtt_s(series: LatencySeries) -> float:
    answered = series.rtt_us[series.rtt_us != LOST_RTT_US]
    return float(answered.max()) / 1e6 if answered.size else 0.0
