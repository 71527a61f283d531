"""Candidates that no other one beats in both latency and throughput."""

from __future__ import annotations

from dataclasses import replace

from app.domain.ranking import Estimate
from app.ranking.frontier import frontier
from app.ranking.rank import rank
from support.sample_records import sample_record


def test_only_protected_candidates_that_none_beats_are_on_the_frontier() -> None:
    ranking = rank(sample_record(rounds=2, pings=20))
    points = {one.result.solution: one for one in frontier(ranking)}
    assert points["wireguard"].is_on_frontier
    assert not points["baseline"].is_on_frontier, "the bare link is no rival"
    assert not points["openvpn-tcp"].is_on_frontier, "slower in both"


def test_better_in_one_figure_is_enough_and_what_lacks_a_figure_is_left_out() -> None:
    ranking = rank(sample_record(rounds=2, pings=20))
    fast = {"a_to_b": Estimate(900.0, None, 1), "b_to_a": Estimate(700.0, None, 1)}
    results = tuple(
        replace(one, throughput_mbit_s=fast)
        if one.solution == "openvpn-tcp"
        else replace(one, weighted_latency_ms=None)
        if one.solution == "openvpn-udp"
        else one
        for one in ranking.results
    )
    points = {one.result.solution: one for one in frontier(replace(ranking, results=results))}
    assert points["openvpn-tcp"].throughput_mbit_s == 800
    assert {name for name, one in points.items() if one.is_on_frontier} == {"wireguard", "openvpn-tcp"}
    assert "openvpn-udp" not in points
