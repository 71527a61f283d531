"""Differences between candidates, on seeded simulated comparisons whose true differences are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import stdtr

from app.ranking.differences import differences

ATTEMPT_S, BLOCKS, ECHOES = 28.0, 14, 20
"""Seconds of pings in an attempt, blocks of a common disturbance in it, echo requests per block.

Source: standard profile on a practice lab; fewer requests than it makes, to be quick.
"""

MIX8_MS = (1.0, 1.06, 1.15, 1.3, 1.6, 2.0, 2.5, 4.0)
FEW, MANY = 60, 400


@dataclass(frozen=True)
class Scenario:
    """Disturbances of a link. Source: our choice, in the range of measured practice labs and gateways.

    Attributes:
        echo: Standard deviation of the logarithm of one reply.
        setup: The same of each set-up of a tunnel.
        spikes: Share of replies that are 5 to 300 times late.
        drift_per_100_s: Steady drift, up to 35 %.
        wander: Standard deviation of slow changes that last 20 s.
        episodes: Share of the time in which everything is 1.6 times slower.
        setups: Instead of `setup` that of each candidate, over again where there are more.
    """

    echo: float = 0.12
    setup: float = 0.01
    spikes: float = 0.0
    drift_per_100_s: float = 0.0
    wander: float = 0.01
    episodes: float = 0.0
    setups: tuple[float, ...] = ()


SCENARIOS: Mapping[str, Scenario] = {
    "quiet": Scenario(),
    "spiky": Scenario(spikes=0.01),
    "drifting": Scenario(drift_per_100_s=0.05),
    "lab-quiet": Scenario(wander=0.06, episodes=4.0 / 120.0),
    "unequal": Scenario(setups=(0.02, 0.05, 0.12)),
    "one-unsteady": Scenario(setups=(0.15, *(0.01,) * 7)),
}


def compared(
    scenario: Scenario, true_ms: tuple[float, ...], rounds: int, rng: np.random.Generator
) -> list[dict[int, float]]:
    """Return the deciding latency of each candidate by round; even rounds run backwards, as plans do."""
    order = [list(rng.permutation(len(true_ms)))]
    order += [order[0][::-1] if number % 2 else list(rng.permutation(len(true_ms))) for number in range(1, rounds)]
    series: list[dict[int, float]] = [{} for _ in true_ms]
    clock_s = 0.0
    for number, candidates in enumerate(order, 1):
        for one in candidates:
            setup = scenario.setups[one % len(scenario.setups)] if scenario.setups else scenario.setup
            factor = np.exp(_common(scenario, clock_s, rng) + rng.normal(0, setup))
            late = rng.random((BLOCKS, ECHOES)) < scenario.spikes
            echoes = factor[:, None] * np.exp(rng.normal(0, scenario.echo, (BLOCKS, ECHOES)))
            echoes *= np.where(late, rng.uniform(5, 300, (BLOCKS, ECHOES)), 1.0)
            series[one][number] = true_ms[one] * float(np.median(echoes))
            clock_s += ATTEMPT_S + 12.0
    return series


def _common(scenario: Scenario, clock_s: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return the logarithm of what slows every reply of a block."""
    memory, state = math.exp(-ATTEMPT_S / BLOCKS / 20.0), rng.normal(0, scenario.wander)
    blocks = np.empty(BLOCKS)
    for nth in range(BLOCKS):
        state = memory * state + math.sqrt(1 - memory**2) * rng.normal(0, scenario.wander)
        blocks[nth] = state
    blocks += math.log(1.6) * (rng.random(BLOCKS) < scenario.episodes)
    return blocks + min(0.35, scenario.drift_per_100_s * clock_s / 100.0)


def false_claims(scenario: Scenario, campaigns: int, candidates: int = 8, rounds: int = 3) -> float:
    rng = np.random.default_rng(20)
    equal = (1.0,) * candidates
    return sum(bool(differences(compared(scenario, equal, rounds, rng)).decided) for _ in range(campaigns)) / campaigns


