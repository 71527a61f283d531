"""Pace of made-up work, which tests change while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.cancel import CancelToken

HELD_AFTER = 12
"""Batches of samples after which a comparison waits in its first attempt, in the second size of frames."""
_STEP_S = 0.02


@dataclass(kw_only=True)
class FakePace:
    """Pauses of made-up work. A test that wants to see the middle of it holds it there: it may be slower than the work.

    Attributes:
        pace_s: Seconds between two batches of samples; a pause ends as soon as this is less than it lasts.
        holds_after: After so many batches of samples the work waits until this is None; a second of a transfer is one.
    """

    pace_s: float = 0.0
    holds_after: int | None = None
    _batches: int = field(default=0, init=False)

    def pause(self, token: CancelToken) -> None:
        """Wait as long as the pace says."""
        token.sleep(0.0)
        waited_s = 0.0
        while waited_s < self.pace_s:
            step_s = min(_STEP_S, self.pace_s - waited_s)
            token.sleep(step_s)
            waited_s += step_s

    def pause_after_batch(self, token: CancelToken) -> None:
        """Wait as long as the pace says, and as long as the work is held."""
        self._batches += 1
        self.pause(token)
        while self.holds_after is not None and self._batches > self.holds_after:
            token.sleep(_STEP_S)
