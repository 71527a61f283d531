"""A condition on hosts of the user's own: its step, and the options of netem."""

from __future__ import annotations

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import LinkDirection
from app.domain.errors import InvalidPlan
from app.tunnel.messages import DELAY_CHANGES
from app.tunnel.shaping import netem_options, refuse_unshaped
from support.message_checks import has_message


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (LinkDirection(), "limit 100000"),
        (LinkDirection(delay_ms=250.0, rate_mbit_s=10.0, queue_ms=500.0), "delay 250000us rate 10000kbit limit 619"),
        (LinkDirection(loss_pct=1.0), "loss random 1% limit 100000"),
        (LinkDirection(loss_pct=1.0, burst_frames=4.0), "loss gemodel 0.2525% 25.0000% limit 100000"),
        (LinkDirection(delay_ms=0.5, rate_mbit_s=0.1, queue_ms=10.0), "delay 500us rate 100kbit limit 10"),
    ],
)
def test_netem_is_given_what_a_direction_asks_for(way: LinkDirection, words: str) -> None:
    assert " ".join(netem_options(way)) == words


@pytest.mark.parametrize("name", presets())
def test_delays_that_change_are_refused(name: str) -> None:
    condition = presets()[name]
    if condition.a_to_b.trace_ms:
        with pytest.raises(InvalidPlan, check=has_message(DELAY_CHANGES, condition=condition.name)):
            refuse_unshaped(condition)
    else:
        refuse_unshaped(condition)
