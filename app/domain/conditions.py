"""Conditions of a link: delay, rate, queue and loss in each direction."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.errors import InvalidOption
from app.domain.messages.inputs import (
    CONDITION_KEYS_EXCLUDE,
    CONDITION_NEEDS_QUEUE,
    CONDITION_OUT_OF_RANGE,
    CONDITION_TRACES_DIFFER,
)

AS_FOUND = "as-found"
"""Name of the condition of a link that is not shaped."""


@dataclass(frozen=True, slots=True)
class LinkDirection:
    """One direction of a link.

    Attributes:
        delay_ms: Delay that every frame has.
        trace_ms: Delays that are added in turn, each for `trace_step_s`; no frame overtakes another.
        trace_mbit_s: Rates that hold in turn in place of `rate_mbit_s`, each for `trace_step_s`.
        trace_loss_pct: Shares of the frames that are lost in turn, at random, in place of `loss_pct`.
        trace_step_s: Seconds for which each value of a trace holds; traces of one direction are of one length.
        rate_mbit_s: Rate in Mbit/s, Ethernet frames with their check sequence; None for no limit.
        queue_ms: Longest time that a frame waits for the line; None for no limit. Later ones are dropped.
        loss_pct: Share of the frames that are lost, in percent; with bursts at most b / (b + 1) of `burst_frames` b.
        burst_frames: Mean number of frames that are lost in a row; 1 for losses at random.
    """

    delay_ms: float = 0.0
    trace_ms: tuple[float, ...] = ()
    trace_mbit_s: tuple[float, ...] = ()
    trace_loss_pct: tuple[float, ...] = ()
    trace_step_s: float = 0.1
    rate_mbit_s: float | None = None
    queue_ms: float | None = None
    loss_pct: float = 0.0
    burst_frames: float = 1.0

    @property
    def mean_delay_ms(self) -> float:
        """Mean delay of a frame that does not wait, in ms."""
        return self.delay_ms + (sum(self.trace_ms) / len(self.trace_ms) if self.trace_ms else 0.0)

    @property
    def rates_mbit_s(self) -> tuple[float, ...]:
        """Rates that hold in turn, in Mbit/s; one where it is fixed, none without a limit."""
        return self.trace_mbit_s or (() if self.rate_mbit_s is None else (self.rate_mbit_s,))

    @property
    def losses_pct(self) -> tuple[float, ...]:
        """Shares of the frames that are lost in turn, in percent; one where it is fixed."""
        return self.trace_loss_pct or (self.loss_pct,)

    @property
    def trace_s(self) -> float:
        """Seconds after which its traces begin again; 0 where no value changes."""
        return self.trace_step_s * max(len(self.trace_ms), len(self.trace_mbit_s), len(self.trace_loss_pct))

    def check(self) -> None:
        """Refuse values that no link has.

        Raises:
            InvalidOption: A value is out of range, or two of them do not go together.
        """
        ranges = (
            ("delay_ms", self.delay_ms, 0.0, 10_000.0),
            *(("trace_ms", one, 0.0, 10_000.0) for one in self.trace_ms),
            *(("trace_mbit_s", one, 0.01, 10_000.0) for one in self.trace_mbit_s),
            *(("trace_loss_pct", one, 0.0, 100.0) for one in self.trace_loss_pct),
            ("trace_step_s", self.trace_step_s, 0.001, 3_600.0),
            ("rate_mbit_s", self.rate_mbit_s, 0.01, 10_000.0),
            ("queue_ms", self.queue_ms, 1.0, 60_000.0),
            ("loss_pct", self.loss_pct, 0.0, 99.0),
            ("burst_frames", self.burst_frames, 1.0, 1_000.0),
        )
        for name, value, low, high in ranges:
            if value is not None and not low <= value <= high:
                raise InvalidOption(CONDITION_OUT_OF_RANGE(name=name, value=value, low=low, high=high))
        # A frame that is not lost ends a burst: with losses in bursts, at least one of burst + 1 frames arrives.
        most_pct = 100.0 * self.burst_frames / (self.burst_frames + 1.0)
        if self.burst_frames > 1.0 and self.loss_pct > most_pct:
            raise InvalidOption(CONDITION_OUT_OF_RANGE(name="loss_pct", value=self.loss_pct, low=0.0, high=most_pct))
        self._check_traces()

    def _check_traces(self) -> None:
        lengths = [len(one) for one in (self.trace_ms, self.trace_mbit_s, self.trace_loss_pct) if one]
        if len(set(lengths)) > 1:
            raise InvalidOption(CONDITION_TRACES_DIFFER(lengths=", ".join(map(str, lengths))))
        exclusive = (
            ("trace_mbit_s", self.trace_mbit_s, "rate_mbit_s", self.rate_mbit_s is not None),
            ("trace_loss_pct", self.trace_loss_pct, "loss_pct", self.loss_pct > 0.0),
            ("trace_loss_pct", self.trace_loss_pct, "burst_frames", self.burst_frames > 1.0),
        )
        for trace, values, name, is_given in exclusive:
            if values and is_given:
                raise InvalidOption(CONDITION_KEYS_EXCLUDE(trace=trace, name=name))
        if self.trace_mbit_s and self.queue_ms is None:
            raise InvalidOption(CONDITION_NEEDS_QUEUE())


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a link.

    Attributes:
        name: Lower-case letters, digits and hyphens.
        title: For people.
        source: Where its values come from.
        a_to_b: From host A to host B.
        b_to_a: From host B to host A.
        seed: Of the random losses; the same seed loses the same frames.
    """

    name: str
    title: str
    source: str = ""
    a_to_b: LinkDirection = field(default_factory=LinkDirection)
    b_to_a: LinkDirection = field(default_factory=LinkDirection)
    seed: int = 1

    @property
    def rtt_ms(self) -> float:
        """Round-trip time of a frame that does not wait, in ms."""
        return self.a_to_b.mean_delay_ms + self.b_to_a.mean_delay_ms

    def check(self) -> None:
        """Refuse values that no link has.

        Raises:
            InvalidOption: A value is out of range.
        """
        self.a_to_b.check()
        self.b_to_a.check()

    def settings(self) -> dict[str, Any]:
        """Return what the link emulator is given."""
        return {"a_to_b": asdict(self.a_to_b), "b_to_a": asdict(self.b_to_a), "seed": self.seed}


