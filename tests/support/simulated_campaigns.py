"""Adaptive comparisons of candidates whose true latencies are known: seeded noise, the program's own decisions.

Cycles, repeats, interim results and the ranking are the program's; only what echo requests measure is simulated. The
noise multiplies, so that the true ratios are known. A modelled scenario says how a block's value is disturbed: by its
tunnel's set-up, by chance, by drift and by episodes of load that slow down all candidates for a while. The recorded
one takes real samples, see `recorded_rtts`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from app.domain.cancel import CancelToken
from app.domain.interim import CandidateState, InterimResult
from app.domain.profiles import ADAPTIVE_PROFILE, FRAME_BYTES
from app.domain.ranking import Ranking
from app.domain.results import LOST_RTT_US, Attempt, AttemptKey, CampaignPlan, CampaignRecord, CampaignStatus, Candidate
from app.domain.solutions import BASELINE
from app.domain.verdicts import Verdict
from app.measurement.adaptive.cycles import Cycles, FailureSink
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.group_measurement import TCP_ROUND, GroupMeasurement, RoundOrder
from app.measurement.adaptive.probes import Conditions, Transfer
from app.measurement.control import CampaignControl
from app.probes.blocks import BlockTarget, TargetBlock, WarmUp
from app.ranking.gates import MOST_REPEATS
from app.ranking.interim import interim
from app.ranking.rank import rank
from support.recorded_rtts import Recorded
from support.sample_records import STARTED, facts, pair

BLOCK_S = 0.25
SETUP_S = 8.0
TCP_S = 2.0
BARE_SHARE = 0.4
"""Latency of the bare link over that of the fastest candidate, about as in a practice lab."""


class Course(Protocol):
    """Noise of one comparison."""

    def set_up(self) -> None:
        """Begin a round, for which all tunnels are set up anew."""
        ...

    def block(self, candidate: int, cycle: int, clock_s: float) -> npt.NDArray[np.float64]:
        """Return what a block's round-trip times are multiplied by, in the order of sending."""
        ...


