"""Published transfer times over satellite links, and the agreement of own ones with them."""

from __future__ import annotations

import pytest

from app.domain.condition_files import presets
from app.domain.transfers import TransferCell
from app.ranking.published_order import agreement
from app.ranking.published_transfers import published_transfers


def cell(
    solution: str, *, condition: str = "geo", congestion: str = "cubic-hystart", proxy: str = "none"
) -> TransferCell:
    return TransferCell("geo", "cubic-hystart", solution, "none")


def test_all_times_of_the_figure_are_there_and_each_condition_is_known() -> None:
    found = published_transfers()
    assert len(found) == 96
    assert {one.condition for one in found} <= presets().keys()
    assert {one.solution for one in found} == {"none", "openvpn-tcp", "openvpn-udp", "wireguard"}
    assert {one.proxy for one in found} == {"none", "A", "B"}


def test_pairs_that_differ_clearly_in_the_study_are_counted_and_the_others_named() -> None:
    published = {cell("none"): 20.0, cell("wireguard"): 20.5, cell("openvpn-udp"): 30.0, cell("openvpn-tcp"): 40.0}
    own = {cell("none"): 21.0, cell("wireguard"): 20.0, cell("openvpn-udp"): 50.0, cell("openvpn-tcp"): 45.0}
    found = agreement(own, published)
    assert (found.pairs, found.same) == (5, 4)  # none and wireguard are alike in the study
    assert found.against == ((cell("openvpn-tcp"), cell("openvpn-udp")),)
    assert found.correlation == pytest.approx(0.6)


def test_cells_that_were_not_measured_do_not_count() -> None:
    found = agreement({cell("none"): 20.0}, published_transfers())
    assert (found.pairs, found.same, found.correlation, found.against) == (0, 0, None, ())


@pytest.mark.parametrize(("least", "most"), [(0.0, 40.0), (-1.0, 40.0)])
def test_what_differs_most_in_the_study_is_named_first_also_without_a_ratio(least: float, most: float) -> None:
    published = {"a": 20.0, "b": least, "c": 30.0, "d": most}
    own = {name: -value for name, value in published.items()}
    found = agreement(own, published)
    assert (found.pairs, found.same) == (6, 0)
    assert {frozenset(pair) for pair in found.against[:3]} == {frozenset(("b", name)) for name in "acd"}
    assert [frozenset(pair) for pair in found.against[3:]] == [frozenset("ad"), frozenset("ac"), frozenset("cd")]
