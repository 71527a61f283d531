"""Values of a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.controllers import Arrivals, ControllerAdvice, RestartOutage
from app.domain.gates import Gate
from app.domain.results import AttemptStatus
from app.domain.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """One frame size over all rounds. Times in ms; None where nothing was received."""

    frame_bytes: int
    sent: int
    received: int
    duplicates: int
    mean_ms: float | None
    p5_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float | None
    stdev_ms: float | None
    over_deadline_pct: float | None
    note: str = ""
    jitter_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over rounds with its 95 % interval; `ci` is None with fewer than two rounds."""

    mean: float
    ci: tuple[float, float] | None
    rounds: int


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio with its interval, which excludes 1 where a test finds a difference, if not only there.

    The interval is None with one round.
    """

    value: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper bound; None where they are unknown, and of the candidate that the others are compared to."""
        if self.low is None or self.high is None or self.low == self.value == self.high:
            return None
        return self.low, self.high


class BarrierReason(StrEnum):
    """Reason that bars a candidate from the recommendation."""

    UNPROTECTED = "unprotected"
    NOT_MEASURED = "not-measured"
    FAILED_ROUND = "failed-round"
    VERDICT = "verdict"
    FRAME_SIZES = "frame-sizes"
    PACKET_TEST = "packet-test"
    LOSS = "loss"
    DEADLINE = "deadline"
    RATE = "rate"
    GATE = "gate"


@dataclass(frozen=True, slots=True)
class Barrier:
    """Reason that bars a candidate from the recommendation.

    Attributes:
        reason: Stable code.
        words: What follows the candidate's title in a sentence, without a full stop.
        measured: What its measurement shows against one that is never deployed, the packet test left out; None for
            nothing, and for others.
    """

    reason: BarrierReason
    words: str
    measured: Barrier | None = None


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """All results of one candidate.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        title: For people.
        verdict: The worst of its findings.
        is_unprotected: Whether it is a reference.
        status: `completed` if at least one round was.
        reason: Reason code where no round completed.
        message: The same as a sentence.
        latency: One summary per frame size.
        weighted_latency_ms: Over rounds, in ms; None where a size did not cross.
        throughput_mbit_s: By direction, over rounds.
        cpu_pct: By `a` and `b`, during throughput, over rounds.
        cpu_pct_per_mbit_s: CPU percent of both hosts together per Mbit/s, over rounds.
        latency_vs_baseline: Weighted latency divided by the baseline's.
        throughput_vs_baseline: Mean of both directions divided by the baseline's.
        cpu_per_mbit_s_vs_baseline: The same for CPU per Mbit/s.
        setup_s: Mean seconds to build.
        cleanup_s: Mean seconds to remove.
        doubts: As sentences.
        stage: Where no round completed: the stage in which the attempt ended that the figures are of, or the last one.
        loss_pct: Echo requests without a reply, of all sizes and rounds together, in percent; None if none was sent.
        barrier: What bars it from the recommendation; None if nothing does.
        ratio_to_best: Its latency over that of the fastest ranked candidate, by medians; None without a rank.
        gates: The worst verdict of each gate over its rounds.
        late_pct: Echo requests without a reply before the deadline, in percent; None without a deadline.
        cpu_at_rate_pct: CPU percent of both hosts together while TCP ran at `rate_mbit_s`; None where it did not.
        rate_mbit_s: The rate of that test in Mbit/s, the same for all candidates.
        is_dominated: Whether another candidate that can be recommended is better in something and worse in nothing;
            None where it cannot be recommended, or nothing can.
        arrivals: Extremes of the round trips of short frames; None where too few were answered.
        controllers: Smallest safe settings of controllers, from these.
        restart_outage: Outages after a restart of the VPN on one host; None where the workload was not run.
        jitter_ms: Mean difference of successive round-trip times in ms, weighted over the sizes as the latency is; None
            where a size has none.
    """

    solution: str
    suite: str
    title: str
    verdict: Verdict
    is_unprotected: bool
    status: AttemptStatus
    reason: str
    message: str
    latency: tuple[LatencySummary, ...]
    weighted_latency_ms: Estimate | None
    throughput_mbit_s: Mapping[str, Estimate]
    cpu_pct: Mapping[str, Estimate]
    cpu_pct_per_mbit_s: Estimate | None
    latency_vs_baseline: float | None
    throughput_vs_baseline: float | None
    cpu_per_mbit_s_vs_baseline: float | None
    setup_s: float | None
    cleanup_s: float | None
    doubts: tuple[str, ...] = ()
    stage: str = ""
    loss_pct: float | None = None
    barrier: Barrier | None = None
    ratio_to_best: Ratio | None = None
    gates: tuple[Gate, ...] = ()
    late_pct: float | None = None
    cpu_at_rate_pct: Estimate | None = None
    rate_mbit_s: float | None = None
    is_dominated: bool | None = None
    arrivals: Arrivals | None = None
    controllers: tuple[ControllerAdvice, ...] = ()
    jitter_ms: float | None = None
    restart_outage: RestartOutage | None = None

    @property
    def is_partial(self) -> bool:
        """Whether there are figures although no round completed: they are shown, and not ranked."""
        return self.status is not AttemptStatus.COMPLETED and bool(self.latency or self.throughput_mbit_s)


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A place in the ranking.

    Attributes:
        rank: One more than the number of candidates that are faster beyond chance. None for references and for
            candidates without a figure.
        solution: Solution's name.
        suite: Suite's name.
        tied_with: Titles of those that do not differ from it significantly, of whatever rank.
    """

    rank: int | None
    solution: str
    suite: str
    tied_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """Largest change of the baseline while a comparison ran, in percent; None if unknown.

    Attributes:
        latency_pct: Of its latency.
        throughput_pct: Of its throughput.
        sentence: The same for people, with the figures that a large change spoils.
        is_interleaved: Whether all candidates were measured in turn with it, block by block: its change is in the mean
            latencies that are shown, and in no ratio of latencies.
    """

    latency_pct: float | None
    throughput_pct: float | None
    sentence: str
    is_interleaved: bool = False


class AdviceKind(StrEnum):
    """Certainty of a recommendation."""

    CLEAR = "clear"  # faster than all others beyond chance
    AS_GOOD_AS = "as-good-as"  # others are within 10 %, and something else decides
    NOT_DECIDED = "not-decided"  # only the first among those between which the figures do not decide
    NONE = "none"  # nothing can be recommended


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Recommended candidate, with the reason.

    Attributes:
        solution: None where nothing can be recommended.
        suite: Its suite.
        sentence: Which, by how much, why, how sure; then which candidates were not compared.
        reasons: What speaks for it.
        cautions: What speaks against it, or makes it doubtful.
        is_clear: Whether something that was measured or judged tells it from the others; else it is only the first
            among candidates between which no difference was shown.
        kind: The same in four words.
        minutes_to_decide: How long measuring on would probably take until it is decided; None where it is, or where
            no number of rounds that can be planned would do.
        alternative: Sentence that names the candidate to take where throughput counts more than latency; empty where
            there is none.
    """

    solution: str | None
    suite: str | None
    sentence: str
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    is_clear: bool = True
    kind: AdviceKind = AdviceKind.NONE
    minutes_to_decide: int | None = None
    alternative: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Results in order, with what follows from them."""

    results: tuple[CandidateResult, ...]
    ranking: tuple[RankedCandidate, ...]
    recommendation: Recommendation
    drift: Drift
    rounds: int
    doubts: tuple[str, ...]
