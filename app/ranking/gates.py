"""Verdicts on the conditions of an attempt: whether hosts and computer were quiet enough for its figures to count."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.domain.gates import Gate, GateName, GateVerdict, HostReadings
from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from app.domain.results import LOST_RTT_US, Attempt, Block, LatencySeries
from app.ranking.summaries import median_over_p5, median_us
from app.wording.language import tr
from app.wording.numbers import figure

MOST_REPEATS = 3
"""An attempt is measured again so often at most. Source: our choice."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a gate, infinite where it has none.

    Attributes:
        doubt: Above it the figures are doubted.
        repeat: Above it they are measured again.
        bar: Above it the candidate is barred without a repeat.
    """

    doubt: float = math.inf
    repeat: float = math.inf
    bar: float = math.inf


LIMITS = {
    # Source: attempts of practice labs. Undisturbed ones had 1.14 to 1.35; above 1.5 were 14 of 15 that were more than
    # 25 % too slow.
    GateName.SPREAD: Limits(1.5, 2.0),
    # Source: 300 blocks of user-space VPNs on a loaded computer; above 1, medians were 1.1 to 1.6 times too high, above
    # 3 they were 3.6 times too high.
    GateName.DAEMON_WAIT: Limits(0.3, 3.0),
    # Source: our choice, after the spread of the same attempts over rounds.
    GateName.ROUNDS: Limits(25.0, bar=50.0),
    # Source of the following ones: our choice.
    GateName.STEAL: Limits(2.0, 10.0),
    GateName.OWN_LOAD: Limits(0.5, 1.0),
    GateName.DROPS: Limits(0.0),
    GateName.CLOCK_STEP: Limits(100.0, 1_000.0),
    GateName.THROTTLING: Limits(repeat=0.0),
    # Frames of protocols without a listener, as a switch's spanning tree every 2 s, count as dropped.
    GateName.UNDERLAY_DROPS: Limits(10.0, 1_000.0),
    # As `app.probes.blocks` ends the warm-up.
    GateName.WARM_UP: Limits(1.05),
    # Half of the 10 % by which candidates are distinguished: medians are wrong by half a step at most.
    GateName.RTT_RESOLUTION: Limits(5.0),
}
"""By gate, in its unit: ratio, ratio, percent, percent, cores, packets, ms, times, packets, ratio, percent."""

SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")
"""Clock sources that take microseconds to read, or tick in milliseconds. Source: Linux, drivers/clocksource."""

SLOW_GOVERNORS = ("powersave", "conservative", "userspace")
"""Governors that hold the lowest frequency, leave it in small steps, or hold one that another program sets.

`schedutil` and `ondemand` follow the load up to the highest frequency, as the drivers below do. Source: Linux,
Documentation/admin-guide/pm/cpufreq.rst.
"""

SCALING_BY_LOAD = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")
"""Drivers whose `powersave`, the usual default, follows the load: no generic governor, but an algorithm of their own.

Source: Linux, Documentation/admin-guide/pm/intel_pstate.rst and amd-pstate.rst, active mode; the last is the name in
Linux 6.3 and 6.4.
"""

_SLOW_WITHOUT_DRIVER = (*SLOW_GOVERNORS, "ondemand")
"""Governors doubted by earlier versions, which read no driver: their stored verdicts remain."""

_NOT_PASSED = (GateVerdict.REPEAT, GateVerdict.FAILED)

_LIKE_BARE = 1.1
"""A candidate's spread up to this multiple of the bare link's is the link's own. Source: our choice."""

_LIKE_LEAST = 1.5
"""A candidate's spread up to this multiple of its least one is its own. Source: our choice; attempts that were over
25 % too slow were above it."""

_STEPS_US = (10_000, 1_000, 100, 10)
"""Possible steps of round-trip times, largest first, in µs. Source: iputils 20240905, ping.c; toybox 0.8, ping.c."""

_WHOLE_MS_US = 1_000
"""Step where each round-trip time is 0."""

_FEWEST_REPLIES = 20
"""Fewer replies of a frame size may be multiples of a step by chance. Source: our choice."""

