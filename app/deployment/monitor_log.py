"""Log of a monitored pair: round-trip times, losses of the tunnel and their ends, limits that were exceeded.

Window and command line judge with it alike. Texts that come from a host are untrusted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from app.deployment.messages import (
    CANNOT_BE_ASKED,
    HAD_NO_ANSWER,
    LOSS_ABOVE,
    LOSS_AGAIN,
    LOST_BETWEEN,
    NO_ANSWER_ON,
    RTT_ABOVE,
    RTT_AGAIN,
    SILENT_HOST,
    SILENT_HOSTS,
    TUNNEL_LOST,
    UP_AGAIN,
    WATCHING_BEGINS,
)
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.domain.messages.lists import enumerated
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
        hosts = (status.a, status.b)
        losses = [host.loss_pct for host in hosts if host.loss_pct is not None]
        sample = MonitorSample(status.at, (status.a.rtt_ms, status.b.rtt_ms), max(losses, default=None))
        self.samples.append(sample)
        former = self._health
        new = self._judge(status.at, *_health(hosts))
        noted = self._noted_since(hosts)
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
            form = TUNNEL_LOST if health is Health.LOST else CANNOT_BE_ASKED
            return [MonitorLine(at, form(why=why), is_bad=True)]
        if former is None or away_s is None:
            return [MonitorLine(at, WATCHING_BEGINS(), is_bad=False)]
        return [MonitorLine(at, UP_AGAIN(lasted=duration_text(away_s)), is_bad=False)]

    def _end_loss(self, at: datetime) -> float | None:
        if not self.losses or self.losses[-1].lasted_s is not None:
            return None
        lasted_s = (at - self.losses[-1].began_at).total_seconds()
        self.losses[-1] = replace(self.losses[-1], lasted_s=lasted_s)
        return lasted_s

    def _noted_since(self, hosts: Sequence[EndpointStatus]) -> list[tuple[float, str, datetime]]:
        """Return the losses that the hosts saw themselves since the last check: how long, by which host, from when."""
        new: list[tuple[float, str, datetime]] = []
        for host in hosts:
            if not host.is_reachable:
                continue
            known = self._noted.get(host.side)
            ended = {one.began_at: one.lasted_s for one in host.outages if one.lasted_s is not None}
            self._noted[host.side] = frozenset(ended)
            if known is not None:
                new += [(lasted_s, host.label, at) for at, lasted_s in ended.items() if at not in known]
        return new

    def _between(self, at: datetime, noted: list[tuple[float, str, datetime]]) -> list[MonitorLine]:
        if not noted:
            return []
        # Both hosts note the same loss; the longer one is reported, the other one not, if it arrives a check later.
        lasted_s, label, began_at = max(noted)
        lost_until = self.losses[-1].ended_at if self.losses else None
        if lost_until is not None and began_at <= lost_until <= at:
            return []
        why = HAD_NO_ANSWER(host=label)
        self.losses.append(Loss(began_at, Health.LOST, why, lasted_s))
        return [MonitorLine(at, LOST_BETWEEN(lasted=duration_text(lasted_s), why=why), is_bad=True)]

    def _limits(self, sample: MonitorSample, limits: MonitorLimits) -> list[MonitorLine]:
        rtt_ms = max((value for value in sample.rtt_ms if value is not None), default=None)
        values = (
            (RTT_ABOVE, RTT_AGAIN, rtt_ms, limits.rtt_ms),
            (LOSS_ABOVE, LOSS_AGAIN, sample.loss_pct, limits.loss_pct),
        )
        new = []
        for above, again, value, limit in values:
            if limit is None or value is None:
                self._beyond -= {above.code}
            elif value > limit and above.code not in self._beyond:
                self._beyond |= {above.code}
                new.append(MonitorLine(sample.at, above(value=value, limit=limit), is_bad=True))
            elif value <= limit and above.code in self._beyond:
                self._beyond -= {above.code}
                new.append(MonitorLine(sample.at, again(value=value), is_bad=False))
        return new


def _health(hosts: Sequence[EndpointStatus]) -> tuple[Health, str]:
    away = [host.label for host in hosts if not host.is_reachable]
    if away:
        return Health.UNREACHABLE, (SILENT_HOSTS if len(away) > 1 else SILENT_HOST)(hosts=enumerated(away))
    down = [host.label for host in hosts if not (host.is_up or host.is_waiting)]
    if down:
        return Health.LOST, NO_ANSWER_ON(hosts=enumerated(down))
    return Health.UP, ""
