"""Values that the live model of a running comparison gives to its readers."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.events import Progress
from app.domain.results import CampaignStatus
from ui.common.candidate_rows import Key


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of the frame size that is being probed.

    Attributes:
        frame_bytes: In bytes; None before the first sample, and of an adaptive comparison, which probes all in turn.
        count: Requests that have ended; of an adaptive comparison those of all candidates and sizes.
        expected: Requests in all; 0 where no number is fixed.
        lost: Requests without reply.
        p50_ms: In ms, like the rest; NaN without samples.
    """

    frame_bytes: int | None
    count: int
    expected: int
    lost: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class Status:
    """State of the campaign.

    Attributes:
        progress: Its progress.
        is_paused: Whether it waits for the user.
        pause_reason: Why it waits, where the user did not ask for it.
        running: The candidate that is being measured.
        ended: How it ended.
        message: What happened where it did not complete.
        left: Why a host may not be restored after it; empty where both are.
        is_link_down: Whether it waits for the link between the hosts.
    """

    progress: Progress | None = None
    is_paused: bool = False
    running: Key | None = None
    ended: CampaignStatus | None = None
    message: str = ""
    is_link_down: bool = False
    pause_reason: str = ""
    left: str = ""
