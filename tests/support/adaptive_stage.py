"""An adaptive comparison of which everything is false but the comparison itself: latencies are made up, and seeded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import sample_records as sample
from campaign_stage import Stage
from fake_pair import ADAPTERS_BY_SUITE, FakeTunnelGroup, FakeTunnels
from sample_captures import capture_report

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport, LeakVerdict
from app.domain.events import Stage as Step
from app.domain.gates import HostReadings
from app.domain.hosts import Side
from app.domain.profiles import ADAPTIVE_PROFILE, BLOCK_PINGS, Profile
from app.domain.results import LOST_RTT_US, CampaignPlan, CampaignRecord, CpuUsage, ThroughputSeries
from app.domain.solutions import Suite
from app.measurement.adaptive import AdaptiveComparison
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.probes import Conditions, ThroughputSink, Transfer
from app.measurement.comparison import plan_campaign
from app.probes.blocks import BlockTarget, TargetBlock, WarmUp
from app.tunnel.temporary_group import FirstTunnels

FAST: Mapping[str, float] = {"baseline": 0.4, "wireguard": 1.0, "openvpn-udp": 1.5, "openvpn-tcp": 2.0, "l2tp": 0.5}


@dataclass
class FakeProbes:
    """Implements RoundProbes.

    Attributes:
        latency_ms: Latency by solution.
        noise: Standard deviation of the logarithm of a block.
        on_cycle: Called with the number of each cycle, from 1, before it is measured.
        on_step: Called with a solution and a step (`warm-up`, `tcp`, `rate`, `capture`) before it.
        lost: Solutions whose requests are lost from now on.
        warmed_up: Outcome of each warm-up.
        wait_ms: Time that daemons waited for a CPU each time that echo requests ran.
        slow_cycles: Cycles in which everything is slow.
        cut: Requests in a row that are lost in the middle of a block, by solution and cycle; all if it has fewer.
        calls: Solution and step, in order.
    """

    latency_ms: Mapping[str, float] = field(default_factory=lambda: dict(FAST))
    noise: float = 0.01
    seed: int = 1
    on_cycle: Callable[[int], None] = lambda _number: None
    on_step: Callable[[str, str], None] = lambda _solution, _step: None
    lost: set[str] = field(default_factory=set)
    slow_cycles: set[int] = field(default_factory=set)
    cut: dict[tuple[str, int], int] = field(default_factory=dict)
    own_load_cores: float | None = None
    wait_ms: float | None = None
    warmed_up: WarmUp = field(default_factory=lambda: WarmUp(is_steady=True, ratio=1.0))
    leaking: set[str] = field(default_factory=set)
    calls: list[tuple[str, str]] = field(default_factory=list)
    cycles: list[tuple[str, ...]] = field(default_factory=list)
    first_sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def _step(self, solution: str, step: str, token: CancelToken) -> None:
        self.calls.append((solution, step))
        self.on_step(solution, step)
        token.raise_if_cancelled()

    def warm_up(self, target: BlockTarget, *, token: CancelToken) -> WarmUp:
        self._step(_solution(target), "warm-up", token)
        return self.warmed_up

    def cycle(self, targets: Sequence[BlockTarget], *, first_size: int, token: CancelToken) -> tuple[TargetBlock, ...]:
        number = len(self.cycles) + 1
        self.cycles.append(tuple(_solution(target) for target in targets))
        self.first_sizes.append(first_size)
        self.on_cycle(number)
        token.raise_if_cancelled()
        return tuple(self._block(_solution(target), number) for target in targets)

    def _block(self, solution: str, number: int) -> TargetBlock:
        center_us = 1000.0 * self.latency_ms[solution] * (2.0 if number in self.slow_cycles else 1.0)
        center_us *= float(np.exp(self._random.normal(0.0, self.noise)))
        rtt_us = tuple(np.full(count, center_us, dtype=np.uint32) for count in BLOCK_PINGS)
        if solution in self.lost:
            rtt_us = tuple(np.full(count, LOST_RTT_US, dtype=np.uint32) for count in BLOCK_PINGS)
        cut = self.cut.get((solution, number), 0)
        for part in rtt_us if cut > sum(BLOCK_PINGS) else [rtt_us[0][5 : 5 + cut]]:
            part[:] = LOST_RTT_US
        return TargetBlock(0.0, rtt_us)

    def watch(self, drafts: Sequence[Draft], *, token: CancelToken) -> Callable[[], Conditions]:
        readings = {} if self.wait_ms is None else {Side.A.value: HostReadings(wait_ms=self.wait_ms)}
        return lambda: Conditions({draft.key.position: readings for draft in drafts}, self.own_load_cores)

    def transfer(
        self, draft: Draft, *, seconds: int, cap_mbit_s: float | None, token: CancelToken, on_interval: ThroughputSink
    ) -> Transfer:
        self._step(draft.key.solution, "tcp" if cap_mbit_s is None else f"rate {cap_mbit_s:g}", token)
        mbit_s = 100.0 / self.latency_ms[draft.key.solution]
        on_interval("a_to_b", 1.0, mbit_s)
        series = tuple(
            ThroughputSeries(one, mbit_s, (mbit_s,) * seconds, 1.0, 0, cap_mbit_s) for one in ("a_to_b", "b_to_a")
        )
        return Transfer(series, {side: CpuUsage(40.0, 10.0, 20.0, 10.0, 0.0, 2.0) for side in ("a", "b")})

    def capture(self, draft: Draft, *, token: CancelToken, on_stage: Callable[[Step, str], None]) -> CaptureReport:
        on_stage(Step.PACKET_TESTS, "packets")
        self._step(draft.key.solution, "wire", token)
        verdict = LeakVerdict.LEAKS if draft.key.solution in self.leaking else LeakVerdict.PROTECTED
        return capture_report(66, verdict, is_open=False)

    def steps_of(self, solution: str) -> list[str]:
        return [step for one, step in self.calls if one == solution]


@dataclass
class NamedTunnels(FakeTunnels):
    """Tunnels whose probe address is the name of their solution, so that probes know where they measure."""

    together: list[tuple[str, ...]] = field(default_factory=list)

    @contextmanager
    def open_group(
        self,
        choices: Sequence[tuple[Adapter, Suite]],
        *,
        token: CancelToken,
        on_stage: Callable[[int, Step, str], None],
        first: FirstTunnels | None = None,
        busy_s: float = 0.0,
    ) -> Iterator[FakeTunnelGroup]:
        names = tuple(ADAPTERS_BY_SUITE[id(adapter)] for adapter, _ in choices)
        self.together.append(names)

        def on_up(group: FakeTunnelGroup) -> None:
            self._name(group, names)
            assert first is not None
            first.on_up(group)  # type: ignore[arg-type]

        named = None if first is None else replace(first, on_up=on_up)  # type: ignore[arg-type]
        with super().open_group(choices, token=token, on_stage=on_stage, first=named) as group:
            self._name(group, names)
            yield group

    def _name(self, group: FakeTunnelGroup, names: Sequence[str]) -> None:
        for position, tunnel in group.tunnels.items():
            tunnel.plan = replace(tunnel.plan, probe_address_a=names[position])


@dataclass
class AdaptiveStage(Stage):
    """Inputs of an adaptive comparison."""

    probes: FakeProbes = field(default_factory=FakeProbes)
    profile: Profile = ADAPTIVE_PROFILE
    min_rate_mbit_s: float | None = None
    tunnels: FakeTunnels = field(default_factory=NamedTunnels)
    clock: Callable[[], float] = time.monotonic

    def plan(self) -> CampaignPlan:
        return plan_campaign(
            sample.pair(is_lab=self.is_lab),
            self.candidates,
            self.profile,
            seed=3,
            allow_load=self.allow_load,
            min_rate_mbit_s=self.min_rate_mbit_s,
        )

    def compare(self, resume_id: int | None = None) -> CampaignRecord:
        made, now = self.probes, self.clock

        class Faked(AdaptiveComparison):
            probes = staticmethod(lambda _context: made)
            clock = staticmethod(now)

        return self.run(resume_id, Faked)


def _solution(target: BlockTarget) -> str:
    """Return the solution that a target belongs to: of the underlay the bare link, which needs not be a candidate."""
    return "baseline" if target.source == sample.pair().underlay_a else str(target.source)