_SHORTEST_RTT_US = 20.0
"""Below it the resolution of ping, 1 µs, is 5 % of the figure. Source: our choice."""


def shown_limits() -> Mapping[GateName, tuple[float | None, float | None, float | None]]:
    """Return by gate above what it is doubted, repeated, and barred without a repeat; None where it has no limit."""
    return {name: (_shown(one.doubt), _shown(one.repeat), _shown(one.bar)) for name, one in LIMITS.items()}


def gates_of(
    attempt: Attempt, *, bare_spread: float | None = None, least_spread: float | None = None
) -> tuple[Gate, ...]:
    """Return the verdicts on an attempt's conditions.

    Args:
        attempt: The attempt; without samples, or without readings, the gates that need them are left out.
        bare_spread: Spread of the bare link: on a link that varies by itself (radio) a candidate may do so as well.
        least_spread: Least spread of all attempts of this candidate; None where it is the only one. A candidate that
            always varies as much is not disturbed.

    Returns:
        One gate per reading; those that both hosts report, for the host that is worse.
    """
    gates = [_spread(attempt, bare_spread, least_spread), _wait(attempt)]
    readings = attempt.readings
    gates.append(
        _worst(
            GateName.STEAL,
            {side: one.steal_pct for side, one in readings.items()},
            tr("{reading} % of the CPU taken on {side}"),
        )
    )
    gates.append(
        _worst(
            GateName.DROPS,
            {side: one.drops for side, one in readings.items()},
            tr("{reading} packets dropped on {side}"),
        )
    )
    gates.append(
        _worst(
            GateName.UNDERLAY_DROPS,
            {side: one.underlay_drops for side, one in readings.items()},
            tr("{reading} packets dropped or damaged by the underlay's interface on {side}"),
        )
    )
    gates += [_warm_up(attempt), _resolution(attempt)]
    steps = {side: None if one.clock_step_ms is None else abs(one.clock_step_ms) for side, one in readings.items()}
    gates.append(_worst(GateName.CLOCK_STEP, steps, tr("{reading} ms by which the clock was set on {side}")))
    gates.append(_throttling(readings.items()))
    clocks = {side: one.clock_source for side, one in readings.items()}
    gates.append(_named(GateName.CLOCK_SOURCE, clocks, {side for side, one in clocks.items() if one in SLOW_CLOCKS}))
    slow = {side for side, one in readings.items() if _has_slow_governor(one)}
    gates.append(_named(GateName.GOVERNOR, {side: _governor(one) for side, one in readings.items()}, slow))
    if attempt.own_load_cores is not None:
        words = tr("{cores} cores of this computer busy with other work").format(
            cores=figure(attempt.own_load_cores, 2)
        )
        gates.append(_judged(GateName.OWN_LOAD, attempt.own_load_cores, words))
    return tuple(_final(gate, attempt.repeats) for gate in gates if gate is not None)


def repeats_of(attempts: Iterable[Attempt]) -> int:
    """Return how often the blocks of a round were measured again, over all rounds: candidates of a round share it."""
    by_round: dict[int, int] = defaultdict(int)
    for one in attempts:
        by_round[one.key.round] = max(by_round[one.key.round], one.repeats)
    return sum(by_round.values())


def rounds_gate(spread_pct: float) -> Gate:
    """Return the verdict on how much a candidate's rounds differ once the rounds' own effects are taken off.

    Args:
        spread_pct: Standard deviation of what is left, in percent.
    """
    return _judged(GateName.ROUNDS, spread_pct, tr("rounds differ by {change} %").format(change=figure(spread_pct, 2)))


def busy_gate(gates: Sequence[Gate]) -> Gate | None:
    """Return the gate that a candidate did not pass however often it was measured; None if it passed all."""
    return next((gate for gate in gates if gate.verdict in _NOT_PASSED), None)


