"""Arrays that grow without being made anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.domain.results import LOST_RTT_US

_MAX_SPREAD_S = 0.5


class SizeBuffer:
    """Round-trip times of one candidate and frame size.

    Args:
        capacity: Most samples there can be; more are dropped.
    """

    def __init__(self, capacity: int) -> None:
        self._values = np.empty(capacity, dtype=np.float32)
        self._mark = 0
        self._sum_ms = 0.0
        self._received = 0
        self.count = 0
        self.version = 0

    def extend(self, rtt_ms: npt.NDArray[np.float32]) -> None:
        """Append times in ms, NaN where lost."""
        room = rtt_ms[: self._values.size - self.count]
        self._values[self.count : self.count + room.size] = room
        self.count += room.size
        seen = room[~np.isnan(room)]
        self._sum_ms += float(seen.sum(dtype=np.float64))
        self._received += seen.size
        self.version += 1

    def extend_us(self, rtt_us: npt.NDArray[np.uint32]) -> None:
        """Append times in whole µs as they are stored."""
        values = rtt_us.astype(np.float32) / np.float32(1000)
        values[rtt_us == LOST_RTT_US] = np.nan
        self.extend(values)

    def mean_ms(self) -> float | None:
        """Return the mean of what was received; None if nothing was."""
        return self._sum_ms / self._received if self._received else None

    def mark(self) -> None:
        """Remember where an attempt begins."""
        self._mark = self.count

    def forget_since_mark(self) -> None:
        """Drop what an attempt left that does not count."""
        kept = self._values[: self._mark].copy()
        self.count, self._sum_ms, self._received = 0, 0.0, 0
        self.extend(kept)

    def copy(self) -> npt.NDArray[np.float32]:
        """Return everything."""
        return self._values[: self.count].copy()

    def copy_since_mark(self) -> npt.NDArray[np.float32]:
        """Return what the running attempt has brought."""
        return self._values[self._mark : self.count].copy()


class SampleRing:
    """The latest samples with the time at which they arrived.

    Args:
        capacity: How many are kept.
    """

    def __init__(self, capacity: int) -> None:
        self._at_s = np.empty(capacity, dtype=np.float64)
        self._values = np.empty(capacity, dtype=np.float64)
        self._written = 0
        self._last_s = 0.0

    def clear(self) -> None:
        """Clear the array."""
        self._written = 0

    def extend(self, now_s: float, values: npt.NDArray[np.float32]) -> None:
        """Append a batch that arrived now; its samples are spread over the time since the batch before."""
        capacity = self._values.size
        values = values[-capacity:]
        since_s = max(self._last_s, now_s - _MAX_SPREAD_S) if self._written else now_s
        places = (self._written + np.arange(values.size)) % capacity
        self._at_s[places] = np.linspace(since_s, now_s, values.size + 1)[1:]
        self._values[places] = values
        self._written += values.size
        self._last_s = now_s

    def since(self, now_s: float, seconds: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return (time relative to now in s, value) of what is not older than that, oldest first."""
        capacity = self._values.size
        held = min(self._written, capacity)
        places = (self._written - held + np.arange(held)) % capacity
        at_s = self._at_s[places] - now_s
        fresh = at_s >= -seconds
        return at_s[fresh], self._values[places][fresh]


class Columns:
    """Rows of numbers.

    Args:
        capacity: Most rows; when it is full, the older half is dropped.
        width: Numbers per row.
    """

    def __init__(self, capacity: int, width: int) -> None:
        self._rows = np.empty((capacity, width), dtype=np.float64)
        self._count = 0

    def append(self, row: Sequence[float]) -> None:
        """Add one row."""
        if self._count == len(self._rows):
            half = self._count // 2
            self._rows[:half] = self._rows[self._count - half : self._count]
            self._count = half
        self._rows[self._count] = row
        self._count += 1

    def clear(self) -> None:
        """Clear the array."""
        self._count = 0

    def copy(self) -> npt.NDArray[np.float64]:
        """Return all rows."""
        return self._rows[: self._count].copy()
