"""One candidate in one round: what is known of it so far, and the attempt that it becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.errors import Cancelled, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.results import (
    LOST_RTT_US,
    Attempt,
    AttemptStatus,
    Block,
    CpuUsage,
    LatencySeries,
)
from app.domain.solutions import BASELINE, Suite
from app.measurement.comparison.attempt import AttemptDraft
from app.measurement.comparison.probe_run import path_note
from app.measurement.interfaces import Tunnel
from app.measurement.messages import CANCELLED_WHILE_RUNNING, SKIPPED_IN_STAGE
from app.probes.blocks import BlockTarget, TargetBlock
from app.ranking.blocks import FEWEST_WITHOUT_OUTAGE, OUTAGE_REQUESTS, block_value_ms, lost_in_a_row
from app.wording.stages import stage_word

LEAST_CYCLES = 3
"""Good cycles from which on a candidate has figures where the user ended it, and from which on skipping ends the cycles
of a round. Source: our choice."""

_ENDED_BY_USER = (AttemptStatus.CANCELLED, AttemptStatus.SKIPPED)


@dataclass(frozen=True, slots=True)
class MeasuredBlock:
    """A block of one candidate.

    Attributes:
        cycle: Cycle of the round, from 1.
        at_s: When it began, in seconds since the attempt began.
        block: What was measured.
        value_ms: Weighted latency of its medians in ms; None where a size was not answered at all.
        lost_in_a_row: Most requests in a row without a reply.
    """

    cycle: int
    at_s: float
    block: TargetBlock
    value_ms: float | None
    lost_in_a_row: int


@dataclass(slots=True, kw_only=True, eq=False)
class Draft(AttemptDraft):
    """A candidate in a round.

    Attributes:
        title: Its name for people.
        adapter: Its adapter.
        suite: Its suite.
        frame_bytes: Frame sizes in bytes, in the order of a block's series.
        underlay_mtu_bytes: MTU between the hosts.
        began_s: When it started, on the monotonic clock.
        fixed_target: Target of its echo requests where it has no tunnel; None where its tunnel has it.
        blocks: In the order of measuring.
        disturbed: Cycles whose blocks do not count.
        error: What ended it.
        status: Its status, once it has ended early; None until then.
    """

    title: str
    adapter: Adapter
    suite: Suite
    frame_bytes: tuple[int, ...]
    underlay_mtu_bytes: int
    began_s: float
    fixed_target: BlockTarget | None = None
    blocks: list[MeasuredBlock] = field(default_factory=list)
    disturbed: set[int] = field(default_factory=set)
    cpu_at_rate: Mapping[str, CpuUsage] = field(default_factory=dict)
    rate_mbit_s: float | None = None
    stage: Stage = Stage.PREFLIGHT
    error: TunnelmarkError | None = None
    status: AttemptStatus | None = None
    reason: str = ""
    message: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is measured on in this round."""
        return self.status is None

    @property
    def is_bare(self) -> bool:
        """Whether it is the bare link."""
        return self.key.solution == BASELINE

    @property
    def outages(self) -> list[MeasuredBlock]:
        """Its blocks in which requests in a row had no reply."""
        return [one for one in self.blocks if one.lost_in_a_row >= OUTAGE_REQUESTS]

    @property
    def blocks_to_prove(self) -> int:
        """Blocks without an outage that it lacks for its only one in this round to be the link's; 0 without one."""
        is_due = len(self.outages) == 1 and not self.is_bare
        return max(0, FEWEST_WITHOUT_OUTAGE + 1 - len(self.blocks)) if is_due else 0

    @property
    def up(self) -> Tunnel:
        """Its tunnel, which is up."""
        assert self.tunnel is not None  # noqa: S101 - only called for candidates that are up
        return self.tunnel

    @property
    def plan(self) -> TunnelPlan:
        """The plan of its tunnel, which is up."""
        return self.up.plan

    @property
    def target(self) -> BlockTarget:
        """Target of its echo requests."""
        return self.fixed_target or BlockTarget(self.plan.probe_address_b, self.plan.probe_address_a)

    def copy(self) -> Draft:
        """Return the same candidate without blocks, for measurements that are no figures of it."""
        return replace(self, blocks=[], disturbed=set(), doubts=[])

    def daemon_pids(self, side: Side) -> tuple[int, ...]:
        """Return the process ids of its tunnel's daemons on one side; empty for a VPN of the kernel."""
        return self.tunnel.daemon_pids(side) if self.tunnel is not None else ()

    def device(self, side: Side) -> str:
        """Return the interface that carries its frames on one side; empty for the bare link."""
        return self.plan.a.interface if side is Side.A else self.plan.b.interface

    def add(self, cycle: int, at_s: float, block: TargetBlock) -> MeasuredBlock:
        """Add a block.

        Args:
            cycle: Cycle of the round, from 1.
            at_s: When it began, in seconds since the attempt began.
            block: What was measured.
        """
        lost = lost_in_a_row(block.rtt_us, block.sent, first=(cycle - 1) % len(self.frame_bytes))
        made = MeasuredBlock(cycle, at_s, block, block_value_ms(block.rtt_us, self.frame_bytes), lost)
        self.blocks.append(made)
        return made

    def requests_since(self, cycle: int) -> int:
        """Return the number of echo requests of the blocks after a cycle."""
        return sum(sum(one.block.requests) for one in self.blocks if one.cycle > cycle)

    def fail(self, error: TunnelmarkError) -> None:
        """End it with an error."""
        if self.status is None:
            self.error = error
            self.status, self.reason, self.message = AttemptStatus.FAILED, error.reason, error.sentence()
            self.daemon_log = self.daemon_log or error.context.get("log", "")

    def skip(self) -> None:
        """End it as skipped by the user."""
        if self.status is None:
            self.status, self.reason = AttemptStatus.SKIPPED, "skipped"
            self.message = SKIPPED_IN_STAGE(stage=stage_word(self.stage.value))

    def cancel(self) -> None:
        """End it as cancelled with the whole comparison."""
        if self.status is None:
            self.status, self.reason = AttemptStatus.CANCELLED, Cancelled.reason
            self.message = CANCELLED_WHILE_RUNNING()

    def finish(self) -> Attempt:
        """Return the attempt as it is now; of one that the user ended too early there are no latencies."""
        good = {one.cycle for one in self.blocks} - self.disturbed
        blocks = [] if self.status in _ENDED_BY_USER and len(good) < LEAST_CYCLES else self.blocks
        return replace(
            self.attempt(self.status or AttemptStatus.COMPLETED, self.reason, self.message),
            latency=tuple(_series(self.frame_bytes, blocks)),
            # Fragments are not counted, since several tunnels are up.
            path=path_note(self.tunnel.plan, self.underlay_mtu_bytes) if self.tunnel else None,
            doubts=tuple(dict.fromkeys(self.doubts)),
            blocks=tuple(map(self._block, blocks)),
            cpu_at_rate=self.cpu_at_rate,
            rate_mbit_s=self.rate_mbit_s,
        )

    def _block(self, made: MeasuredBlock) -> Block:
        block = made.block
        is_counted = made.cycle not in self.disturbed
        return Block(made.cycle, made.at_s, is_counted, block.lasted_s, block.interval_s, block.sent)


def is_lost(block: TargetBlock) -> bool:
    """Return whether no echo request of a block was answered."""
    return all(bool((rtt_us == LOST_RTT_US).all()) for rtt_us in block.rtt_us)


def _series(frame_bytes: Sequence[int], blocks: Sequence[MeasuredBlock]) -> Iterator[LatencySeries]:
    if not blocks:
        return
    for index, size in enumerate(frame_bytes):
        rtt_us = np.concatenate([one.block.rtt_us[index] for one in blocks])
        received = int((rtt_us != LOST_RTT_US).sum())
        # Replies beyond the first are counted for a block as a whole.
        duplicates = sum(one.block.duplicates for one in blocks) if index == 0 else 0
        note = next((one.block.note for one in blocks if one.block.note and not received), "")
        sent = sum(one.block.requests[index] for one in blocks)
        yield LatencySeries(size, sent, received, duplicates, rtt_us, note)