def worst_gates(many: Iterable[Sequence[Gate]]) -> tuple[Gate, ...]:
    """Return the worst verdict of each gate over several attempts.

    Where at least half of the attempts passed all gates, a worse verdict is a doubt only: its rounds are few among good
    ones. An attempt that did not pass counts once, whichever gates those were.
    """
    attempts = list(many)
    order = list(GateVerdict)
    found: dict[GateName, list[Gate]] = {}
    for gate in (one for gates in attempts for one in gates):
        found.setdefault(gate.name, []).append(gate)
    worst = [max(found[name], key=lambda one: _badness(one, order)) for name in GateName if name in found]
    if 2 * sum(busy_gate(gates) is not None for gates in attempts) > len(attempts):
        return tuple(worst)
    return tuple(replace(one, verdict=GateVerdict.DOUBT) if one.verdict in _NOT_PASSED else one for one in worst)


def spread_of(attempt: Attempt) -> float | None:
    """Return the weighted mean over frame sizes of median over 5 % quantile; None where a size was not answered.

    Delays by load stretch the upper half of a distribution and leave its lower end: 1.14 to 1.35 are undisturbed.
    """
    ratios = {series.frame_bytes: median_over_p5(_counted(series, attempt.blocks)) for series in attempt.latency}
    pairs = [(ratios.get(size), weight) for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True)]
    if any(ratio is None for ratio, _ in pairs):
        return None
    return math.fsum(ratio * weight for ratio, weight in pairs if ratio is not None)


