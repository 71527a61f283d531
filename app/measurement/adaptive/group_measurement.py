"""Measurement of the candidates of a group while their tunnels are up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    DeadlineExceeded,
    HostUnreachable,
    TunnelmarkError,
)
from app.domain.events import LogLevel, LogLine, Stage, StageStarted, ThroughputSample
from app.domain.gates import Gate, GateVerdict
from app.domain.messages import sentences
from app.domain.results import ThroughputSeries
from app.measurement.adaptive.block_time import BlockTime, GroupShare, transfer_s
from app.measurement.adaptive.cycles import Cycles, unproven
from app.measurement.adaptive.draft import LEAST_CYCLES, Draft
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.adaptive.round_times import Part, RoundTimes
from app.measurement.adaptive.steps import skippable
from app.measurement.comparison.attempt import collect_logs
from app.measurement.comparison.capture_checks import capture_log, raise_if_leaking
from app.measurement.interfaces import TunnelGroup
from app.measurement.messages import (
    BLOCKS_AGAIN,
    CPU_AT_RATE,
    CYCLES_ENDED_EARLY,
    INTERLEAVED_BLOCKS,
    OF_CANDIDATE,
    OUTAGE_PROVED,
    ROUND_STEP,
    TCP_BOTH_WAYS,
    WARMING_UP,
)
from app.measurement.work import ComparisonContext
from app.probes.latency import UNSTEADY
from app.ranking.gates import gates_of, spread_of
from app.wording.stages import STAGE_WORDS

RATE_SECONDS = 1
"""Seconds of TCP per direction while the CPU is compared. Source: our choice."""

FIRST_RATED_ROUND = 2
"""CPU at one rate is measured in this round. Source: our choice."""

TCP_ROUND = 1
"""TCP is measured in this round: the later ones are to decide about latencies. Source: our choice.

