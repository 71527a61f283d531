"""Log of a monitored pair: round-trip times, losses of the tunnel and their ends, limits that were exceeded.

Window and command line judge with it alike. Texts that come from a host are untrusted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.wording.durations import duration_text

MOST_SAMPLES = 720
"""Status checks of an hour, one in five seconds."""
MOST_LINES = 500


class Health(StrEnum):
    """State of a pair at a status check."""

    UP = "up"
    LOST = "lost"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class MonitorLimits:
    """Limits above which the user is warned; None for no limit.

    Attributes:
        rtt_ms: Round-trip time in ms.
        loss_pct: Lost echo requests in percent.
    """

    rtt_ms: float | None = None
    loss_pct: float | None = None


@dataclass(frozen=True, slots=True)
class MonitorSample:
    """One status check.

    Attributes:
        at: When, UTC.
        rtt_ms: As A and as B see it; None where nothing answered.
        loss_pct: The worse of the two; None where none was sent.
    """

    at: datetime
    rtt_ms: tuple[float | None, float | None]
    loss_pct: float | None


@dataclass(frozen=True, slots=True)
class MonitorLine:
    """A line of the log. `is_bad`: whether the user is warned at once."""

    at: datetime
    text: str
    is_bad: bool


@dataclass(frozen=True, slots=True)
class Loss:
    """A time in which nothing came through the tunnel, or in which a host could not be asked.

    Attributes:
        began_at: The check at which it was seen first, UTC; for what a host alone has seen, by that host's clock.
        health: Which of the two.
        why: What was seen, as a sentence.
        lasted_s: For how long, in seconds; None while it lasts.
    """

    began_at: datetime
    health: Health
    why: str
    lasted_s: float | None = None

    @property
    def ended_at(self) -> datetime | None:
        """When it was over, UTC; None while it lasts."""
        return self.began_at + timedelta(seconds=self.lasted_s) if self.lasted_s is not None else None


@dataclass
class MonitorLog:
    """Log of one monitored pair."""

    samples: deque[MonitorSample] = field(default_factory=lambda: deque(maxlen=MOST_SAMPLES))
    lines: deque[MonitorLine] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    losses: deque[Loss] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    _health: Health | None = None
    _beyond: frozenset[str] = frozenset()
    _noted: dict[Side, frozenset[datetime]] = field(default_factory=dict)

    @property
    def health(self) -> Health | None:
        """State at the last check; None before the first."""
        return self._health

    def take(self, status: PairStatus, limits: MonitorLimits) -> tuple[MonitorLine, ...]:
        """Remember how a pair was; return what is new."""
        ends = (status.a, status.b)
        losses = [end.loss_pct for end in ends if end.loss_pct is not None]
        sample = MonitorSample(status.at, (status.a.rtt_ms, status.b.rtt_ms), max(losses, default=None))
        self.samples.append(sample)
        former = self._health
        new = self._judge(status.at, *_health(ends))
        noted = self._noted_since(ends)
        if self._health is Health.UP:
            if former is not Health.LOST:
                new += self._between(status.at, noted)
            new += self._limits(sample, limits)
        self.lines.extend(new)
        return tuple(new)

    def fail(self, at: datetime, sentence: str) -> tuple[MonitorLine, ...]:
        """Remember that a pair could not be asked; return what is new."""
        self.samples.append(MonitorSample(at, (None, None), None))
        new = self._judge(at, Health.UNREACHABLE, sentence)
        self.lines.extend(new)
        return tuple(new)

    def _judge(self, at: datetime, health: Health, why: str) -> list[MonitorLine]:
        former = self._health
        if health is former:
            return []
        self._health = health
        away_s = self._end_loss(at)
        if health is not Health.UP:
            self.losses.append(Loss(at, health, why))
            word = "Tunnel lost" if health is Health.LOST else "Cannot be asked"
            return [MonitorLine(at, f"{word}: {why}", is_bad=True)]
        if former is None or away_s is None:
            return [MonitorLine(at, "Watching begins; the tunnel is up.", is_bad=False)]
        return [MonitorLine(at, f"The tunnel is up again after {duration_text(away_s)}.", is_bad=False)]

    def _end_loss(self, at: datetime) -> float | None:
        if not self.losses or self.losses[-1].lasted_s is not None:
            return None
        lasted_s = (at - self.losses[-1].began_at).total_seconds()
        self.losses[-1] = replace(self.losses[-1], lasted_s=lasted_s)
        return lasted_s

    def _noted_since(self, ends: Sequence[EndpointStatus]) -> list[tuple[float, str, datetime]]:
        """Return the losses that the hosts saw themselves since the last check: how long, by which host, from when."""
        new: list[tuple[float, str, datetime]] = []
        for end in ends:
            if not end.is_reachable:
                continue
            known = self._noted.get(end.side)
            ended = {one.began_at: one.lasted_s for one in end.outages if one.lasted_s is not None}
            self._noted[end.side] = frozenset(ended)
            if known is not None:
                new += [(lasted_s, end.label, at) for at, lasted_s in ended.items() if at not in known]
        return new

    def _between(self, at: datetime, noted: list[tuple[float, str, datetime]]) -> list[MonitorLine]:
        if not noted:
            return []
        # Both hosts note the same loss; the longer one is reported, the other one not, if it arrives a check later.
        lasted_s, label, began_at = max(noted)
        told_until = self.losses[-1].ended_at if self.losses else None
        if told_until is not None and began_at <= told_until <= at:
            return []
        why = f"{label} had no answer through it."
        self.losses.append(Loss(began_at, Health.LOST, why, lasted_s))
        return [MonitorLine(at, f"Tunnel lost for {duration_text(lasted_s)} between two checks: {why}", is_bad=True)]

    def _limits(self, sample: MonitorSample, limits: MonitorLimits) -> list[MonitorLine]:
        rtt_ms = max((value for value in sample.rtt_ms if value is not None), default=None)
        values = (
            ("Round-trip time", rtt_ms, limits.rtt_ms, "{:.2f} ms"),
            ("Loss", sample.loss_pct, limits.loss_pct, "{:.0f} %"),
        )
        new = []
        for title, value, limit, form in values:
            if limit is None or value is None:
                self._beyond -= {title}
            elif value > limit and title not in self._beyond:
                self._beyond |= {title}
                text = f"{title} is {form.format(value)}, above {_limit_text(limit, form)}."
                new.append(MonitorLine(sample.at, text, is_bad=True))
            elif value <= limit and title in self._beyond:
                self._beyond -= {title}
                new.append(MonitorLine(sample.at, f"{title} is {form.format(value)} again.", is_bad=False))
        return new


def _limit_text(limit: float, form: str) -> str:
    return form.format(limit) if form.startswith("{:.2f}") or limit == round(limit) else f"{limit:g} %"


def _health(ends: Sequence[EndpointStatus]) -> tuple[Health, str]:
    away = [end.label for end in ends if not end.is_reachable]
    if away:
        words = "do not answer" if len(away) > 1 else "does not answer"
        return Health.UNREACHABLE, f"{' and '.join(away)} {words} over SSH."
    down = [end.label for end in ends if not (end.is_up or end.is_waiting)]
    if down:
        return Health.LOST, f"no answer through it on {' and '.join(down)}."
    return Health.UP, ""
