"""Results of measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.domain.capture import CaptureReport
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.declared import comparison_only
from app.domain.gates import HostReadings
from app.domain.hosts import HostFacts, PairSpec
from app.domain.path_note import PathNote
from app.domain.profiles import Profile
from app.domain.verdicts import Finding, PostQuantum, Verdict
from app.domain.workloads import TRANSFER_MB, WorkloadResult

CandidateId: TypeAlias = tuple[str, str]
"""Names of solution and suite."""


class AttemptStatus(StrEnum):
    """Outcome of an attempt."""

    COMPLETED = "completed"
    FAILED = "failed"
    NOT_RUN = "not-run"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class LatencySeries:
    """Echo requests of one frame size.

    Attributes:
        frame_bytes: Ethernet frame size in bytes without FCS.
        sent: Echo requests sent.
        received: Requests that were answered at least once.
        duplicates: Replies beyond the first.
        rtt_us: Round-trip times in microseconds, one per sent request in the order of sending, shape (sent,), dtype
            uint32; LOST where no reply came. An integer number of µs is exactly what ping prints at best. Blocks have
            LOST for requests that were not sent as well, see `Block.sent`.
        note: Why this size did not cross, or any other doubt; empty if there is none.
    """

    frame_bytes: int
    sent: int
    received: int
    duplicates: int
    rtt_us: npt.NDArray[np.uint32]
    note: str = ""


LOST_RTT_US = np.uint32(0xFFFFFFFF)
"""Value in `rtt_us` of a request without reply."""


@dataclass(frozen=True, slots=True)
class ThroughputSeries:
    """TCP throughput in one direction.

    Attributes:
        direction: `a_to_b` or `b_to_a`.
        mbit_s: Received goodput over the whole time, in Mbit/s.
        interval_mbit_s: One value per interval, in Mbit/s.
        interval_s: Length of an interval in seconds.
        retransmits: TCP segments sent again; None where iperf3 does not say.
        cap_mbit_s: Limit that was asked for; None means none.
    """

    direction: str
    mbit_s: float
    interval_mbit_s: tuple[float, ...]
    interval_s: float
    retransmits: int | None
    cap_mbit_s: float | None = None


@dataclass(frozen=True, slots=True)
class CpuUsage:
    """CPU time of one host during a probe, all cores together are 100 %.

    Attributes:
        busy_pct: Everything but idle and waiting for I/O.
        user_pct: User space (user and nice).
        system_pct: Kernel, without interrupts.
        softirq_pct: Interrupts, soft and hard.
        steal_pct: Taken by a hypervisor.
        seconds: Over how many seconds.
    """

    busy_pct: float
    user_pct: float
    system_pct: float
    softirq_pct: float
    steal_pct: float
    seconds: float


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One file or command as it is shown and stored: no secret is in it.

    Attributes:
        side: `a` or `b`.
        kind: `file`, `command` or `undo`.
        title: Path of a file, or what a command does.
        text: Content of a file, or the command line as a shell would take it.
    """

    side: str
    kind: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AttemptKey:
    """Key of a unit of work: candidate × condition × round.

    Attributes:
        position: Order in the plan, from 0.
        solution: Solution's name.
        suite: Suite's name.
        condition: Name of the condition; AS_FOUND unless shaped.
        round: Round, from 1.
    """

    position: int
    solution: str
    suite: str
    condition: str
    round: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block of echo requests of an attempt: a few of each frame size, in proportion to the weights.

    The samples of block n (from 0) of a frame size are `rtt_us[n * count : (n + 1) * count]` of its series, where
    `count` is that size's number in `Profile.block_pings`.

    Attributes:
        cycle: Pass over all candidates that it belongs to, from 1.
        at_s: When it began, in seconds since the attempt began.
        is_counted: Whether it counts; False where its cycle was disturbed and repeated.
        lasted_s: For how long it was measured, in s; None where neither that nor the interval was kept.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
        sent: Requests that were sent, in the order of the attempt's series, the first ones of each: a target that does
            not answer is given up. Empty where all were sent.
    """

    cycle: int
    at_s: float
    is_counted: bool = True
    lasted_s: float | None = None
    interval_s: float | None = None
    sent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One unit of work and its outcome.

    Attributes:
        key: Which one.
        status: How it ended.
        reason: Stable reason code where it did not complete, or its repeat left a host changed; empty otherwise.
        message: A sentence that says what happened; empty where there is nothing to say.
        started_at: UTC.
        ended_at: UTC.
        latency: One series per frame size that was probed.
        throughput: One series per direction.
        cpu_latency: CPU of `a` and `b` while latency was probed.
        cpu_throughput: CPU of `a` and `b` while throughput was probed.
        path: MTU and fragmentation.
        setup_s: Seconds to build the tunnel, from the first change to the last check.
        cleanup_s: Seconds to restore both hosts.
        probe_s: Seconds the probes took.
        configuration: What was configured, without secrets.
        negotiated: What the programs reported as negotiated.
        daemon_log: The daemons' own words, where it failed.
        doubts: Why the figures may be wrong, as sentences.
        capture: What captures on the underlay showed; None where nothing was captured.
        stage: Stage in which it ended where it did not complete, a value of `Stage`; empty otherwise.
        blocks: In the order of measuring, where the profile measures in blocks; empty otherwise.
        readings: Counters of `a` and `b` while echo requests ran.
        own_load_cores: Load of the user's computer beyond the practice lab, in cores; None for hosts that are no lab.
        repeats: How often it was measured again because a gate asked for it.
        cpu_at_rate: CPU of `a` and `b` while TCP ran at a rate that all candidates carry; empty where it did not.
        rate_mbit_s: That rate, in Mbit/s.
        workloads: Results of the plan's workloads.
        warm_up_ratio: Median of the last but one window of the warm-up over that of the last one; None if not known.
    """

    key: AttemptKey
    status: AttemptStatus
    reason: str
    message: str
    started_at: datetime
    ended_at: datetime
    latency: tuple[LatencySeries, ...] = ()
    throughput: tuple[ThroughputSeries, ...] = ()
    cpu_latency: Mapping[str, CpuUsage] = field(default_factory=dict)
    cpu_throughput: Mapping[str, CpuUsage] = field(default_factory=dict)
    path: PathNote | None = None
    setup_s: float = 0.0
    cleanup_s: float = 0.0
    probe_s: float = 0.0
    configuration: tuple[PlannedItem, ...] = ()
    negotiated: str = ""
    daemon_log: str = ""
    doubts: tuple[str, ...] = ()
    capture: CaptureReport | None = None
    stage: str = ""
    blocks: tuple[Block, ...] = ()
    readings: Mapping[str, HostReadings] = field(default_factory=dict)
    own_load_cores: float | None = None
    repeats: int = 0
    cpu_at_rate: Mapping[str, CpuUsage] = field(default_factory=dict)
    rate_mbit_s: float | None = None
    workloads: tuple[WorkloadResult, ...] = ()
    warm_up_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """Solution and suite, with what is known before anything is measured.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        title: For people.
        verdict: The worst of its findings.
        findings: Verdicts on its parts.
        is_unprotected: Whether it is a reference without cryptography.
        is_listed_only: Whether it is one of the many that the programs list, and not among the few that are proposed.
        post_quantum: What it does against a later quantum computer; None in plans that were made before this was kept.
    """

    solution: str
    suite: str
    title: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    is_unprotected: bool = False
    is_listed_only: bool = False
    post_quantum: PostQuantum | None = None

    @property
    def is_deployable(self) -> bool:
        """Whether it may be deployed on a pair without further questions; not what is there for comparison alone."""
        return self.verdict.is_deployable and self.solution not in comparison_only()


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """Plan of a campaign: all that it will do, in order; enough to resume it.

    Attributes:
        pair: The pair.
        profile: How thoroughly.
        candidates: What is compared.
        attempts: In order; the baseline, where wanted, begins each round and ends the last. Adaptive: at most so many.
        predicted_s: Predicted seconds per attempt, in the order of `attempts`.
        deadline_ms: RTT in ms above which a reply is late; None without a deadline.
        min_rate_mbit_s: Throughput in Mbit/s that each direction must reach; None without a requirement.
        seed: Where the order of the candidates in each round comes from.
        allow_load: Whether the user consented to load on a live link (labs need no consent).
        condition: Condition of the link that is emulated meanwhile; None for the link as it was found.
        workloads: Names of the workloads that are run besides.
        transfer_mb: Size of the file of the workload transfer, in MB (10^6 bytes).
    """

    pair: PairSpec
    profile: Profile
    candidates: tuple[Candidate, ...]
    attempts: tuple[AttemptKey, ...]
    predicted_s: tuple[float, ...]
    deadline_ms: float | None = None
    min_rate_mbit_s: float | None = None
    seed: int = 0
    allow_load: bool = False
    condition: Condition | None = None
    workloads: tuple[str, ...] = ()
    transfer_mb: int = TRANSFER_MB

    def candidate(self, key: CandidateId) -> Candidate:
        """Return one candidate as it was chosen; raises KeyError for one that is not in the plan."""
        return {(one.solution, one.suite): one for one in self.candidates}[key]


