"""Conditions of a link in words."""

from __future__ import annotations

from app.domain.conditions import Condition, LinkDirection
from app.wording.numbers import figure


def condition_words(condition: Condition) -> str:
    """Return round-trip time, rates and losses of a condition, for people."""
    a, b = condition.a_to_b, condition.b_to_a
    if a == b:
        return f"round trip {figure(condition.rtt_ms, 3)} ms; {_direction(a)} in each direction"
    return f"round trip {figure(condition.rtt_ms, 3)} ms; A to B {_direction(a)}; B to A {_direction(b)}"


def _direction(way: LinkDirection) -> str:
    rate = "no limit of rate" if way.rate_mbit_s is None else f"{figure(way.rate_mbit_s, 3)} Mbit/s"
    if not way.loss_pct:
        return f"{rate}, no loss"
    bursts = f" in bursts of {figure(way.burst_frames, 2)}" if way.burst_frames > 1 else ""
    return f"{rate}, {figure(way.loss_pct, 2)} % lost{bursts}"
