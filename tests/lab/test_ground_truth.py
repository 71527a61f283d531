"""Comparisons of tunnels whose true order is known, because the paths of some of them are made longer.

Five candidates are one and the same VPN: two have equal paths, one a path that makes it 5 to 7 % slower, one a path
that makes it 11 to 14 % slower, one a longer path; the sixth is another VPN on a path that is longer still. Only
latency is measured, which is what decides.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app.domain.capture import CaptureReport
from app.domain.commands import SessionPair
from app.domain.profiles import ADAPTIVE_PROFILE, BLOCK_PINGS
from app.domain.ranking import AdviceKind, Ranking
from app.domain.results import CampaignPlan, Candidate
from app.domain.verdicts import Verdict
from app.lab import Lab
from app.measurement.adaptive import AdaptiveComparison
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.host_probes import HostProbes
from app.measurement.adaptive.probes import RoundProbes, Transfer
from app.measurement.comparison import plan_campaign
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts, run_campaign
from app.measurement.work import ComparisonContext
from app.ranking import rank
from app.storage import Store
from support.busy_hosts import busy_computer, spikes
from support.lab_pairs import LabPair
from support.shaped_tunnels import ShapedTunnels, Twins
from vpn_adapters.registry import ADAPTERS

TWIN_DELAYS_MS = {"first": 0.5, "second": 0.5, "close": 0.6, "near": 0.7, "third": 1.2}
"""Delay of the path of each candidate of the same VPN in ms, by suite.