class Noise(Protocol):
    """Noise of one kind of hosts."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def block_pings(self) -> tuple[int, ...]:
        """Requests of a block by size."""
        ...

    def start(self, rng: np.random.Generator, count: int) -> Course:
        """Begin a comparison of so many candidates."""
        ...


@dataclass(frozen=True, slots=True)
class Scenario:
    """Modelled noise; implements `Noise`. One request per size: the block's value is what is simulated.

    Attributes:
        name: Its name.
        setup: Standard deviation of a tunnel's latency from one set-up to the next, as logarithm.
        block: The same from block to block.
        drift: Change of everything per 100 s, as logarithm.
        every_s: Time from one episode of load to the next, in seconds; 0 for none.
        lasts_s: How long one lasts, in seconds.
        factor: What it multiplies latencies by.
        setups: Instead of `setup` that of each candidate, over again where there are more; `setup` is the bare link's.
    """

    name: str
    setup: float
    block: float
    drift: float = 0.0
    every_s: float = 0.0
    lasts_s: float = 0.0
    factor: float = 1.0
    setups: tuple[float, ...] = ()

    @property
    def block_pings(self) -> tuple[int, ...]:
        """One request of each size."""
        return (1,) * len(FRAME_BYTES)

    def start(self, rng: np.random.Generator, count: int) -> ModelledCourse:
        """Begin a comparison of so many candidates."""
        return ModelledCourse(self, rng, count)


class ModelledCourse:
    """One comparison with modelled noise; implements `Course`."""

    def __init__(self, scenario: Scenario, rng: np.random.Generator, count: int) -> None:
        self._scenario, self._rng, self._count = scenario, rng, count
        self._phase_s = rng.uniform(0, max(1.0, scenario.every_s))
        self.set_up()

    def set_up(self) -> None:
        """Begin a round."""
        one = self._scenario
        others = one.setups or (one.setup,)
        sizes = [one.setup, *(others[i % len(others)] for i in range(self._count - 1))]
        self._setups = self._rng.normal(0.0, sizes)

    def block(self, candidate: int, cycle: int, clock_s: float) -> npt.NDArray[np.float64]:
        """Return the factor of one block, once per size."""
        one = self._scenario
        log = self._setups[candidate] + self._rng.normal(0.0, one.block) + one.drift * clock_s / 100
        is_loaded = one.every_s and (clock_s + self._phase_s) % one.every_s < one.lasts_s
        return np.full(len(FRAME_BYTES), math.exp(log) * (one.factor if is_loaded else 1.0))


SCENARIOS: tuple[Noise, ...] = (
    Scenario("quiet", setup=0.01, block=0.03, drift=0.003),
    Scenario("spiky", setup=0.01, block=0.05, every_s=7.0, lasts_s=0.3, factor=3.0),
    Scenario("drifting", setup=0.01, block=0.03, drift=0.05),
    Scenario("lab-quiet", setup=0.02, block=0.06, drift=0.02, every_s=120.0, lasts_s=4.0, factor=1.6),
    Scenario("lab-busy", setup=0.02, block=0.15, every_s=15.0, lasts_s=10.0, factor=2.3),
    Recorded("recorded-quiet", "quiet"),
)
"""Source: our choice, after what a practice lab's own attempts showed on a quiet and on a loaded computer; the last one
is such attempts."""

UNEQUAL: tuple[Noise, ...] = (
    Scenario("unequal", setup=0.01, block=0.03, setups=(0.02, 0.05, 0.12)),
    Scenario("one-unsteady", setup=0.01, block=0.03, setups=(0.15, *(0.01,) * 9)),
)
"""Candidates that vary unequally from one set-up to the next. Source: our choice; of real tunnels in network namespaces
tinc varied by 2 %, OpenVPN over UDP by 5 % and over TCP by 12 %."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulated comparison.

    Attributes:
        ranking: What the program says of it.
        last: The last interim result.
        seconds: How long it took in simulated time.
        true_ms: Each candidate's true latency by its suite's name, without the bare link.
    """

    ranking: Ranking
    last: InterimResult
    seconds: float
    true_ms: dict[str, float]


def simulate(
    true_ms: Sequence[float],
    noise: Noise,
    seed: int,
    verdicts: Sequence[Verdict] = (),
    *,
    has_bare: bool = True,
    lost_above_ms: Sequence[float] = (),
    is_short: bool = False,
) -> Simulated:
    """Run one adaptive comparison of the bare link and some candidates.

    Args:
        true_ms: Latency of each candidate in ms.
        noise: The noise.
        seed: Of the noise and of the order.
        verdicts: Of the candidates; all Recommended where none are given.
        has_bare: Whether the bare link is measured as well.
        is_short: Whether each round has as few cycles as it may.
        lost_above_ms: Replies of each candidate that are later than this count as lost; none where it is empty.
    """
    plan = _plan(len(true_ms), noise, verdicts, has_bare=has_bare)
    bare = ["c0"] if has_bare else []
    names = [f"c{i}" for i in range(len(true_ms) + 1)]
    all_ms = (BARE_SHARE * min(true_ms), *true_ms)
    probes = _Probes(
        noise.start(np.random.default_rng(seed), len(all_ms)), all_ms, noise.block_pings, (math.inf, *lost_above_ms)
    )
    attempts: list[Attempt] = []
    left, number, repeats = [*bare, *names[1:]], 0, 0
    while True:
        number += 1
        began_s = probes.clock_s
        keys = [key for key in plan.attempts if key.round == number and key.suite in left]
        order = random.Random(f"{seed}/{number}")  # noqa: S311 - an order, not a secret
        made = _round(plan, probes, keys, repeats, _ShortCycles if is_short else Cycles, order)
        repeats += max(one.repeats for one in made)
        attempts += made
        next_s = probes.clock_s - began_s - (TCP_S * len(keys) if number == TCP_ROUND else 0.0)
        result = interim(plan, attempts, elapsed_s=probes.clock_s, round_s=next_s)
        left = [*bare, *(one.suite for one in result.candidates if one.state is CandidateState.OPEN)]
        if result.stop is not None:
            break
    record = CampaignRecord(
        1, plan, CampaignStatus.COMPLETED, STARTED, STARTED + timedelta(seconds=probes.clock_s),
        {"a": facts(), "b": facts("gw-b")}, tuple(attempts), "0",
    )  # fmt: skip
    return Simulated(rank(record), result, probes.clock_s, dict(zip(names[1:], true_ms, strict=True)))


def _plan(count: int, noise: Noise, verdicts: Sequence[Verdict], *, has_bare: bool) -> CampaignPlan:
    names = [f"c{i}" for i in range(1, count + 1)]
    judged = list(verdicts) or [Verdict.RECOMMENDED] * count
    bare = Candidate(BASELINE, "c0", "Bare link", Verdict.UNPROTECTED, (), is_unprotected=True)
    candidates = [bare] if has_bare else []
    candidates += [Candidate("vpn", name, f"VPN {name}", verdict) for name, verdict in zip(names, judged, strict=True)]
    profile = replace(ADAPTIVE_PROFILE, block_pings=noise.block_pings)
    rounds = range(1, profile.rounds + 1)
    named = [(one, number) for number in rounds for one in candidates]
    keys = tuple(
        AttemptKey(position, one.solution, one.suite, "as-found", number)
        for position, (one, number) in enumerate(named)
    )
    return CampaignPlan(pair(is_lab=False), profile, tuple(candidates), keys, (1.0,) * len(keys))


class _Draft(Draft):
    """A candidate without a tunnel: its target is its number."""

    @property
    def target(self) -> BlockTarget:
        return BlockTarget(self.key.suite)


class _ShortCycles(Cycles):
    """Cycles of a round for which there is no time."""

    def run(self, drafts: Sequence[Draft], on_failed: FailureSink, *, token: CancelToken, **_: Any) -> None:
        super().run(drafts, on_failed, token=token, most_s=lambda _cycle_s: 0.0)


@dataclass
class _Probes:
    """Implements RoundProbes; its clock is simulated."""

    course: Course
    true_ms: Sequence[float]
    block_pings: tuple[int, ...]
    lost_above_ms: Sequence[float]
    clock_s: float = 0.0
    cycles: int = 0

    def set_up(self) -> None:
        self.clock_s += SETUP_S
        self.cycles = 0
        self.course.set_up()

    def warm_up(self, target: BlockTarget, *, token: CancelToken) -> WarmUp:
        return WarmUp(is_steady=True)

    def cycle(self, targets: Sequence[BlockTarget], *, first_size: int, token: CancelToken) -> tuple[TargetBlock, ...]:
        blocks = tuple(self._block(int(target.destination[1:])) for target in targets)
        self.cycles += 1
        return blocks

    def _block(self, candidate: int) -> TargetBlock:
        self.clock_s += BLOCK_S
        ms = self.true_ms[candidate] * self.course.block(candidate, self.cycles, self.clock_s)
        most_ms = self.lost_above_ms[candidate] if candidate < len(self.lost_above_ms) else math.inf
        rtt_us = np.where(np.isfinite(ms) & (ms <= most_ms), np.round(1_000 * ms), LOST_RTT_US).astype(np.uint32)
        return TargetBlock(0.0, tuple(np.split(rtt_us, np.cumsum(self.block_pings)[:-1])))

    def watch(self, drafts: Sequence[Draft], *, token: CancelToken) -> Callable[[], Conditions]:
        return lambda: Conditions({})

    def transfer(self, draft: Draft, **_: Any) -> Transfer:
        self.clock_s += TCP_S
        return Transfer((), {})

    def capture(self, draft: Draft, **_: Any) -> Any:
        raise AssertionError("no packet tests are due")


def _round(
    plan: CampaignPlan,
    probes: _Probes,
    keys: Sequence[AttemptKey],
    repeats: int,
    make_cycles: type[Cycles],
    order: random.Random,
) -> list[Attempt]:
    """Measure one round as the program does."""
    probes.set_up()
    began_s = probes.clock_s
    names = frozenset((one.solution, one.suite) for one in plan.candidates)
    context: Any = SimpleNamespace(
        plan=plan, control=CampaignControl(), emit=lambda _: None, meter=SimpleNamespace(report=lambda _: None)
    )
    nothing: Any = None
    drafts = [
        _Draft(
            key=key,
            title=key.suite,
            adapter=nothing,
            suite=nothing,
            frame_bytes=FRAME_BYTES,
            underlay_mtu_bytes=1500,
            started_at=STARTED,
            began_s=0.0,
        )
        for key in keys
    ]
    cycles = make_cycles(probes, plan.profile, keys[0].round, order, context.emit, context.meter.report)
    due = RoundOrder(
        number=keys[0].round,
        has_tcp=keys[0].round == TCP_ROUND,
        has_rate=False,
        repeats_left=max(0, MOST_REPEATS - repeats),
        budget_end_s=math.inf,
        rate_mbit_s=None,
        has_others=True,
        is_single_group=False,
        rated=names,
        tested=names,
    )
    GroupMeasurement(context, probes, cycles, due, drafts, cast("Any", SimpleNamespace(lost={}))).run()
    spans = STARTED + timedelta(seconds=began_s), STARTED + timedelta(seconds=probes.clock_s)
    return [replace(draft.finish(), started_at=spans[0], ended_at=spans[1]) for draft in drafts]
