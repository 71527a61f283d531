"""Services that touch nothing: for tests of the window only. Every figure is made up from a seeded generator."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
from fake_desk import FakeDesk
from fake_history import FakeHistory
from fake_pace import FakePace
from fake_solutions import OLD_SERVER, SOLUTIONS, discovery, host_facts
from fake_studies import FakeStudies
from sample_records import MODELS, STARTED, Model, attempt, configuration, pair, plan_keys

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.conditions import Condition
from app.domain.credentials import HostKeyQuestion
from app.domain.errors import Cancelled, HostKeyUnknown, NotFound, TunnelmarkError
from app.domain.events import (
    AttemptDropped,
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    CpuSample,
    EventSink,
    LogLevel,
    LogLine,
    Progress,
    RttSamples,
    Stage,
    StageStarted,
    ThroughputSample,
    UnderlayChanged,
)
from app.domain.hosts import MissingPart, PairSpec, Side
from app.domain.linting import ConfigKind, LintedFile
from app.domain.progress import ProgressSink
from app.domain.ranking import Ranking
from app.domain.results import (
    LOST_RTT_US,
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    PlannedItem,
)
from app.domain.solutions import SolutionInfo
from app.linting.files import LintOptions, lint_file
from app.measurement.comparison import FINAL
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.policy import DEFAULT_GUIDELINES
from app.ranking import rank
from app.services.interfaces import Prompts
from app.tunnel.recovery import Found, HostRecovery, RecoveryReport
from support.lint_texts import lint_text

DEAD_LINK = "The link between gateway-a and gateway-b carries nothing any more: 0 of 6 pings crossed."

_MODELS = {(m.candidate.solution, m.candidate.suite): m for m in MODELS}


@dataclass
class FakeServices(FakeHistory, FakeStudies, FakeDesk, FakePace):
    """Implements ComparisonServices and RolloutServices.

    Attributes:
        prompts: Where questions go.
        batch: Samples per batch.
        faults: Errors to raise, by name of the method; each is raised once.
        asks_host_key: Whether inspecting the hosts asks about an unknown key.
        missing_on_b: What B lacks.
        blocked: What firewalls block, by solution.
        is_lost_after: After so many attempts a host cannot be reached any more.
        link_dies_at: The link dies during this attempt, and is back when the user goes on.
        failure: Reason and message of every attempt but the baseline's; empty if they complete.
        spoils_cleanup: Whether the last attempt leaves something behind.
        left: What a comparison leaves behind that none of its attempts tells.
        chosen_guidelines: Ids of the guidelines that apply.
        asked: Options of each plan that was made.
        previewed: Conditions that candidates were previewed under.
        texts_on_hosts: Configuration files that lie on each host.
        labs_gone: Comparisons whose practice lab has ended.
        unreachable_b: How many times B cannot be reached for the rollback.
        unreachable_node: How many times a machine behind B cannot be either.
        cleanup: Set when cleaning up may go on; tests clear it to inspect that moment.
        link_gate: Likewise, when waiting for a dead link may end.
    """

    prompts: Prompts
    batch: int = 20
    is_lab: bool = True
    faults: dict[str, TunnelmarkError] = field(default_factory=dict)
    asks_host_key: bool = False
    missing_on_b: tuple[MissingPart, ...] = ()
    blocked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    is_lost_after: int | None = None
    link_dies_at: int | None = None
    spoils_cleanup: bool = False
    left: str = ""
    unreachable_b: int = 0
    unreachable_node: int = 0
    failure: tuple[str, str] = ("", "")
    cleanup: threading.Event = field(default_factory=threading.Event)
    link_gate: threading.Event = field(default_factory=threading.Event)
    is_closed: bool = False
    labs_gone: set[int] = field(default_factory=set)
    chosen_guidelines: tuple[str, ...] = DEFAULT_GUIDELINES
    texts_on_hosts: tuple[str, ...] = (OLD_SERVER,)
    asked: list[RunOptions] = field(default_factory=list)
    previewed: list[Condition | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cleanup.set()
        self.link_gate.set()
        of_others = self.stage_gate, self.undo_gate, self.repair_gate, self.lab_gate
        for gate in (self.census_gate, self.study_gate, *of_others):
            gate.set()

    def _call(self, name: str) -> None:
        self.calls.append(name)
        assert threading.current_thread() is not threading.main_thread(), f"{name} was called on the window's thread"
        if name in self.faults:
            raise self.faults.pop(name)

    def start_lab(self, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        self._call("start_lab")
        for nth in range(5):
            on_progress(f"Booting, {nth} of 5", nth / 5)
            self.pause(token)
        return pair()

    def is_lab_gone(self, record: CampaignRecord) -> bool:
        self._call("is_lab_gone")
        return record.campaign_id in self.labs_gone

    def start_lab_like(self, record: CampaignRecord, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        self._call("start_lab_like")
        on_progress("Booting, 1 of 2", 0.5)
        old = pair()
        return replace(old, a=replace(old.a, port=2222), b=replace(old.b, port=2223))

    def discover(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> Discovery:
        self._call("discover")
        on_progress("Inspecting both hosts", None)
        self.pause(token)
        if self.asks_host_key and not self.prompts.confirm_host_key(
            HostKeyQuestion("192.0.2.10", "ssh-ed25519", "SHA256:wVbwOu4nAfXBgS0ZLVqMjbDpPSVSwSkDtnkyHzhjVKQ")
        ):
            raise HostKeyUnknown("The key of 192.0.2.10 was not accepted.", hint="Compare the fingerprint first.")
        return replace(discovery(pair, self.missing_on_b, self.chosen_guidelines), blocked=self.blocked)

    def guidelines(self) -> tuple[str, ...]:
        self._call("guidelines")
        return self.chosen_guidelines

    def use_guidelines(self, ids: Sequence[str]) -> None:
        self._call("use_guidelines")
        self.chosen_guidelines = tuple(ids)

    def judge_again(self, found: Discovery) -> Discovery:
        self._call("judge_again")
        judged = discovery(found.pair, guidelines=self.chosen_guidelines)
        return replace(found, candidates=judged.candidates, defaults=judged.defaults)

    def install_missing(
        self,
        pair: PairSpec,
        side: Side,
        missing: Sequence[MissingPart],
        *,
        token: CancelToken,
        on_progress: ProgressSink,
    ) -> str:
        self._call("install_missing")
        self.missing_on_b = ()
        return "Installed iperf3 on gateway-b."

    def plan(self, discovery: Discovery, chosen: Sequence[tuple[str, str]], options: RunOptions) -> CampaignPlan:
        self._call("plan")
        self.asked.append(options)
        candidates = tuple(c for c in discovery.candidates if (c.solution, c.suite) in set(chosen))
        keys = plan_keys(candidates, options.profile.rounds)
        each_s = 6 + 7 * options.profile.pings * 0.002 + 2 * options.profile.seconds
        return CampaignPlan(
            discovery.pair,
            options.profile,
            candidates,
            keys,
            (each_s,) * len(keys),
            options.deadline_ms,
            seed=options.seed or 0,
            condition=options.condition,
            workloads=options.workloads,
            transfer_mb=options.transfer_mb,
        )

    def preview(
        self,
        discovery: Discovery,
        candidate: tuple[str, str],
        condition: Condition | None = None,
        workloads: Sequence[str] = (),
    ) -> tuple[PlannedItem, ...]:
        self._call("preview")
        self.previewed.append(condition)
        return configuration(candidate[0])

    def run(
        self,
        discovery: Discovery,
        plan: CampaignPlan,
        *,
        control: CampaignControl,
        emit: EventSink,
        resume_id: int | None = None,
    ) -> CampaignRecord:
        self._call("run")
        campaign_id = resume_id or len(self.records) + 1
        former = self.records[resume_id].attempts if resume_id is not None else ()
        done = tuple(one for one in former if one.status in FINAL)
        emit(CampaignStarted(campaign_id, plan, done))
        attempts = list(done)
        status = CampaignStatus.COMPLETED
        rng = np.random.default_rng(7)
        for nth, key in enumerate(plan.attempts):
            if nth < len(done):
                continue
            try:
                control.wait_while_paused(emit)
            except Cancelled:
                pass
            if control.token.is_cancelled:
                status = CampaignStatus.CANCELLED
                break
            if self.is_lost_after is not None and nth >= self.is_lost_after:
                status = CampaignStatus.INTERRUPTED
                for rest in plan.attempts[nth:]:
                    gone = "gateway-b stays away."
                    lost = Attempt(rest, AttemptStatus.NOT_RUN, "host-unreachable", gone, STARTED, STARTED)
                    attempts.append(lost)
                    emit(AttemptEnded(lost))
                break
            if self.link_dies_at == nth and not self._lose_link(key, plan, control, emit, rng):
                status = CampaignStatus.CANCELLED
                break
            attempts.append(self._attempt(key, plan, control, emit, rng))
            if self.spoils_cleanup and nth == len(plan.attempts) - 1:
                spoiled = {"reason": "cleanup-failed", "message": "gateway-a still has tmk0."}
                attempts[-1] = replace(attempts[-1], status=AttemptStatus.FAILED, **spoiled)
            emit(AttemptEnded(attempts[-1]))
            share = (nth + 1) / len(plan.attempts)
            emit(Progress(share, 10 * (1 - share), f"{nth + 1} of {len(plan.attempts)}"))
        if control.token.is_cancelled:
            status = CampaignStatus.CANCELLED
            assert self.cleanup.wait(120)
        record = self._record(campaign_id, plan, tuple(attempts), status)
        message = "gateway-b stays away." if status is CampaignStatus.INTERRUPTED else ""
        emit(CampaignEnded(campaign_id, status, message, self.left or message))
        self.interrupted = campaign_id if status is not CampaignStatus.COMPLETED else None
        return record

    def _lose_link(
        self, key: AttemptKey, plan: CampaignPlan, control: CampaignControl, emit: EventSink, rng: np.random.Generator
    ) -> bool:
        """Make an attempt that does not count, and pause; return whether the user went on."""
        assert control.is_attended
        self._attempt(key, plan, control, emit, rng)
        emit(AttemptDropped(key))
        emit(UnderlayChanged(is_up=False, text=f"{DEAD_LINK} Waiting for it, at most 60 s."))
        assert self.link_gate.wait(120)
        control.pause(f"{DEAD_LINK} Check the underlay of both hosts, then resume.")
        try:
            control.wait_while_paused(emit)
        except Cancelled:
            return False
        emit(UnderlayChanged(is_up=True, text="The link between gateway-a and gateway-b carries frames again."))
        return True

    def _attempt(
        self, key: AttemptKey, plan: CampaignPlan, control: CampaignControl, emit: EventSink, rng: np.random.Generator
    ) -> Attempt:
        model = _MODELS[(key.solution, key.suite)]
        if self.failure[0] and key.solution != "baseline":
            model = replace(model, failure=self.failure)
        made = attempt(model, key, rng, plan.profile.pings)
        token, end = control.begin_attempt()
        emit(AttemptStarted(key, model.candidate.title))
        emit(LogLine(LogLevel.INFO, f"{model.candidate.title}: round {key.round}"))
        emit(Progress(key.position / len(plan.attempts), 30.0, model.candidate.title))
        try:
            for stage in (Stage.PREFLIGHT, Stage.ARM, Stage.IDENTITY, Stage.APPLY, Stage.VERIFY):
                emit(StageStarted(key, stage))
                self.pause(token)
            self._replay(made, model, plan, token, emit)
        except Cancelled:
            status = AttemptStatus.SKIPPED if control.is_skipped else AttemptStatus.CANCELLED
            made = replace(
                made, status=status, reason="cancelled", message="Ended by the user.", latency=(), throughput=()
            )
        finally:
            end()
        emit(StageStarted(key, Stage.CLEANUP))
        return made

    def _replay(self, made: Attempt, model: Model, plan: CampaignPlan, token: CancelToken, emit: EventSink) -> None:
        if made.status is AttemptStatus.FAILED:
            return
        for series in made.latency:
            emit(StageStarted(made.key, Stage.LATENCY, f"{series.frame_bytes} B"))
            rtt_ms = np.where(series.rtt_us == LOST_RTT_US, np.nan, series.rtt_us / 1000.0)
            for first in range(0, len(rtt_ms), self.batch):
                emit(RttSamples(made.key, series.frame_bytes, tuple(rtt_ms[first : first + self.batch])))
                self.pause_after_batch(token)
        emit(StageStarted(made.key, Stage.THROUGHPUT))
        for speed in made.throughput:
            for second in range(plan.profile.seconds):
                emit(ThroughputSample(made.key, speed.direction, second + 1.0, speed.mbit_s * (0.95 + 0.02 * second)))
                for side in ("a", "b"):
                    usage = made.cpu_throughput[side]
                    emit(
                        CpuSample(
                            made.key, side, second + 1.0, usage.user_pct, usage.system_pct, usage.softirq_pct, 0.0
                        )
                    )
                self.pause_after_batch(token)

    def _record(
        self, campaign_id: int, plan: CampaignPlan, attempts: tuple[Attempt, ...], status: CampaignStatus
    ) -> CampaignRecord:
        both = {"a": host_facts(Side.A), "b": host_facts(Side.B)}
        end = STARTED + timedelta(minutes=4)
        record = CampaignRecord(campaign_id, plan, status, STARTED, end, both, attempts, "0.1.0")
        self.records[campaign_id] = record
        return record

    def lint_file(self, path: Path, *, kind: ConfigKind | None = None) -> LintedFile:
        self._call("lint_file")
        return lint_file(
            path, LintOptions(kind=kind, guidelines=self.chosen_guidelines)
        )  # touches no host: the real one

    def lint_pair(self, pair: PairSpec, *, token: CancelToken, on_progress: ProgressSink) -> tuple[LintedFile, ...]:
        self._call("lint_pair")
        on_progress("Reading configuration files", None)
        self.pause(token)
        options = LintOptions(guidelines=self.chosen_guidelines)
        return tuple(
            lint_text(text, f"{pair.host(side).label}:/etc/openvpn/old.conf", options)
            for side in Side
            for text in self.texts_on_hosts
        )

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        self._call("refuse_if_in_use")

    def record(self, campaign_id: int) -> CampaignRecord:
        self._call("record")
        if campaign_id not in self.records:
            raise NotFound(f"There is no comparison number {campaign_id}.", hint="Open the history.")
        return self.records[campaign_id]

    def results(self, campaign_id: int) -> tuple[CampaignRecord, Ranking]:
        self._call("results")
        return self.record(campaign_id), rank(self.records[campaign_id])

    def solutions(self) -> Mapping[str, SolutionInfo]:
        self._call("solutions")
        return SOLUTIONS

    def recover(self, pair: PairSpec, *, token: CancelToken) -> RecoveryReport:
        self._call("recover")
        a = HostRecovery(Side.A, Found.NOTHING, is_clean=True, sentence="gateway-a was clean.")
        b = HostRecovery(Side.B, Found.NOTHING, is_clean=True, sentence="gateway-b was clean.")
        if self.unreachable_b:
            self.unreachable_b -= 1
            b = HostRecovery(Side.B, Found.UNREACHABLE, is_clean=False, sentence="gateway-b cannot be reached.")
        if self.unreachable_node:
            self.unreachable_node -= 1
            return RecoveryReport(a, b, (replace(b, is_clean=False, sentence="node-b is off."),))
        return RecoveryReport(a, b)

    def close(self) -> None:
        self._call("close")
        self.is_closed = True
