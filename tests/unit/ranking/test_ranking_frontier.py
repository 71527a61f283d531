"""Latency and throughput of candidates, and which of them no other one outdoes."""

from __future__ import annotations

from dataclasses import replace

from app.domain.ranking import Estimate
from app.ranking.frontier import frontier
from app.ranking.rank import rank
from support.sample_records import sample_record


def test_what_has_both_figures_is_a_point_and_what_lacks_one_is_left_out() -> None:
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
    assert "baseline" in points
    assert "openvpn-udp" not in points