class Quantity(StrEnum):
    """Quantity of a link that a condition is about."""

    RTT = "rtt"  # in ms
    RATE = "rate"  # in Mbit/s, Ethernet frames with their check sequence
    LOSS = "loss"  # in percent of the frames
    ORDER = "order"  # frames that arrived after a later one


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One quantity of the bare link, measured, against the one that was asked for.

    Attributes:
        quantity: Its kind, which also tells the unit.
        direction: `a_to_b` or `b_to_a`; empty for a round trip.
        asked: As asked for.
        measured: As measured.
        low: Of a loss: end of the 95 % interval of what was measured. Otherwise the lowest value that is accepted.
        high: Upper bound, as `low`.
        is_met: Whether both agree.
        asked_range: Of a rate or loss that changes over time: lowest and highest mean over a time as short as that in
            which it was measured, wherever in the trace it began; `asked` is the trace's mean. None if it is fixed.
    """

    quantity: Quantity
    direction: str
    asked: float
    measured: float
    low: float
    high: float
    is_met: bool
    asked_range: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class MeasuredCondition:
    """A condition as it was found on the bare link.

    Attributes:
        name: Name of the condition that was asked for.
        measured_at: UTC.
        checks: One per quantity and direction.
    """

    name: str
    measured_at: datetime
    checks: tuple[ConditionCheck, ...]

    @property
    def is_met(self) -> bool:
        """Whether the link was as asked for."""
        return all(one.is_met for one in self.checks)


def name_of(condition: Condition | None) -> str:
    """Return the name of a condition, AS_FOUND without one."""
    return AS_FOUND if condition is None else condition.name


def is_same_condition(one: Condition | None, other: Condition | None) -> bool:
    """Return whether two conditions have one name and the same values in both directions; None is a link as found."""
    if one is None or other is None:
        return one is other
    return (one.name, one.a_to_b, one.b_to_a) == (other.name, other.a_to_b, other.b_to_a)
