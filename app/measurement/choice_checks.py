"""Options that do not go together, or not with a pair: refused alike by the window and the command line."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.conditions import Condition
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import PairSpec
from app.measurement.messages import CONDITION_NOT_ADAPTIVE, SHAPING_NOT_ALLOWED, WORKLOAD_NOT_ADAPTIVE
from app.measurement.options import RunOptions
from app.tunnel.shaping import refuse_unshaped


def check_chosen(pair: PairSpec, options: RunOptions) -> None:
    """Refuse what the user chose where it cannot be measured on a pair.

    Raises:
        InvalidOption: As `refuse_with_adaptive`.
        InvalidPlan: As `check_shaping`.
    """
    if options.profile.is_adaptive:
        refuse_with_adaptive(options.condition, options.workloads)
    check_shaping(pair, options.condition, may_shape=options.may_shape)


def refuse_with_adaptive(condition: Condition | None, workloads: Sequence[str]) -> None:
    """Refuse a condition or workloads that were chosen together with the profile adaptive.

    Raises:
        InvalidOption: There is one of them.
    """
    if condition is not None:
        raise InvalidOption(CONDITION_NOT_ADAPTIVE())
    if workloads:
        raise InvalidOption(WORKLOAD_NOT_ADAPTIVE())


def check_shaping(pair: PairSpec, condition: Condition | None, *, may_shape: bool) -> None:
    """Refuse a condition that hosts of the user's own cannot make, or without consent.

    Raises:
        InvalidPlan: Hosts cannot make it, or the user has not agreed.
    """
    if condition is None or pair.is_lab:
        return
    refuse_unshaped(condition)
    if not may_shape:
        raise InvalidPlan(SHAPING_NOT_ALLOWED(pair=pair.name))