Where the user needs a rate, it is measured in the next one as well, because it excludes candidates.
"""

_HOST_ERRORS = (Cancelled, ConnectionLost, HostUnreachable)


@dataclass(frozen=True, slots=True)
class RoundOrder:
    """Measurements of a round.

    Attributes:
        number: Round, from 1.
        has_tcp: Whether TCP is measured in it.
        has_rate: Whether the CPU is compared at one rate in it.
        repeats_left: How often blocks may be measured again.
        budget_end_s: Monotonic time at which the budget is used up; from then on nothing is repeated.
        rate_mbit_s: Rate at which the CPU is compared, in Mbit/s; None where it is not known yet.
        has_others: Whether there is more than the bare link.
        is_single_group: Whether all candidates are up at the same time, so that the rate follows from this round.
        rated: Positions of candidates whose CPU is not measured at a fixed rate any more, as (solution, suite).
        tested: Candidates whose packet tests were made, as (solution, suite).
        checked: Candidates that were measured beside others after the check that idle tunnels change no latency.
    """

    number: int
    has_tcp: bool
    has_rate: bool
    repeats_left: int
    budget_end_s: float
    rate_mbit_s: float | None
    has_others: bool
    is_single_group: bool
    rated: frozenset[tuple[str, str]] = frozenset()
    tested: frozenset[tuple[str, str]] = frozenset()
    checked: frozenset[tuple[str, str]] = frozenset()


@dataclass
class GroupMeasurement:
    """All probes of a group.

    Attributes:
        context: What it needs.
        probes: Measures.
        cycles: Makes cycles of blocks.
        order: What is measured in this round.
        drafts: Candidates that are up; their figures are added to them.
        group: Their tunnels.
        times: Gets the seconds of each part.
        share: Part of the round that this group is.
    """

    context: ComparisonContext
    probes: RoundProbes
    cycles: Cycles
    order: RoundOrder
    drafts: Sequence[Draft]
    group: TunnelGroup
    times: RoundTimes = field(default_factory=RoundTimes)
    share: GroupShare = field(default_factory=GroupShare)

    def warm_up(self) -> None:
        """Send echo requests that do not count, until they are steady.

        Raises:
            ConnectionLost, HostUnreachable, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        with self.times.part(Part.WARM_UP):
            self._each(Stage.LATENCY, WARMING_UP(), self._warm_up)

    def run(self) -> None:
        """Measure in blocks, then TCP of one candidate at a time, then the packet tests.

        Raises:
            ConnectionLost, HostUnreachable, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        with self.times.part(Part.BLOCKS):
            self._blocks()
        if self.order.has_tcp:
            with self.times.part(Part.TCP):
                self._each(Stage.THROUGHPUT, TCP_BOTH_WAYS(), self._transfer)
        rate = self._rate()
        if rate is not None:
            with self.times.part(Part.RATE):
                self._each(Stage.THROUGHPUT, CPU_AT_RATE(rate=rate), lambda *words: self._at_rate(rate, *words))
        with self.times.part(Part.PACKETS):
            self._each(Stage.PACKET_TESTS, "", self._capture)

    @property
    def open(self) -> list[Draft]:
        """Candidates that are measured on."""
        return [draft for draft in self.drafts if draft.is_open]

    def fail_open(self, error: TunnelmarkError) -> None:
        """End all candidates that are measured on with an error."""
        for draft in self.open:
            self.fail(draft, error)

    def fail(self, draft: Draft, error: TunnelmarkError) -> None:
        """End one candidate with an error; its daemons' words are kept."""
        draft.daemon_log = draft.daemon_log or _collect_logs(draft, error)
        draft.fail(error)
        self.context.emit(LogLine(LogLevel.ERROR, OF_CANDIDATE(title=draft.title, what=error.sentence())))

    def _each(self, stage: Stage, words: str, work: Callable[[Draft, CancelToken], None]) -> None:
        """Do something with one candidate after another; one that fails or is skipped is left out from then on."""
        for draft in self.open:
            draft.stage = stage
            if words:
                self.context.emit(StageStarted(draft.key, stage, words))
                self.context.meter.report(ROUND_STEP(round=self.order.number, title=draft.title, what=words))
            try:
                with skippable(self.context.control, draft.skip) as token:
                    work(draft, token)
            except (*_HOST_ERRORS, CleanupFailed):
                raise
            except TunnelmarkError as error:
                if self.group.lost:
                    raise DeadlineExceeded(sentences(self.group.lost.values())) from error
                self.fail(draft, error)

    def _warm_up(self, draft: Draft, token: CancelToken) -> None:
        found = self.probes.warm_up(draft.target, token=token)
        draft.warm_up_ratio = found.ratio
        if not found.is_steady:
            draft.doubts.append(UNSTEADY)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _blocks(self) -> None:
        """Measure cycles of blocks, again where a gate asks for it and the budget allows it."""
        first, began_s = self.cycles.number + 1, time.monotonic()
        self._blocks_once()
        while (asks := self._disturbed()) and self._may_repeat(time.monotonic() - began_s):
            reasons = [f"{draft.title}: {gate.words}" for draft, gate in asks]
            self._info(BLOCKS_AGAIN(round=self.order.number, reasons=reasons))
            for draft in self.open:
                draft.disturbed |= set(range(first, self.cycles.number + 1))
                draft.repeats += 1
            first, began_s, before_s = self.cycles.number + 1, time.monotonic(), self.times.repeated_s
            self._blocks_once()
            self.times.repeated_s = before_s + time.monotonic() - began_s  # further blocks after an outage included

    def _may_repeat(self, took_s: float) -> bool:
        """Return whether blocks may be measured again, which will take as long as those before."""
        made = max(draft.repeats for draft in self.open)
        return made < self.order.repeats_left and time.monotonic() + took_s < self.order.budget_end_s

    def _blocks_once(self) -> None:
        for draft in self.open:
            draft.stage = Stage.LATENCY
            self.context.emit(StageStarted(draft.key, Stage.LATENCY, INTERLEAVED_BLOCKS()))
        if not self.open or (self.order.has_others and all(draft.is_bare for draft in self.open)):
            return  # the bare link alone: it is measured beside each of the others
        began, token = self.cycles.number, self.context.control.token
        conditions, began_s = self.probes.watch(self.open, token=token), time.monotonic()
        while self.cycles.number - began < LEAST_CYCLES and self.open:
            with skippable(self.context.control, lambda: self._info(CYCLES_ENDED_EARLY())) as step:
                self.cycles.run(self.open, self.fail, token=step, most_s=self._block_time().most_s)
        found, took_s = conditions(), time.monotonic() - began_s
        for draft in self.open:
            requests = draft.requests_since(began)
            readings = found.readings.get(draft.key.position, {})
            draft.readings = {side: replace(one, requests=requests) for side, one in readings.items()}
            draft.own_load_cores = found.own_load_cores
        self._prove(sum(one.cycle > began for draft in self.open for one in draft.blocks), took_s)

    def _prove(self, blocks: int, took_s: float) -> None:
        """Measure on what had an outage, where the budget leaves time for cycles of a further round as well.

        Args:
            blocks: Blocks that the cycles had.
            took_s: How long they took, in seconds.
        """
        began_s = time.monotonic()
        due = unproven(self.open)
        needed_s = sum(draft.blocks_to_prove for draft in due) * took_s / max(1, blocks)
        if not due or began_s + needed_s + took_s > self.order.budget_end_s:
            return
        for draft in due:
            self._info(OUTAGE_PROVED(title=draft.title))
        with skippable(self.context.control, lambda: self._info(CYCLES_ENDED_EARLY())) as step:
            self.cycles.prove(self.open, self.fail, token=step)
        self.times.repeated_s += time.monotonic() - began_s

    def _block_time(self) -> BlockTime:
        """Return the time for blocks."""
        order, seconds = self.order, self.times.seconds
        left_s = order.budget_end_s - time.monotonic()
        before_s = sum(seconds[part] for part in (Part.INSPECTION, Part.SET_UP, Part.WARM_UP)) / self.share.begun
        tcp_s = transfer_s(len(self.open), self.context.plan.profile.seconds) if order.has_tcp else 0.0
        rate_s = transfer_s(len(self.open), RATE_SECONDS) if order.has_rate else 0.0
        return BlockTime(left_s, before_s, tcp_s + rate_s, order.number, self.share)

    def _disturbed(self) -> list[tuple[Draft, Gate]]:
        """Return the candidates that are to be measured again, with the first gate that asks for it."""
        bare = next((spread_of(draft.finish()) for draft in self.open if draft.is_bare), None)
        asks = []
        for draft in self.open:
            gates = gates_of(draft.finish(), bare_spread=bare) if draft.blocks else ()
            asks += [(draft, gate) for gate in gates if gate.verdict is GateVerdict.REPEAT][:1]
        return asks

    # --- TCP ----------------------------------------------------------------------------------------------------------

    def _transfer(self, draft: Draft, token: CancelToken) -> None:
        if draft.throughput:  # the bare link, which is in each group
            return
        began_s = time.monotonic()
        done = self.probes.transfer(
            draft,
            seconds=self.context.plan.profile.seconds,
            cap_mbit_s=self.context.plan.pair.load_cap_mbit_s,
            token=token,
            on_interval=lambda *sample: self.context.emit(ThroughputSample(draft.key, *sample)),
        )
        draft.throughput, draft.cpu_throughput = done.series, done.cpu
        draft.probe_s += time.monotonic() - began_s

    def _rate(self) -> float | None:
        """Return half of what the slowest candidate carries, the load that all of them are given; None if unknown."""
        if not self.order.has_rate or all(draft.is_bare or self._is_rated(draft) for draft in self.open):
            return None
        if self.order.rate_mbit_s is not None or not self.order.is_single_group:
            return self.order.rate_mbit_s
        return rate_of([draft.throughput for draft in self.open])

    def _at_rate(self, rate_mbit_s: float, draft: Draft, token: CancelToken) -> None:
        if self._is_rated(draft):
            return
        began_s = time.monotonic()
        done = self.probes.transfer(
            draft, seconds=RATE_SECONDS, cap_mbit_s=rate_mbit_s, token=token, on_interval=lambda *_sample: None
        )
        draft.cpu_at_rate, draft.rate_mbit_s = done.cpu, rate_mbit_s
        draft.probe_s += time.monotonic() - began_s

    def _is_rated(self, draft: Draft) -> bool:
        return bool(draft.cpu_at_rate) or (draft.key.solution, draft.key.suite) in self.order.rated

    # --- packet tests -------------------------------------------------------------------------------------------------

    def _capture(self, draft: Draft, token: CancelToken) -> None:
        """Run the packet tests last of all: the tunnel does not work any more afterwards."""
        if draft.capture is not None or (draft.key.solution, draft.key.suite) in self.order.tested:
            return

        def on_stage(stage: Stage, text: str) -> None:
            self.context.emit(StageStarted(draft.key, stage, text))
            self.context.meter.report(
                ROUND_STEP(round=self.order.number, title=draft.title, what=text or STAGE_WORDS[stage])
            )

        draft.capture = report = self.probes.capture(draft, token=token, on_stage=on_stage)
        for level, sentence in capture_log(report):
            self.context.emit(LogLine(level, OF_CANDIDATE(title=draft.title, what=sentence)))
        raise_if_leaking(report, draft.adapter.info.security)

    def _info(self, text: str) -> None:
        self.context.emit(LogLine(LogLevel.INFO, text))


def rate_of(measured: Sequence[Sequence[ThroughputSeries]]) -> float | None:
    """Return half of the lowest throughput in Mbit/s, both directions considered; None if there is none."""
    lowest = min((series.mbit_s for one in measured for series in one), default=0.0)
    return lowest / 2.0 if lowest > 0.0 else None


def _collect_logs(draft: Draft, error: TunnelmarkError) -> str:
    return collect_logs(draft.tunnel, error) if draft.tunnel is not None else ""
