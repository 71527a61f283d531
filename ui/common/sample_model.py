"""Live figures of a running comparison, fed from its threads and read by the plots.

Samples are stored in arrays that are made once. The reader pulls snapshots; there is no signal per sample.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.domain.events import (
    AttemptDropped,
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    CpuSample,
    CycleEnded,
    Event,
    LogLevel,
    LogLine,
    Paused,
    Progress,
    RoundEnded,
    RttSamples,
    Stage,
    StageStarted,
    ThroughputSample,
    UnderlayChanged,
)
from app.domain.hosts import DIRECTIONS
from app.domain.interim import InterimResult
from app.domain.results import Attempt, AttemptKey, AttemptStatus, CampaignPlan, CampaignStatus
from app.ranking.interim_field import references_of
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.candidate_rows import Key, Row, RowBook
from ui.common.growing_array import Columns, SampleRing, SizeBuffer
from ui.common.live_values import Figures, Status
from ui.common.ratio_model import RatioCurve, RatioModel
from ui.common.stage_texts import joined, stage_text

Floats = npt.NDArray[np.float64]

RECENT_S = 10.0
"""Time span of the plot of arriving round-trip times, in seconds."""

_RING_CAPACITY = 65_536
_SECONDS_CAPACITY = 4_096
MAX_LOG_LINES = 5_000
"""Older lines are dropped from the window's log; the log file of a run keeps all of them."""


_Point = tuple[float, float, float, float]
"""5th percentile, mean and 95th percentile in ms, and the number of replies."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Round-trip times of one candidate over frame size, in ms, and how many; arrays of one shape, ascending sizes."""

    key: Key
    frame_bytes: Floats
    mean_ms: Floats
    p5_ms: Floats
    p95_ms: Floats
    replies: Floats