def share_decided(scenario: Scenario, campaigns: int) -> float:
    """Return the share of the pairs of MIX8 that differ by more than 5 % and are found in the right order."""
    rng = np.random.default_rng(21)
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8) if MIX8_MS[j] / MIX8_MS[i] > 1.05]
    decided = [differences(compared(scenario, MIX8_MS, 3, rng)).decided for _ in range(campaigns)]
    return sum(pair in found for found in decided for pair in pairs) / (len(pairs) * campaigns)


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.full if one in {"drifting", "unequal"} else ()) for one in SCENARIOS],
)
def test_equal_candidates_are_seldom_called_different(name: str) -> None:
    assert false_claims(SCENARIOS[name], FEW) <= 0.05


def test_three_rounds_tell_most_pairs_of_a_quiet_lab() -> None:
    assert share_decided(SCENARIOS["lab-quiet"], FEW // 2) >= 0.75


@pytest.mark.full
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(("candidates", "rounds"), [(2, 3), (8, 2), (8, 3), (5, 10)])
def test_equal_candidates_in_many_comparisons(name: str, candidates: int, rounds: int) -> None:
    assert false_claims(SCENARIOS[name], MANY, candidates, rounds) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / MANY)


@pytest.mark.full
def test_power_in_many_comparisons() -> None:
    assert share_decided(SCENARIOS["lab-quiet"], MANY) >= 0.75


def test_two_candidates_are_judged_by_students_paired_t() -> None:
    first, second = {1: 1.0, 2: 1.1, 3: 1.05}, {1: 1.3, 2: 1.35, 3: 1.4}
    ratios = np.log(list(first.values())) - np.log(list(second.values()))
    t = ratios.mean() / (ratios.std(ddof=1) / math.sqrt(3))
    found = differences([first, second])
    assert found.between(0, 1).p_value == pytest.approx(2 * stdtr(2, -abs(t)))
    assert found.between(0, 1).log_ratio == pytest.approx(-found.between(1, 0).log_ratio)
    assert found.decided == {(0, 1)}


def test_an_interval_excludes_equality_exactly_where_a_pair_is_decided() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        found = differences(compared(SCENARIOS["quiet"], (1.0, 1.02, 1.05, 1.3), 3, rng))
        for i, j in found.pairs:
            low, high = found.between(i, j).interval or (0.0, 9.0)
            assert (low > 1 or high < 1) == bool({(i, j), (j, i)} & found.decided)


def test_drift_common_to_all_cancels_also_where_rounds_are_missing() -> None:
    drift = {1: 1.0, 2: 1.5, 3: 2.2, 4: 3.1}
    wobble = (1.0, 1.01, 0.99, 1.0)
    series = [{n: ms * drift[n] * wobble[(n + who) % 4] for n in drift} for who, ms in enumerate((1.0, 1.2, 1.5))]
    del series[0][4], series[2][1]
    found = differences(series)
    assert found.decided == {(0, 1), (0, 2), (1, 2)}
    assert found.typical_ms[1] / found.typical_ms[0] == pytest.approx(1.2, rel=0.03)


def test_two_rounds_tell_nothing_below_a_factor_of_1_3() -> None:
    near = [{1: ms, 2: ms * 1.001} for ms in (1.0, 1.25, 1.28)]
    assert not differences(near).decided
    assert differences([{1: ms, 2: ms * (1 + 0.001 * ms)} for ms in (1.0, 1.35, 2.0)]).decided == {
        (0, 1),
        (0, 2),
        (1, 2),
    }


def test_one_round_and_no_candidate_tell_nothing() -> None:
    found = differences([{1: 1.0}, {1: 9.0}])
    assert not found.decided
    assert found.between(0, 1).interval is None
    assert differences([]).typical_ms == ()


@pytest.mark.parametrize(("rounds", "is_exact"), [(2, False), (3, True), (5, True)])
def test_an_interval_excludes_1_where_the_test_finds_a_difference_and_elsewhere_with_two_rounds_only(
    rounds: int, *, is_exact: bool
) -> None:
    rng = np.random.default_rng(1)
    found_elsewhere = 0
    for _ in range(50):
        logs = np.log([1.0, 1.05, 1.15, 1.5])[:, None] + rng.normal(0.0, 0.01, (4, rounds))
        found = differences([dict(enumerate(np.exp(one), start=1)) for one in logs])
        decided = {(min(pair), max(pair)) for pair in found.decided}
        excluding = {
            key for key, one in found.pairs.items() if one.interval and not one.interval[0] <= 1 <= one.interval[1]
        }
        assert excluding >= decided
        found_elsewhere += len(excluding - decided)
    assert (found_elsewhere == 0) is is_exact