def _shown(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def _badness(gate: Gate, order: Sequence[GateVerdict]) -> tuple[int, float]:
    return order.index(gate.verdict), gate.value if gate.value is not None else -math.inf


def _counted(series: LatencySeries, blocks: Sequence[Block]) -> npt.NDArray[np.uint32]:
    """Return the answered samples of a series, of those blocks that count, in µs."""
    samples = series.rtt_us
    if blocks:
        parts = samples.reshape(len(blocks), -1)
        is_counted = np.array([block.is_counted for block in blocks])
        samples = parts[is_counted].ravel() if is_counted.any() else samples
    answered: npt.NDArray[np.uint32] = samples[samples != LOST_RTT_US]
    return answered


def _spread(attempt: Attempt, bare_spread: float | None, least_spread: float | None) -> Gate | None:
    spread = spread_of(attempt)
    if spread is None:
        return None
    words = tr("median RTTs {times} times the shortest ones").format(times=figure(spread, 2))
    gate = _judged(GateName.SPREAD, spread, words)
    if gate.verdict is not GateVerdict.REPEAT:
        return gate
    if bare_spread is not None and spread <= _LIKE_BARE * bare_spread:
        return replace(gate, verdict=GateVerdict.DOUBT, words=tr("{words}, as on the bare link").format(words=words))
    if least_spread is not None and spread <= _LIKE_LEAST * least_spread:
        return replace(gate, verdict=GateVerdict.DOUBT, words=tr("{words}, as in each round").format(words=words))
    return gate


def _wait(attempt: Attempt) -> Gate | None:
    """Judge how long daemons waited for a CPU per request, against the shortest RTTs."""
    waits = [one.wait_ms for one in attempt.readings.values() if one.wait_ms is not None]
    watched = [one.requests for one in attempt.readings.values() if one.requests is not None]
    sent = max(watched, default=sum(series.sent for series in attempt.latency))
    smallest = next(
        (_counted(one, attempt.blocks) for one in attempt.latency if one.frame_bytes == FRAME_BYTES[0]), None
    )
    if not waits or not sent or smallest is None or not smallest.size:
        return None
    floor_us = max(_SHORTEST_RTT_US, float(np.quantile(smallest, 0.05)))
    share = 1_000 * sum(waits) / sent / floor_us
    return _judged(
        GateName.DAEMON_WAIT,
        share,
        tr("daemons waited for a CPU {times} times the shortest RTT").format(times=figure(share, 2)),
    )


def _warm_up(attempt: Attempt) -> Gate | None:
    """Judge whether the last two windows of the warm-up agreed; nothing where no latency was measured."""
    ratio = attempt.warm_up_ratio
    if not attempt.latency:
        return None
    if ratio is None:
        return Gate(GateName.WARM_UP, None, GateVerdict.OK, tr("not reported"))
    words = tr("round-trip times just before the end of the warm-up {times} times those at its end")
    return _judged(GateName.WARM_UP, ratio, words.format(times=figure(ratio, 3)))


def _resolution(attempt: Attempt) -> Gate | None:
    """Judge the steps in which the pinging host tells round-trip times, against their median."""
    if not attempt.latency:
        return None
    known = [found for one in attempt.latency if (found := _step_us(_counted(one, attempt.blocks))) is not None]
    if not known:
        return Gate(GateName.RTT_RESOLUTION, None, GateVerdict.OK, tr("not known: too few replies"))
    step_us, median_us = max(known, key=lambda one: one[0] / one[1])
    share = 100.0 * step_us / median_us
    return _judged(
        GateName.RTT_RESOLUTION,
        share,
        tr("round-trip times in steps of {step} µs, {share} % of their median").format(
            step=figure(step_us), share=figure(share, 2)
        ),
    )


def _step_us(samples: npt.NDArray[np.uint32]) -> tuple[float, float] | None:
    """Return the largest power of ten that all samples are multiples of, and their median, in µs.

    ping prints three digits below 1 ms and fewer above, or whole milliseconds; a slow clock has steps of its own.
    """
    if samples.size < _FEWEST_REPLIES:
        return None
    step = next((one for one in _STEPS_US if not (samples % one).any()), 1) if samples.any() else _WHOLE_MS_US
    return float(step), max(median_us(samples), float(step))


def _worst(name: GateName, values: Mapping[str, float | None], words: str) -> Gate | None:
    if not values:
        return None
    known = {side: value for side, value in values.items() if value is not None}
    if not known:
        return Gate(name, None, GateVerdict.OK, tr("not reported"))
    side = max(known, key=lambda one: known[one])
    return _judged(
        name,
        float(known[side]),
        words.format(reading=figure(float(known[side]), 2), side=side.upper()),
    )


def _throttling(readings: Iterable[tuple[str, HostReadings]]) -> Gate | None:
    known = {side: one.throttled for side, one in readings if one.throttled is not None}
    if not known:
        return None
    side = max(known, key=lambda one: known[one])
    words = tr("throttled {number} times on {side}").format(number=known[side], side=side.upper())
    return _judged(GateName.THROTTLING, float(known[side]), words)


def _governor(one: HostReadings) -> str:
    return f"{one.governor} ({one.scaling_driver})" if one.governor and one.scaling_driver else one.governor


def _has_slow_governor(one: HostReadings) -> bool:
    if not one.scaling_driver:
        return one.governor in _SLOW_WITHOUT_DRIVER
    return one.governor in SLOW_GOVERNORS and one.scaling_driver not in SCALING_BY_LOAD


def _named(name: GateName, found: Mapping[str, str], slow: Collection[str]) -> Gate | None:
    """Judge what hosts report by name.

    Args:
        slow: Sides whose figures it makes doubtful.
    """
    known = {side: value for side, value in found.items() if value}
    if not known:
        return None
    bad = {side: value for side, value in known.items() if side in slow}
    words = ", ".join(
        tr("{reading} on {side}").format(reading=value, side=side.upper()) for side, value in (bad or known).items()
    )
    return Gate(name, None, GateVerdict.DOUBT if bad else GateVerdict.OK, words)


def _judged(name: GateName, value: float, words: str) -> Gate:
    limits = LIMITS[name]
    by_limit = (
        (limits.bar, GateVerdict.FAILED),
        (limits.repeat, GateVerdict.REPEAT),
        (limits.doubt, GateVerdict.DOUBT),
    )
    verdict = next((verdict for limit, verdict in by_limit if value > limit), GateVerdict.OK)
    return Gate(name, value, verdict, words)


def _final(gate: Gate, repeats: int) -> Gate:
    """Return a gate that failed for good where its attempt may not be repeated once more."""
    if gate.verdict is not GateVerdict.REPEAT or repeats < MOST_REPEATS:
        return gate
    return Gate(gate.name, gate.value, GateVerdict.FAILED, gate.words)