class LiveModel:
    """Takes events from any thread; every reading method belongs to one reader.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._points: dict[tuple[Key, int], tuple[int, _Point]] = {}
        self.reset()

    def reset(self) -> None:
        """Forget everything; before another campaign."""
        with self._lock:
            self.plan: CampaignPlan | None = None
            self._buffers: dict[tuple[Key, int], SizeBuffer] = {}
            self._ratios = RatioModel()
            self._points.clear()
            self._recent = SampleRing(_RING_CAPACITY)
            self._throughput = {name: Columns(_SECONDS_CAPACITY, 2) for name in DIRECTIONS}
            self._cpu = {side: Columns(_SECONDS_CAPACITY, 5) for side in ("a", "b")}
            self._rows = RowBook()
            self._log: list[LogLine] = []
            self._dropped_lines = 0
            self._stage: tuple[str, float] | None = None
            self._running: tuple[Key, int] | None = None
            self._status = Status()
            self._attempt_began_at = 0.0
            self._last_reply_at: float | None = None
            self._sent = self._lost = 0
            self.version = 0
            """Grows with every event; a reader that has seen it needs nothing new."""

    # --- writing: any thread ------------------------------------------------------------------------------------------

    def feed(self, event: Event) -> None:
        """Take one event. Quick, and does not raise for what a campaign sends."""
        with self._lock:
            self.version += 1
            match event:
                case RttSamples():
                    self._take_rtts(event)
                case ThroughputSample():
                    self._throughput[event.direction].append((event.at_s, event.mbit_s))
                    self._rows.throughput(event)
                case CpuSample():
                    at_s = self._clock() - self._attempt_began_at
                    self._cpu[event.side].append(
                        (at_s, event.user_pct, event.system_pct, event.softirq_pct, event.steal_pct)
                    )
                case LogLine():
                    self._take_line(event)
                case CycleEnded():
                    self._ratios.take_cycle(event)
                case RoundEnded():
                    self._ratios.take_round(event)
                    self._rows.round_ended(event.result)
                case _:
                    self._take_state(event)

    def _take_state(self, event: Event) -> None:
        status = self._status
        match event:
            case CampaignStarted():
                self._start(event)
            case AttemptStarted():
                key = (event.key.solution, event.key.suite)
                self._forget_former_attempt()
                self._running = None
                self._attempt_began_at = self._clock()
                for size in self.plan.profile.frame_bytes if self.plan else ():
                    self._buffers[(key, size)].mark()
                self._rows.attempt_started(event)
                self._status = replace(status, running=key, is_link_down=False)
            case StageStarted():
                self._take_stage(event)
            case AttemptEnded():
                self._log_stage(None)
                self._rows.attempt_ended(event.attempt)
                self._ratios.take_attempt(event.attempt)
                if not event.attempt.latency and event.attempt.status is not AttemptStatus.NOT_RUN:
                    self._forget(event.attempt.key)
                self._status = replace(status, running=None)
            case AttemptDropped():
                self._log_stage(None)
                self._rows.attempt_dropped(event.key)
                self._ratios.forget(event.key)
                self._forget(event.key)
                self._status = replace(status, running=None)
            case UnderlayChanged():
                self._take_line(LogLine(LogLevel.INFO if event.is_up else LogLevel.WARNING, event.text))
                self._status = replace(status, is_link_down=not event.is_up)
            case Progress():
                self._status = replace(status, progress=event)
            case Paused():
                self._status = replace(status, is_paused=event.is_paused, pause_reason=event.reason)
            case CampaignEnded():
                self._rows.end(is_complete=event.status is CampaignStatus.COMPLETED)
                self._status = Status(status.progress, ended=event.status, message=event.message, left=event.left)
            case _:
                pass

    @property
    def _is_adaptive(self) -> bool:
        return self.plan is not None and self.plan.profile.is_adaptive

    def _take_stage(self, event: StageStarted) -> None:
        """Take a stage; all candidates of an adaptive comparison are up, and the load shown is that of one of them."""
        self._rows.stage(event)
        self._log_stage(event)
        if not self._is_adaptive:
            return
        if event.stage is Stage.THROUGHPUT:
            self._attempt_began_at = self._clock()
            for columns in (*self._throughput.values(), *self._cpu.values()):
                columns.clear()
        self._status = replace(self._status, running=(event.key.solution, event.key.suite))

    def _log_stage(self, event: StageStarted | None) -> None:
        """Write down how long the stage before took; None where the attempt is over."""
        if self._stage is not None:
            words, began_at = self._stage
            self._take_line(LogLine(LogLevel.INFO, f"{words}, {decimal(self._clock() - began_at, 1)} s"))
        self._stage = None
        if event is not None:
            title = self._rows.title((event.key.solution, event.key.suite))
            self._stage = f"{title}: {joined(stage_text(event.stage), local_text(event.detail))}", self._clock()

    def _start(self, event: CampaignStarted[CampaignPlan, Attempt]) -> None:
        self.plan = event.plan
        profile = event.plan.profile
        attempts_of = dict.fromkeys(((c.solution, c.suite) for c in event.plan.candidates), 0)
        for attempt_key in event.plan.attempts:
            attempts_of[(attempt_key.solution, attempt_key.suite)] += 1
        for key, attempts in attempts_of.items():
            for size in profile.frame_bytes:
                self._buffers[(key, size)] = SizeBuffer(max(1, attempts) * profile.pings)
        self._ratios.references = frozenset((one.solution, one.suite) for one in references_of(event.plan))
        self._rows.start(event.plan)
        for attempt in event.done:
            key = (attempt.key.solution, attempt.key.suite)
            for series in attempt.latency:
                if (key, series.frame_bytes) in self._buffers:
                    buffer = self._buffers[(key, series.frame_bytes)]
                    buffer.extend_us(series.rtt_us)
                    self._rows.rtts(key, series.frame_bytes, buffer.mean_ms())
            self._rows.attempt_ended(attempt)
            self._ratios.take_attempt(attempt)

    def _take_rtts(self, event: RttSamples) -> None:
        key = (event.key.solution, event.key.suite)
        buffer = self._buffers.get((key, event.frame_bytes))
        if buffer is None:
            return
        values = np.asarray(event.rtt_ms, dtype=np.float32)
        buffer.extend(values)
        self._last_reply_at = self._clock()
        self._recent.extend(self._last_reply_at, values)
        self._running = (key, event.frame_bytes)
        self._rows.rtts(key, event.frame_bytes, buffer.mean_ms())
        self._sent += values.size
        self._lost += int(np.isnan(values).sum())
        if not self._is_adaptive:
            self._rows.probing(key, event.frame_bytes)

    def _take_line(self, line: LogLine) -> None:
        self._log.append(line)
        if len(self._log) > MAX_LOG_LINES:
            surplus = MAX_LOG_LINES // 5
            del self._log[:surplus]
            self._dropped_lines += surplus

    def _forget_former_attempt(self) -> None:
        """Empty the plots of the running attempt: they must not show one candidate's figures in another's colour."""
        for columns in (*self._throughput.values(), *self._cpu.values()):
            columns.clear()
        self._recent.clear()

    def _forget(self, attempt: AttemptKey) -> None:
        key = (attempt.solution, attempt.suite)
        for size in self.plan.profile.frame_bytes if self.plan else ():
            buffer = self._buffers[(key, size)]
            buffer.forget_since_mark()
            self._rows.rtts(key, size, buffer.mean_ms())

    # --- reading: one reader ------------------------------------------------------------------------------------------

    def curves(self) -> tuple[Curve, ...]:
        """Return one curve per candidate that has samples; only sizes that changed are computed anew."""
        with self._lock:
            stale = {
                place: buffer.copy()
                for place, buffer in self._buffers.items()
                if buffer.count and self._points.get(place, (-1,))[0] != buffer.version
            }
            versions = {place: self._buffers[place].version for place in stale}
            filled = [place for place, buffer in self._buffers.items() if buffer.count]
        for place, values in stale.items():
            seen = values[~np.isnan(values)]
            if seen.size:
                low, high = np.percentile(seen, (5, 95))
                mean = seen.mean(dtype=np.float64)
                self._points[place] = (versions[place], (float(low), float(mean), float(high), float(seen.size)))
        by_key: dict[Key, list[tuple[int, _Point]]] = {}
        for key, size in filled:
            if (key, size) in self._points:
                by_key.setdefault(key, []).append((size, self._points[(key, size)][1]))
        return tuple(_curve(key, sorted(points)) for key, points in by_key.items())

    def ratios(self) -> tuple[RatioCurve, ...]:
        """Return the ratios of an adaptive comparison's candidates; none for another one."""
        with self._lock:
            return self._ratios.curves()

    def interim(self) -> InterimResult | None:
        """Return the newest interim result of an adaptive comparison."""
        with self._lock:
            return self._ratios.result

    def recent(self) -> tuple[Floats, Floats]:
        """Return (seconds before now, negative; round-trip times in ms, NaN where lost) of the last RECENT_S.

        After the end it is the time of the last reply instead of now: what was measured last remains on show.
        """
        with self._lock:
            last = self._last_reply_at if self._status.ended is not None else None
            return self._recent.since(self._clock() if last is None else last, RECENT_S)

    def figures(self) -> Figures:
        """Return percentiles of the size that is being probed, over all its samples."""
        with self._lock:
            if self._is_adaptive:
                return Figures(None, self._sent, 0, self._lost, *(4 * (float("nan"),)))
            running = self._running
            values = self._buffers[running].copy_since_mark() if running is not None else np.empty(0, np.float32)
            pings = self.plan.profile.pings if self.plan else 0
        seen = values[~np.isnan(values)]
        nan = float("nan")
        p50, p95, p99, worst = np.percentile(seen, (50, 95, 99, 100)) if seen.size else (nan, nan, nan, nan)
        return Figures(
            frame_bytes=running[1] if running else None,
            count=int(values.size),
            expected=pings,
            lost=int(values.size - seen.size),
            p50_ms=float(p50),
            p95_ms=float(p95),
            p99_ms=float(p99),
            max_ms=float(worst),
        )

    def running_key(self) -> Key | None:
        """Return the candidate that is being measured, or was last."""
        with self._lock:
            return self._status.running or (self._running[0] if self._running else None)

    def throughput(self, direction: str) -> Floats:
        """Return rows (seconds, Mbit/s) of one direction of the running attempt, shape (n, 2)."""
        with self._lock:
            return self._throughput[direction].copy()

    def cpu(self, side: str) -> Floats:
        """Return rows (seconds, user, system, softirq, steal in percent) of one host, shape (n, 5)."""
        with self._lock:
            return self._cpu[side].copy()

    def rows(self) -> tuple[Row, ...]:
        """Return the table of candidates."""
        with self._lock:
            return self._rows.rows()

    def status(self) -> Status:
        """Return the state of the campaign."""
        with self._lock:
            return self._status

    def log_since(self, position: int) -> tuple[tuple[LogLine, ...], int]:
        """Return log lines from a position on, and the position for the next call."""
        with self._lock:
            end = self._dropped_lines + len(self._log)
            return tuple(self._log[max(0, position - self._dropped_lines) :]), end


def _curve(key: Key, points: list[tuple[int, _Point]]) -> Curve:
    bands = np.array([point[1] for point in points], dtype=np.float64)
    sizes = np.array([point[0] for point in points], dtype=np.float64)
    return Curve(key, sizes, mean_ms=bands[:, 1], p5_ms=bands[:, 0], p95_ms=bands[:, 2], replies=bands[:, 3])