class CampaignStatus(StrEnum):
    """Status of a campaign."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # found in the database without a process that runs it


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A campaign as it is stored: everything that ranking and reports need.

    Attributes:
        campaign_id: Number in the database.
        plan: What was to be done.
        status: Its status.
        started_at: UTC.
        ended_at: UTC; None while it is running.
        facts: What was found on the hosts before, by `a` and `b`.
        attempts: Those that ended, in order.
        tunnelmark_version: Version that measured.
        note: Note of the user; may have several lines.
        measured_conditions: The plan's condition as it was measured on the bare link, once for each start.
    """

    campaign_id: int
    plan: CampaignPlan
    status: CampaignStatus
    started_at: datetime
    ended_at: datetime | None
    facts: Mapping[str, HostFacts]
    attempts: tuple[Attempt, ...]
    tunnelmark_version: str
    note: str = ""
    measured_conditions: tuple[MeasuredCondition, ...] = ()

    def attempts_of(self, key: CandidateId) -> tuple[Attempt, ...]:
        """Return one candidate's attempts in their order."""
        return tuple(one for one in self.attempts if (one.key.solution, one.key.suite) == key)

    @property
    def attempts_needed(self) -> int:
        """Number of attempts that make it complete: those planned, or those that an adaptive one ended with."""
        is_over = self.plan.profile.is_adaptive and self.status is CampaignStatus.COMPLETED
        return len(self.attempts if is_over else self.plan.attempts)
