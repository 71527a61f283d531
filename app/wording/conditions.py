"""Conditions of a link in words."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.conditions import Condition, ConditionCheck, LinkDirection, MeasuredCondition, Quantity
from app.domain.messages.results import (
    CHECK_OF_LOSS,
    CHECK_OF_LOSS_TRACE,
    CHECK_OF_ORDER,
    CHECK_OF_RATE,
    CHECK_OF_RATE_TRACE,
    CHECK_OF_RTT,
)
from app.wording.language import mark, tr
from app.wording.messages import local_text
from app.wording.numbers import figure


def condition_words(condition: Condition) -> str:
    """Return round-trip time, rates and losses of a condition, for people."""
    a, b = condition.a_to_b, condition.b_to_a
    if a == b:
        return tr("round trip {rtt} ms; {direction} in each direction").format(
            rtt=figure(condition.rtt_ms, 3), direction=_direction(a)
        )
    return tr("round trip {rtt} ms; A to B {a_to_b}; B to A {b_to_a}").format(
        rtt=figure(condition.rtt_ms, 3), a_to_b=_direction(a), b_to_a=_direction(b)
    )


def _direction(way: LinkDirection) -> str:
    rates, losses = way.rates_mbit_s, way.losses_pct
    if way.trace_mbit_s:
        rate = tr("{low} to {high} Mbit/s in turn ({mean} on average)").format(**_spread(rates))
    else:
        rate = f"{figure(rates[0], 3)} Mbit/s" if rates else tr("no limit of rate")
    if not any(losses):
        return tr("{rate}, no loss").format(rate=rate)
    if way.trace_loss_pct:
        return tr("{rate}, {low} to {high} % lost in turn ({mean} on average)").format(rate=rate, **_spread(losses))
    bursts = tr(" in bursts of {frames}").format(frames=figure(way.burst_frames, 2)) if way.burst_frames > 1 else ""
    return tr("{rate}, {lost} % lost{bursts}").format(rate=rate, lost=figure(way.loss_pct, 2), bursts=bursts)


def _spread(values: Sequence[float]) -> dict[str, str]:
    return {
        "low": figure(min(values), 3),
        "high": figure(max(values), 3),
        "mean": figure(sum(values) / len(values), 3),
    }


def shaping_words(pair: str) -> str:
    """Return what hosts of the user's own do while their link is shaped.

    Args:
        pair: Name of the pair.
    """
    return tr(
        "While {pair} is measured, each host delays, limits or drops what it sends to the other's underlay "
        "address, and its interface cuts TCP into frames without the card's help, which takes some CPU. That ends "
        "with each tunnel, also when this program is killed."
    ).format(pair=pair)


_WAYS = {"a_to_b": mark(" from A to B"), "b_to_a": mark(" from B to A"), "": ""}


def check_words(one: ConditionCheck) -> str:
    """Return one quantity of the bare link as measured and as asked for, without a full stop."""
    return local_text(check_message(one))


def check_message(one: ConditionCheck) -> str:
    """Return the words of `check_words` as a message, for what is stored."""
    way = _WAYS[one.direction]
    if one.quantity is Quantity.ORDER:
        return CHECK_OF_ORDER(way=way, frames=one.measured)
    if one.quantity is Quantity.RTT:
        return CHECK_OF_RTT(measured=one.measured, asked=one.asked)
    values = {"way": way, "measured": one.measured, "asked": one.asked}
    if one.quantity is Quantity.LOSS:
        values |= {"low": one.low, "high": one.high}
    if one.asked_range is None:
        return (CHECK_OF_LOSS if one.quantity is Quantity.LOSS else CHECK_OF_RATE)(**values)
    form = CHECK_OF_LOSS_TRACE if one.quantity is Quantity.LOSS else CHECK_OF_RATE_TRACE
    return form(**values, least=one.asked_range[0], most=one.asked_range[1])


def measured_words(found: MeasuredCondition) -> str:
    """Return what was measured of a condition on the bare link, and whether it was as asked for."""
    verdict = tr("as asked for") if found.is_met else tr("not as asked for, so that nothing was judged")
    return f"{verdict}: {'; '.join(check_words(one) for one in found.checks)}"
