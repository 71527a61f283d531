"""Spacing of echo requests: between two of them, and after one without a reply."""

from __future__ import annotations

from app.domain.conditions import Condition
from app.domain.hosts import ToolFlavour

BLOCK_INTERVAL_S = 0.05
"""Time between echo requests of blocks that do not wait for each other, as where a round trip takes longer: a block
takes 10 s, and the largest frames take 0.24 Mbit/s, so that none waits for the one before. Source: our choice."""

FIRST_SPACING_S = 1.0
"""Time after which ping -A sends again where no request of a run has been answered yet. Source: iputils 20161105 to
20240905, ping_common.c, pinger and update_interval: -i, 1 s by default, until there is a round-trip time."""

_BUSYBOX_SPACING_S = 1.0
"""Source: BusyBox 1.30 to 1.36, ping.c, sendping_tail: a request without a reply is followed by one after -i, 1 s."""

_LEAST_SPACING_S = 0.01
"""Source: iputils, ping_common.h, MININTERVAL: with -A, at most 100 requests per second get no reply."""

_LONG_RTT_MS = 10.0
"""From this round-trip time on, echo requests do not wait for each other. Source: our choice."""

_PING_INTERVAL_S = 0.02
_FRAMES_APART = 3.0
"""Echo requests leave room for so many of their largest frames on the slower line. Source: our choice."""

_LARGEST_FRAME_BITS = 8 * 1_518


def ping_interval_s(condition: Condition | None) -> float | None:
    """Return the time between two echo requests in s; None where each waits for the reply to the one before."""
    if condition is None or condition.rtt_ms <= _LONG_RTT_MS:
        return None
    rates = (*condition.a_to_b.rates_mbit_s, *condition.b_to_a.rates_mbit_s)
    frame_s = _LARGEST_FRAME_BITS / (min(rates) * 1e6) if rates else 0.0
    return max(_PING_INTERVAL_S, round(_FRAMES_APART * frame_s, 3))


def longest_spacing_s(longest_rtt_s: float, flavour: ToolFlavour, interval_s: float | None) -> float:
    """Return the longest time from a request without a reply to the next one, in s.

    ping -A of iputils waits for its mean round-trip time, which no reply exceeds, and 10 ms at least.

    Args:
        longest_rtt_s: Longest round trip of the same series, in s.
        flavour: Which ping the host has.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
    """
    if flavour is ToolFlavour.BUSYBOX:
        return _BUSYBOX_SPACING_S
    return max(_LEAST_SPACING_S, longest_rtt_s) if interval_s is None else interval_s
