"""Comparisons of fixed rounds whose hosts are disturbed: attempts are measured again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sample_records as sample
from campaign_stage import Stage

from app.domain import events
from app.domain.gates import Gate, GateName
from app.domain.results import Attempt
from app.measurement.messages import ATTEMPT_AGAIN
from app.ranking.gates import gates_of
from support.message_checks import has_message

Lines = Callable[[int], Sequence[str]]
"""Lines of a host's counters, given the number of the reading: 1 and 2 are before and after the first attempt."""


def throttled_once(number: int) -> Sequence[str]:
    """Return the counters of a host that is throttled in the first attempt alone."""
    return (f"throttled {int(number > 1)}",)


def throttled_always(number: int) -> Sequence[str]:
    """Return the counters of a host that is throttled in every attempt."""
    return (f"throttled {number // 2}",)


def stage_with(lines: Lines, *candidates: object, rounds: int = 1) -> Stage:
    """Return a comparison in which host A reports these counters."""
    stage = Stage(candidates=candidates or (sample.WIREGUARD,), rounds=rounds)
    stage.pair.counters = lambda side, number: lines(number) if side == "a" else ()
    return stage


def second_time(stage: Stage, act: Callable[[], None]) -> None:
    """Do something when a tunnel is up for the second time."""
    stage.tunnels.on_open = lambda _solution: act() if len(stage.tunnels.opened) == 2 else None


def gate(attempt: Attempt, name: GateName) -> Gate:
    """Return a gate's verdict on an attempt."""
    return next(one for one in gates_of(attempt) if one.name is name)


def warnings(stage: Stage) -> list[str]:
    """Return the warnings by which attempts were measured again."""
    return [line.text for line in stage.of(events.LogLine) if has_message(ATTEMPT_AGAIN)(line.text)]
