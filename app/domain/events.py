"""Events of a campaign, a comparison or a census, while it runs. Frozen, so that they can cross threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from app.domain.census import CensusPlan, OptionResult
from app.domain.interim import InterimResult
from app.domain.results import Attempt, AttemptKey, CampaignPlan, CampaignStatus

P = TypeVar("P")
A = TypeVar("A")


class Stage(StrEnum):
    """Stage of an attempt."""

    PREFLIGHT = "preflight"
    ARM = "arm"
    IDENTITY = "identity"
    APPLY = "apply"
    VERIFY = "verify"
    LATENCY = "latency"
    THROUGHPUT = "throughput"
    WORKLOAD = "workload"
    PACKET_TESTS = "wire"
    CLEANUP = "cleanup"


class LogLevel(StrEnum):
    """Level of a log line."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CampaignStarted(Generic[P, A]):
    """A campaign begins (or goes on, where `done` is not empty).

    Attributes:
        campaign_id: Number of the comparison or census.
        plan: What will be done.
        done: Attempts that need not be made again.
    """

    campaign_id: int
    plan: P
    done: tuple[A, ...]


@dataclass(frozen=True, slots=True)
class AttemptStarted:
    """An attempt begins."""

    key: AttemptKey
    title: str


@dataclass(frozen=True, slots=True)
class StageStarted:
    """An attempt goes on to its next stage. `detail` says more, for example `256 B`."""

    key: AttemptKey
    stage: Stage
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RttSamples:
    """Some round-trip times, in the order of sending.

    Attributes:
        key: The attempt.
        frame_bytes: Frame size in bytes.
        rtt_ms: In ms; NaN where no reply came.
    """

    key: AttemptKey
    frame_bytes: int
    rtt_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ThroughputSample:
    """One interval of TCP: `direction` is `a_to_b` or `b_to_a`; at_s counts from the start of that direction."""

    key: AttemptKey
    direction: str
    at_s: float
    mbit_s: float


@dataclass(frozen=True, slots=True)
class CpuSample:
    """CPU of one host over the last interval, all cores together are 100 %."""

    key: AttemptKey
    side: str
    at_s: float
    user_pct: float
    system_pct: float
    softirq_pct: float
    steal_pct: float


@dataclass(frozen=True, slots=True)
class AttemptEnded(Generic[A]):
    """An attempt ended; it is stored already. A later one at the same position of the plan takes its place."""

    attempt: A


@dataclass(frozen=True, slots=True)
class AttemptDropped:
    """Figures of an attempt that do not count: the link died meanwhile, or the hosts were too busy. It is repeated."""

    key: AttemptKey


@dataclass(frozen=True, slots=True)
class UnderlayChanged:
    """The bare link between the hosts carries nothing (any more), or carries frames again.

    Attributes:
        is_up: Whether frames cross.
        text: What happened, and what is done next, in words.
    """

    is_up: bool
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a campaign.

    Attributes:
        fraction: 0 to 1.
        left_s: Predicted seconds left, corrected by what was measured.
        text: What is happening, in one line.
    """

    fraction: float
    left_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The campaign waits between two steps, with the hosts clean; or goes on again.

    Attributes:
        is_paused: Whether it waits.
        reason: Why, as a sentence, where the user did not ask for it.
    """

    is_paused: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CycleEnded:
    """One pass of interleaved blocks over all open candidates ended.

    Attributes:
        round: Round, from 1.
        cycle: Cycle of the round, from 1.
        block_ms: Weighted latency of medians of each attempt's block, in ms.
        is_counted: Whether it counts; False where it was disturbed and is repeated.
    """

    round: int
    cycle: int
    block_ms: tuple[tuple[AttemptKey, float], ...]
    is_counted: bool


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round of an adaptive comparison ended."""

    result: InterimResult


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line for the log."""

    level: LogLevel
    text: str


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """A campaign ended.

    Attributes:
        campaign_id: Number in the database.
        status: How it ended.
        message: What happened where it did not complete.
        left: Why a host may not be restored, as a sentence; empty where both are.
    """

    campaign_id: int
    status: CampaignStatus
    message: str = ""
    left: str = ""


EventOf: TypeAlias = (
    CampaignStarted[P, A]
    | AttemptStarted
    | StageStarted
    | RttSamples
    | ThroughputSample
    | CpuSample
    | AttemptEnded[A]
    | AttemptDropped
    | UnderlayChanged
    | Progress
    | Paused
    | CycleEnded
    | RoundEnded
    | LogLine
    | CampaignEnded
)

Event = EventOf[CampaignPlan, Attempt]
"""Event of a comparison."""

CensusEvent = EventOf[CensusPlan, OptionResult]
"""Event of a census."""

EventSink = Callable[[Event], None]
"""Gets every event of a comparison, in the thread where it happened; must be quick and must not raise."""

CensusSink = Callable[[CensusEvent], None]
"""Gets every event of a census, as an EventSink those of a comparison."""