The tunnels add 0.9 to 1.4 ms of their own on a lab of a quiet computer: 1.4 to 1.9 ms in all for the first two, so that
`close` is 5 to 7 % and `near` 11 to 14 % slower.
"""

DELAYS_MS = {**TWIN_DELAYS_MS, "other": 2.0}
"""Delay of each path in ms, by suite."""

_FAR_MS = 0.4
"""From this difference on, some 20 %, a quiet computer has to tell two apart; below, the claim may be missing."""

HALF_BLOCK = tuple(count // 2 for count in BLOCK_PINGS)
"""For rounds that are short enough for several of them in every run of the tests."""


class PathProbes(HostProbes):
    """Measures latency alone."""

    def transfer(self, draft: Draft, **_: Any) -> Transfer:
        return Transfer((), {})

    def capture(self, draft: Draft, **_: Any) -> CaptureReport:
        return CaptureReport()


class PathComparison(AdaptiveComparison):
    """An adaptive comparison of latency."""

    probes: ClassVar[Callable[[ComparisonContext], RoundProbes]] = PathProbes


def plan_of(lab: Lab, budget_s: float, block_pings: tuple[int, ...]) -> CampaignPlan:
    candidates = [Candidate("baseline", "none", "Bare link", Verdict.UNPROTECTED, (), is_unprotected=True)]
    candidates += [Candidate(_solution(suite), suite, suite, Verdict.RECOMMENDED) for suite in DELAYS_MS]
    profile = replace(ADAPTIVE_PROFILE, budget_s=budget_s, block_pings=block_pings)
    return plan_campaign(lab.pair, candidates, profile, seed=1)


def compare(
    lab: Lab,
    pair: LabPair,
    folder: Path,
    *,
    budget_s: float,
    block_pings: tuple[int, ...] = BLOCK_PINGS,
    growth: float = 0.0,
) -> Ranking:
    """Return what the program finds.

    Args:
        growth: Share by which all delays grow each time that the tunnels are set up.
    """
    adapters = {
        "baseline": ADAPTERS["baseline"],
        "wireguard": Twins(ADAPTERS["wireguard"], tuple(TWIN_DELAYS_MS)),
        "openvpn-udp": Twins(ADAPTERS["openvpn-udp"], ("other",)),
    }
    facts = dict(zip("ab", pair.facts, strict=True))
    plan = plan_of(lab, budget_s, block_pings)
    set_ups = iter(range(1_000))
    current = [0.0]

    def delay_ms(_solution: str, suite: str) -> float:
        if suite == "first":
            current[0] = next(set_ups)
        return DELAYS_MS[suite] * (1 + growth * current[0])

    with Store.open(folder / "tunnelmark.db") as store:
        tunnels = ShapedTunnels(plan.pair, pair.sessions, pair.link, facts, (), store.audit, delay_ms=delay_ms)
        hosts = CampaignHosts(pair.sessions, adapters, pair.link, facts, (), tunnels=tunnels)
        record = run_campaign(
            PathComparison, plan, hosts, store=store, control=CampaignControl(), emit=lambda _: None, version="0"
        )
    ranking = rank(record)
    _print(ranking)
    return ranking


def _solution(suite: str) -> str:
    return "openvpn-udp" if suite == "other" else "wireguard"


def _print(ranking: Ranking) -> None:
    for place, one in zip(ranking.ranking, ranking.results, strict=False):
        print(place.rank, one.suite, one.weighted_latency_ms, one.ratio_to_best, place.tied_with)
    print(ranking.rounds, ranking.recommendation.kind, ranking.recommendation.sentence)
    for one in ranking.results:
        print(one.suite, [(gate.name.value, gate.value, gate.verdict.value) for gate in one.gates])


def claimed(ranking: Ranking) -> set[tuple[str, str]]:
    """Return the pairs that the program says differ, the faster one first."""
    places = [one for one in ranking.ranking if one.rank is not None]
    return {(one.suite, other.suite) for one, other in combinations(places, 2) if other.suite not in one.tied_with}


def twin_latencies_ms(ranking: Ranking) -> dict[str, float]:
    """Return the true latency of each candidate of the same VPN: its delay, and what its tunnel adds, in ms.

    All add the same: the least that is seen of any.
    """
    seen = {one.suite: one.weighted_latency_ms for one in ranking.results if one.suite in TWIN_DELAYS_MS}
    own_ms = min(found.mean - TWIN_DELAYS_MS[suite] for suite, found in seen.items() if found is not None)
    return {suite: own_ms + delay_ms for suite, delay_ms in TWIN_DELAYS_MS.items()}


def check_truth(ranking: Ranking) -> None:
    """Fail if a claim is false: that equals differ, that the slower one is faster, or the advice.

    Within 10 % is as good. How much `near` is slower depends on what the tunnels add, so that it is not as good on a
    quiet computer; where nothing is decided, it may be named as the one that seems the best.
    """
    false = [(faster, slower) for faster, slower in claimed(ranking) if DELAYS_MS[faster] >= DELAYS_MS[slower]]
    assert false == []
    advice = ranking.recommendation
    assert advice.suite in (None, "first", "second", "close", "near")
    if advice.suite is None or advice.kind is AdviceKind.NOT_DECIDED:
        return
    eligible = {one.suite for one in ranking.results if one.barrier is None} & DELAYS_MS.keys()
    true_ms = twin_latencies_ms(ranking)
    assert true_ms[advice.suite] <= 1.10 * min(true_ms[one] for one in eligible & true_ms.keys())
    if advice.kind is AdviceKind.CLEAR:
        assert all(DELAYS_MS[one] > DELAYS_MS[advice.suite] for one in eligible - {advice.suite})


@pytest.mark.timeout(400)
@pytest.mark.full
def test_true_order_is_found_and_equals_are_not_called_different(lab: Lab, lab_pair: LabPair, tmp_path: Path) -> None:
    ranking = compare(lab, lab_pair, tmp_path, budget_s=90.0, block_pings=HALF_BLOCK)

    check_truth(ranking)
    if any(one.barrier is not None for one in ranking.results if one.suite in DELAYS_MS):
        return  # this computer was too busy for more than not being wrong
    order = [one.suite for one in ranking.ranking if one.rank is not None]
    assert sorted(order[:4]) == ["close", "first", "near", "second"]
    assert order[4:] == ["third", "other"]
    if ranking.rounds > 1:  # a single round decides nothing
        assert {("first", "other"), ("second", "other")} <= claimed(ranking)


def on_gateway(pair: SessionPair) -> AbstractContextManager[None]:
    return spikes(pair.a)


def on_computer(_pair: SessionPair) -> AbstractContextManager[None]:
    return busy_computer()


def nowhere(_pair: SessionPair) -> AbstractContextManager[None]:
    return nullcontext()


@pytest.mark.full
@pytest.mark.timed
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("load", "growth"),
    [(nowhere, 0.0), (on_gateway, 0.0), (on_computer, 0.0), (nowhere, 0.08)],
    ids=["quiet", "spiky", "loaded", "drifting"],
)
def test_no_claim_is_false_whatever_disturbs_the_hosts(
    lab: Lab,
    lab_pair: LabPair,
    tmp_path: Path,
    load: Callable[[SessionPair], AbstractContextManager[None]],
    growth: float,
) -> None:
    with load(lab_pair.sessions):
        ranking = compare(lab, lab_pair, tmp_path, budget_s=300.0, growth=growth)

    check_truth(ranking)
    if load is nowhere:  # elsewhere the right order is not promised, but no advice where it is not known
        far = {(a, b) for a, b in combinations(DELAYS_MS, 2) if DELAYS_MS[b] - DELAYS_MS[a] >= _FAR_MS}
        assert far <= claimed(ranking)
