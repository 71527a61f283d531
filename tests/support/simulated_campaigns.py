"""Adaptive comparisons of candidates whose true latencies are known: seeded noise, the program's own decisions.

The noise multiplies, so that the true ratios are known. Each scenario says how a block's value is disturbed: by its
tunnel's set-up, by chance, by drift and by episodes of load that slow down all candidates for a while.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from app.domain.interim import CandidateState, InterimResult
from app.domain.ranking import Ranking
from app.domain.results import (
    FRAME_BYTES,
    Attempt,
    AttemptKey,
    AttemptStatus,
    Block,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    Candidate,
    LatencySeries,
    Profile,
    ProfileName,
)
from app.domain.verdicts import Verdict
from app.ranking.blocks import cycle_value_ms, is_disturbed
from app.ranking.interim import interim
from app.ranking.rank import rank
from support.sample_records import STARTED, facts, pair

CYCLES, MOST_CYCLES = 10, 20
BLOCK_S = 0.25
SETUP_S = 8.0
PROFILE = Profile(ProfileName.ADAPTIVE, 0, 1, 8, FRAME_BYTES, (1,) * len(FRAME_BYTES), 300.0)
"""One request per size and block: the block's value is what is simulated."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Noise of one kind of hosts.

    Attributes:
        name: Its name.
        setup: Standard deviation of a tunnel's latency from one set-up to the next, as logarithm.
        block: The same from block to block.
        drift: Change of everything per 100 s, as logarithm.
        every_s: Time from one episode of load to the next, in seconds; 0 for none.
        lasts_s: How long one lasts, in seconds.
        factor: What it multiplies latencies by.
    """

    name: str
    setup: float
    block: float
    drift: float = 0.0
    every_s: float = 0.0
    lasts_s: float = 0.0
    factor: float = 1.0


SCENARIOS = (
    Scenario("quiet", setup=0.01, block=0.03, drift=0.003),
    Scenario("spiky", setup=0.01, block=0.05, every_s=7.0, lasts_s=0.3, factor=3.0),
    Scenario("drifting", setup=0.01, block=0.03, drift=0.05),
    Scenario("lab-quiet", setup=0.02, block=0.06, drift=0.02, every_s=120.0, lasts_s=4.0, factor=1.6),
    Scenario("lab-busy", setup=0.02, block=0.15, every_s=15.0, lasts_s=10.0, factor=2.3),
)
"""Source: our choice, after what a practice lab's own attempts showed on a quiet and on a loaded computer."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulated comparison.

    Attributes:
        ranking: What the program says of it.
        last: The last interim result.
        seconds: How long it took in simulated time.
        true_ms: Each candidate's true latency by its suite's name.
    """

    ranking: Ranking
    last: InterimResult
    seconds: float
    true_ms: dict[str, float]


def simulate(true_ms: Sequence[float], scenario: Scenario, seed: int, verdicts: Sequence[Verdict] = ()) -> Simulated:
    """Run one adaptive comparison.

    Args:
        true_ms: Latency of each candidate in ms.
        scenario: The noise.
        seed: Of the noise and of the order.
        verdicts: Of the candidates; all Recommended where none are given.
    """
    rng = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(len(true_ms))]
    judged = list(verdicts) or [Verdict.RECOMMENDED] * len(names)
    candidates = [Candidate("vpn", name, f"VPN {name}", verdict) for name, verdict in zip(names, judged, strict=True)]
    keys = tuple(
        AttemptKey(position, "vpn", name, "as-found", number)
        for position, (number, name) in enumerate((number, name) for number in range(1, 9) for name in names)
    )
    plan = CampaignPlan(pair(is_lab=False), PROFILE, tuple(candidates), keys, (1.0,) * len(keys))
    attempts: list[Attempt] = []
    left, clock_s, number = list(range(len(names))), 0.0, 0
    phase = rng.uniform(0, max(1.0, scenario.every_s))
    while True:
        number += 1
        began_s = clock_s
        blocks, clock_s = _round(rng, scenario, [true_ms[i] for i in left], clock_s + SETUP_S, phase)
        for i, (values, is_counted) in zip(left, blocks, strict=True):
            key = next(one for one in keys if one.round == number and one.suite == names[i])
            attempts.append(_attempt(key, values, is_counted, began_s, clock_s))
        result = interim(plan, attempts, elapsed_s=clock_s, round_s=clock_s - began_s)
        open_names = [one.suite for one in result.candidates if one.state is CandidateState.OPEN]
        left = [i for i in left if names[i] in open_names]
        if result.stop is not None:
            break
    record = CampaignRecord(
        1, plan, CampaignStatus.COMPLETED, STARTED, STARTED + timedelta(seconds=clock_s),
        {"a": facts(), "b": facts("gw-b")}, tuple(attempts), "0",
    )  # fmt: skip
    return Simulated(rank(record), result, clock_s, dict(zip(names, true_ms, strict=True)))


def _round(
    rng: np.random.Generator, scenario: Scenario, true_ms: Sequence[float], clock_s: float, phase_s: float
) -> tuple[list[tuple[list[float], list[bool]]], float]:
    setups = np.exp(rng.normal(0.0, scenario.setup, len(true_ms)))
    blocks: list[tuple[list[float], list[bool]]] = [([], []) for _ in true_ms]
    cycles: list[float] = []
    for _ in range(MOST_CYCLES):
        values = [0.0] * len(true_ms)
        for i in rng.permutation(len(true_ms)):
            clock_s += BLOCK_S
            noise = math.exp(rng.normal(0.0, scenario.block) + scenario.drift * clock_s / 100)
            is_loaded = scenario.every_s and (clock_s + phase_s) % scenario.every_s < scenario.lasts_s
            values[i] = true_ms[i] * setups[i] * noise * (scenario.factor if is_loaded else 1.0)
        value = cycle_value_ms(values)
        is_counted = not is_disturbed(cycles, value)
        cycles.append(value)
        for i, one in enumerate(values):
            blocks[i][0].append(one)
            blocks[i][1].append(is_counted)
        if sum(blocks[0][1]) >= CYCLES:
            break
    return blocks, clock_s + 2.0 * len(true_ms)


def _attempt(
    key: AttemptKey, values: Sequence[float], is_counted: Sequence[bool], began_s: float, ended_s: float
) -> Attempt:
    times = np.array([round(1_000 * value) for value in values], dtype=np.uint32)
    series = tuple(LatencySeries(size, times.size, times.size, 0, times) for size in FRAME_BYTES)
    return Attempt(
        key, AttemptStatus.COMPLETED, "", "", STARTED + timedelta(seconds=began_s),
        STARTED + timedelta(seconds=ended_s), latency=series,
        blocks=tuple(Block(i + 1, float(i), counts) for i, counts in enumerate(is_counted)),
    )  # fmt: skip
