"""What watching a pair remembers: round-trip times, when the tunnel was lost, when a limit was passed. No Qt."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.domain.hosts import Side
from app.domain.rollout_status import EndStatus, PairStatus
from ui.texts import duration, ms, pct, tr

MOST_SAMPLES = 720
"""An hour at one look in five seconds."""
MOST_LINES = 500


class Health(StrEnum):
    """How a pair was when it was looked at."""

    UP = "up"
    LOST = "lost"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Limits:
    """When the user wants to be told; None where not.

    Attributes:
        rtt_ms: Round-trip time in ms.
        loss_pct: Lost echo requests in percent.
    """

    rtt_ms: float | None = None
    loss_pct: float | None = None


@dataclass(frozen=True, slots=True)
class WatchSample:
    """One look.

    Attributes:
        at: When, UTC.
        rtt_ms: As A and as B see it; None where nothing answered.
        loss_pct: The worse of the two; None where none was sent.
    """

    at: datetime
    rtt_ms: tuple[float | None, float | None]
    loss_pct: float | None


@dataclass(frozen=True, slots=True)
class WatchLine:
    """Something to remember. `is_bad` is whether the user is to be told at once."""

    at: datetime
    text: str
    is_bad: bool


@dataclass
class WatchLog:
    """Everything that was seen of one pair while it was watched."""

    samples: deque[WatchSample] = field(default_factory=lambda: deque(maxlen=MOST_SAMPLES))
    lines: deque[WatchLine] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    _health: Health | None = None
    _since: datetime | None = None
    _beyond: frozenset[str] = frozenset()

    def take(self, status: PairStatus, limits: Limits) -> tuple[WatchLine, ...]:
        """Remember how a pair was; return what is new."""
        ends = (status.a, status.b)
        losses = [end.loss_pct for end in ends if end.loss_pct is not None]
        sample = WatchSample(status.at, (status.a.rtt_ms, status.b.rtt_ms), max(losses, default=None))
        self.samples.append(sample)
        new = self._judge(status.at, *_health(ends))
        if self._health is Health.UP:
            new += self._limits(sample, limits)
        self.lines.extend(new)
        return tuple(new)

    def fail(self, at: datetime, sentence: str) -> tuple[WatchLine, ...]:
        """Remember that a pair could not be asked; return what is new."""
        self.samples.append(WatchSample(at, (None, None), None))
        new = self._judge(at, Health.UNREACHABLE, sentence)
        self.lines.extend(new)
        return tuple(new)

    def _judge(self, at: datetime, health: Health, why: str) -> list[WatchLine]:
        former, since = self._health, self._since
        if health is former:
            return []
        self._health, self._since = health, at
        if health is not Health.UP:
            word = tr("Tunnel lost") if health is Health.LOST else tr("Cannot be asked")
            return [WatchLine(at, f"{word}: {why}", is_bad=True)]
        if former is None or since is None:
            return [WatchLine(at, tr("Watching begins; the tunnel is up."), is_bad=False)]
        away = duration((at - since).total_seconds())
        return [WatchLine(at, tr("The tunnel is up again after %1.").replace("%1", away), is_bad=False)]

    def _limits(self, sample: WatchSample, limits: Limits) -> list[WatchLine]:
        seen = [value for value in sample.rtt_ms if value is not None]
        rtt_ms = max(seen, default=None)
        values = {
            "rtt": (rtt_ms, limits.rtt_ms, tr("Round-trip time"), ms),
            "loss": (sample.loss_pct, limits.loss_pct, tr("Loss"), pct),
        }
        new = []
        for name, (value, limit, title, words) in values.items():
            if limit is None or value is None:
                self._beyond -= {name}
            elif value > limit and name not in self._beyond:
                self._beyond |= {name}
                text = tr("%1 is %2, above %3.").replace("%1", title).replace("%2", words(value))
                new.append(WatchLine(sample.at, text.replace("%3", words(limit)), is_bad=True))
            elif value <= limit and name in self._beyond:
                self._beyond -= {name}
                text = tr("%1 is %2 again.").replace("%1", title).replace("%2", words(value))
                new.append(WatchLine(sample.at, text, is_bad=False))
        return new


def _health(ends: Sequence[EndStatus]) -> tuple[Health, str]:
    away = [end.label for end in ends if not end.is_reachable]
    if away:
        return Health.UNREACHABLE, tr("%1 does not answer over SSH.").replace("%1", ", ".join(away))
    down = [end.label for end in ends if not end.is_up]
    if down:
        return Health.LOST, tr("no answer through it on %1.").replace("%1", ", ".join(down))
    return Health.UP, ""


def end_of(status: PairStatus, side: Side) -> EndStatus:
    """Return how one host is."""
    return status.a if side is Side.A else status.b
