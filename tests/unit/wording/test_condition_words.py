"""Conditions of a link in words: values that change over time, and what was measured of them."""

from __future__ import annotations

from app.domain.conditions import Condition, ConditionCheck, LinkDirection, Quantity
from app.domain.messages import code_of
from app.wording.conditions import check_message, condition_words

SKY = LinkDirection(
    delay_ms=20.0, trace_mbit_s=(8.0, 8.0, 2.0), trace_loss_pct=(0.0, 1.0, 100.0), trace_step_s=5.0, queue_ms=100.0
)


def test_rates_and_losses_that_change_are_named_with_their_range_and_mean() -> None:
    assert condition_words(Condition("sky", "Handovers", a_to_b=SKY, b_to_a=SKY)) == (
        "round trip 40.0 ms; 2.00 to 8.00 Mbit/s in turn (6.00 on average), 0 to 100 % lost in turn (33.7 on average) "
        "in each direction"
    )
    back = LinkDirection(rate_mbit_s=10.0, loss_pct=1.0, burst_frames=4.0)
    assert condition_words(Condition("sky", "Handovers", a_to_b=LinkDirection(), b_to_a=back)) == (
        "round trip 0 ms; A to B no limit of rate, no loss; B to A 10.0 Mbit/s, 1.0 % lost in bursts of 4.0"
    )


def test_a_check_names_the_range_where_values_change_and_only_there() -> None:
    rate = ConditionCheck(Quantity.RATE, "a_to_b", 6.0, 5.5, 4.85, 7.21, is_met=True, asked_range=(5.0, 7.0))
    assert check_message(rate) == (
        "rate from A to B: 5.50 Mbit/s, asked for 6.00 Mbit/s on average, which is 5.00 to 7.00 Mbit/s in the time of "
        "the test"
    )
    loss = ConditionCheck(Quantity.LOSS, "b_to_a", 2.0, 1.8, 1.2, 2.6, is_met=True, asked_range=(1.5, 2.5))
    assert check_message(loss) == (
        "loss from B to A: 1.80 % (95 % interval 1.20 to 2.60 %), asked for 2.00 % on average, which is 1.50 to 2.50 % "
        "in the time of the test"
    )
    fixed = (
        ConditionCheck(Quantity.RATE, "a_to_b", 6.0, 6.0, 5.8, 6.2, is_met=True),
        ConditionCheck(Quantity.LOSS, "a_to_b", 1.0, 1.0, 0.7, 1.5, is_met=True),
    )
    assert [code_of(check_message(one)) for one in fixed] == ["condition.check-of-rate", "condition.check-of-loss"]
