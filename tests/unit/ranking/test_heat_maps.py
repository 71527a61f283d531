"""Heat maps of studies: published and own differences, the other order, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from app.domain.hub_study import HubBound, HubKind, HubResult
from app.domain.node_study import NodeResult
from app.domain.results import CpuUsage
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, comparison_studies, published_figures
from app.ranking.heat_maps import HeatMap, HeatValue, agreed, difference, differences, places_apart
from app.ranking.hub_study import hub_cells, published_rates
from app.ranking.node_study import node_settings
from app.ranking.own_study_figures import compared_orders
from app.ranking.repeated_study import RepeatedStudy, unmeasured_study
from app.ranking.study_maps import comparison_maps, hub_maps, node_maps
from app.reports.heat_map_view import heat_html, heat_lines, heat_text, shown_pct

STUDIES = comparison_studies()
IPSEC_TLS, INDUSTRIAL = STUDIES["ipsec-tls-2011"], STUDIES["industrial-2019"]
SETTINGS = [one.name for one in node_settings()]


def repeated(study: ComparisonStudy, own: Mapping[Cell, Figures]) -> RepeatedStudy:
    return RepeatedStudy(study, own, compared_orders(study, own))


def node_result(nth: int, *, latency_ms: float, mbit_s: float) -> NodeResult:
    return NodeResult(SETTINGS[nth], 1, latency_ms, mbit_s={"a_to_b": mbit_s, "b_to_a": mbit_s}, own_load_cores=0.1)


def hub_result(solution: str, value: float | None, bound: HubBound = HubBound.HUB) -> HubResult:
    cell = next(one for one in hub_cells() if (one.kind, one.solution) == (HubKind.FLOOD, solution))
    return HubResult(cell, 8, "x", value, bound, hub_cpu=CpuUsage(40.0, 20.0, 20.0, 0.0, 0.0, 60.0))


def place(found: HeatMap, part: str) -> int:
    """Return the number of a cell."""
    return next(nth for nth, name in enumerate(found.names) if part in name)


def test_percents_are_of_the_row_and_positive_where_the_column_is_better() -> None:
    assert difference(100.0, 75.0) == HeatValue(1, 25)
    assert difference(75.0, 100.0) == HeatValue(-1, -33)
    assert (difference(27.1, 29.6).percent, difference(29.6, 27.1).percent) == (-9, 8)
    assert difference(100.0, 75.0, is_more_better=True) == HeatValue(-1, -25)
    assert difference(50.0, 100.0, is_more_better=True) == HeatValue(1, 100)
    assert difference(5.0, 5.0) == HeatValue(0, 0)
    assert difference(0.0, 5.0) == HeatValue(-1), "nothing is a percentage of nothing"


def test_what_is_not_known_has_no_difference() -> None:
    rows = differences([10.0, None, 20.0])
    assert rows[0] == (None, None, HeatValue(-1, -100))
    assert rows[1] == (None, None, None)
    assert places_apart([1.0, 2.0, 2.0])[0] == (None, HeatValue(-1), HeatValue(-1))
    assert places_apart([1.0, 2.0, 2.0])[1] == (HeatValue(1), None, HeatValue(0))
    assert agreed([1.0, None, 3.0], [3.0, 2.0, 1.0]).against == ((0, 2),)


def test_a_study_with_figures_has_a_map_for_each_figure_and_direction() -> None:
    maps = comparison_maps(repeated(IPSEC_TLS, published_figures(IPSEC_TLS)))
    assert len(maps) == len(IPSEC_TLS.figure) * len(IPSEC_TLS.way)
    assert maps[0].title == "Response time, A→B"
    assert len({one.title for one in maps}) == len(maps)
    for one in maps:
        assert one.own == one.published
        assert one.agreement.correlation == pytest.approx(1.0)
        assert one.agreement.against == one.missing == ()
    first = maps[0]
    bare, des = place(first, "Ethernet"), place(first, "OpenVPN 3DES")
    assert first.published[des][bare] == HeatValue(1, round(100 * (0.131 - 0.014) / 0.131))
    rate = next(one for one in maps if one.title == "Rate, A→B")
    assert rate.published[bare][des] == HeatValue(-1, round(100 * (60.98 - 553) / 553)), "more is better"
    assert [one.is_speed for one in maps] == [True] * 6 + [False] * 4, "CPU is no speed"


def test_pairs_in_the_other_order_are_marked_and_listed() -> None:
    own: dict[Cell, Figures] = dict(published_figures(IPSEC_TLS))
    slowest = (IPSEC_TLS.candidate[0].solution, IPSEC_TLS.candidate[0].suite, "a-to-b")
    own[slowest] = {**own[slowest], "response_ms": 1_000.0}
    found = comparison_maps(repeated(IPSEC_TLS, own))[0]
    marked = {(row, column) for row in range(7) for column in range(7) if found.is_reversed(row, column)}
    assert marked == {pair for nth in range(1, 7) for pair in ((0, nth), (nth, 0))}
    assert heat_text(found, 1, 0, is_own=True).endswith("*")
    assert not heat_text(found, 1, 0, is_own=False).endswith("*")
    assert heat_lines(found)[0].startswith("Rank correlation: ")
    assert heat_lines(found)[1].startswith("In the other order (*): 1 Ethernet and ")


def test_places_are_an_order_without_percent() -> None:
    maps = comparison_maps(unmeasured_study(INDUSTRIAL))
    assert len(maps) == len(INDUSTRIAL.order)
    assert len({one.title for one in maps}) == len(maps)
    xeon = next(one for one in maps if one.title == "Weighted latency: Xeon Server")
    macsec, wireguard, tinc, ssh = (place(xeon, name) for name in ("MACsec", "Wireguard", "Tinc", "SSH"))
    assert xeon.published[wireguard][macsec] == HeatValue(1)
    assert [heat_text(xeon, wireguard, one, is_own=False) for one in (macsec, tinc)] == ["+", "−"]
    assert heat_text(xeon, tinc, ssh, is_own=False) == "="
    assert [shown_pct(HeatValue(one)) for one in (-1, 0, 1)] == [-30, 0, 30]
    assert not xeon.has_own
    page = heat_html([xeon])
    assert page.count("<table") == 1, "the published map alone"
    assert "states places alone" in page


def test_own_figures_are_compared_with_places() -> None:
    rates = {"wireguard": 900.0, "macsec": 500.0, "tinc": 600.0, "ssh": 1_000.0}
    own: dict[Cell, Figures] = {
        (one.solution, one.suite, "both"): {"weighted_latency_ms": 1.0, "throughput_mbit_s": rates[one.solution]}
        for one in INDUSTRIAL.candidate
        if one.solution in rates
    }
    maps = comparison_maps(repeated(INDUSTRIAL, own))
    found = next(one for one in maps if one.title == "Throughput: Raspberry Pi 3")
    wireguard, ssh, macsec = (place(found, name) for name in ("Wireguard", "SSH", "MACsec"))
    assert found.own[wireguard][macsec] == HeatValue(-1, -44)
    assert found.agreement.against == ((ssh, wireguard),)
    assert found.agreement.correlation is not None
    assert found.agreement.correlation > 0, "place 1 is the highest rate"
    assert heat_html([found]).count("<table") == 2


def test_the_study_with_nodes_has_what_its_text_states() -> None:
    throughput, latency = node_maps(())
    assert (throughput.title, latency.title) == ("Throughput", "Latency")
    assert throughput.published == (
        (None, HeatValue(1), None, None),
        (HeatValue(-1), None, HeatValue(-1, -50), None),
        (None, HeatValue(1, 100), None, HeatValue(-1, -50)),
        (None, None, HeatValue(1, 100), None),
    )
    assert latency.published[1][2] == HeatValue(-1, -100)
    assert latency.published[2][1] == HeatValue(1, 50)
    assert latency.published[2][3] is None, "not in the text"
    assert not throughput.has_own


def test_own_pairs_of_nodes_in_the_other_order_are_named() -> None:
    own = [node_result(nth, latency_ms=1.0 + nth, mbit_s=400.0 - 100 * nth) for nth in range(3)]
    throughput, latency = node_maps(own)
    assert throughput.own[0][1] == HeatValue(-1, -25)
    assert throughput.agreement.against == ((1, 0),), "the study has MACsec ahead of none"
    assert (throughput.agreement.pairs, throughput.agreement.same) == (2, 1)
    assert throughput.missing == (3,)
    lines = heat_lines(throughput)
    assert lines[0] == "In the other order (*): 2 MACsec over L2TP and 1 Baseline over L2TP."
    assert lines[1] == "Not measured (–): 4 MACsec plus WireGuard."
    assert "no rank correlation" in lines[2]
    assert latency.agreement.against == ()


def test_the_hub_has_its_rates_and_says_which_are_lower_bounds() -> None:
    (found,) = hub_maps([hub_result("openvpn-udp", 40.0), hub_result("ipsec", 20.0, HubBound.CLIENTS)])
    openvpn, ipsec, ssh = (place(found, name) for name in ("OpenVPN", "IPsec", "OpenSSH"))
    assert {one.rate_s for one in published_rates()} == {25.0}
    assert found.published[openvpn][ipsec] == HeatValue(0, 0)
    assert found.published[openvpn][ssh] is None
    assert found.own[openvpn][ipsec] == HeatValue(-1, -50)
    lines = "\n".join(heat_lines(found))
    assert "did not search for its own: IPsec." in lines
    assert "lower bounds: IPsec." in lines


def test_what_failed_at_the_hub_is_not_called_unmeasured() -> None:
    (found,) = hub_maps([hub_result("openvpn-udp", 40.0), hub_result("wireguard", None)])
    lines = heat_lines(found)
    assert f"Failed (–): {place(found, 'WireGuard') + 1} WireGuard." in lines
    assert any(line.startswith("Not measured (–): ") and "WireGuard" not in line for line in lines)
