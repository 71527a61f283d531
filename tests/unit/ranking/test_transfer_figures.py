"""Figures 3 to 6 of the satellite study from its own times, what is counted, and the advice."""

from __future__ import annotations

import pytest

from app.domain.messages.results import BBR_HERE
from app.domain.transfers import BBR_ON_GATEWAYS, BBR_ON_PROXY, TransferCell, of_solutions
from app.ranking.messages import CARRIER, CONGESTION_CONTROL, FASTEST_WITH_CUBIC, LESS_MATTERS, WHAT_MATTERS
from app.ranking.published_transfers import published_transfers
from app.ranking.study_parts import PARTS, cells_of, missing_cells, predicted_s, split_cells
from app.ranking.transfer_advice import advice, effects
from app.ranking.transfer_figures import figure_maps, figure_tables
from app.ranking.transfer_goals import goals
from support.message_checks import has_message

# Rows of the study's printed figures; its own times are rounded to a tenth of a second, which may move a cell by one.
PRINTED = {
    (3, "CUBIC", 3): (15, 7, None, 8, 10, 11, 11, 12),
    (4, "CUBIC", 0): (None, -15, -29, -14, -5, -4, -10, -2),
    (5, "CUBIC without HyStart", 1): (-35, None, 1, -5, -91, -37, -85, -34),
    (6, "CUBIC without HyStart", 4): (29, 25, 33, 34, None, 0, -4, -3),
    (6, "BBR (here v1, in the study v2)", 1): (29, None, 3, 3, 25, 25, 27, 28),
}
ROWS = {(3, "CUBIC", 3): 2}
"""Row of the table, where it is not the last part of the key."""


def test_the_figures_of_the_study_follow_from_its_table() -> None:
    tables = figure_tables(published_transfers())
    assert [table.figure for table in tables] == [3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6]
    for key, printed in PRINTED.items():
        figure, congestion, row = key
        table = next(one for one in tables if one.figure == figure and one.title.endswith(f", {congestion}"))
        found = table.rows[ROWS.get(key, row)]
        for mine, theirs in zip(found, printed, strict=True):
            assert (mine is None) == (theirs is None)
            assert mine is None or abs(mine - (theirs or 0)) <= 1


def test_missing_times_leave_their_cells_empty() -> None:
    times = {cell: one for cell, one in published_transfers().items() if cell.condition == "geo"}
    del times[TransferCell("geo", "bbr2", "wireguard", "B")]
    tables = figure_tables(times)
    assert [table.figure for table in tables] == [4, 4, 4]
    assert set(tables[2].rows[7]) == {None}
    assert tables[2].rows[0][7] is None
    assert tables[2].rows[0][1] == -9


def test_the_study_reaches_its_own_figures_and_others_miss_them() -> None:
    published = dict(published_transfers())
    assert [goal.is_met for goal in goals(published, published)] == [True, True, True]
    backwards = {cell: 1_000.0 / seconds for cell, seconds in published.items()}
    assert [goal.is_met for goal in goals(backwards, published)] == [False, False, False]
    assert [goal.is_met for goal in goals({}, published)] == [None, None, None]


@pytest.mark.parametrize(
    ("lost", "met"),
    [
        (("geo-loss", "bbr2", "wireguard", "B"), [True, None, True]),
        (("geo", "bbr2", "wireguard", "B"), [True, True, None]),
        (("geo", "bbr2", "openvpn-tcp", "A"), [True, True, True]),
    ],
)
def test_a_goal_is_open_where_a_cell_without_a_time_may_decide_it(
    lost: tuple[str, ...], met: list[bool | None]
) -> None:
    published = dict(published_transfers())
    found = goals({cell: one for cell, one in published.items() if cell != TransferCell(*lost)}, published)
    assert [goal.is_met for goal in found] == met
    backwards = {cell: 1_000.0 / one for cell, one in published.items() if cell != TransferCell(*lost)}
    assert [goal.is_met for goal in goals(backwards, published)][:2] == [False, False]


def test_few_measured_cells_reach_no_goal_of_all() -> None:
    some = {cell: one for cell, one in published_transfers().items() if cell.solution == "none"}
    assert goals(some, some)[0].is_met is True
    assert goals(some, published_transfers())[0].is_met is None


def test_advice_names_transfers_that_did_not_end() -> None:
    published = dict(published_transfers())
    lost = TransferCell("geo", "bbr2", "wireguard", "B")
    found = advice({cell: one for cell, one in published.items() if cell != lost}, [lost])
    (named,) = [one for one in found if one.startswith("geo: without a time")]
    assert "wireguard with" in named
    assert not any("without a time" in one for one in advice(published, [lost]))


def test_cells_without_a_published_time_count_in_no_figure_of_the_study() -> None:
    published = dict(published_transfers())
    # A VPN that is behind with BBR under loss, and the slowest over GEO, where the study has another one.
    added = {
        one: 900.0 if one.congestion == "bbr2" else 1.0
        for one in of_solutions(tuple(published), ("fastd",))
        if one.solution == "fastd"
    }
    assert goals(published | added, published | added) == goals(published, published)
    assert figure_tables(published | added) == figure_tables(published)
    assert figure_maps(published | added, cells_of("all")) == figure_maps(published, cells_of("all"))


def test_advice_names_what_matters_most_first_and_what_does_not() -> None:
    published = published_transfers()
    found = effects(published, "geo-loss")
    assert [one.factor for one in found] == [CONGESTION_CONTROL(), CARRIER(), "PEP"]
    assert has_message(BBR_HERE)(found[0].best)
    assert found[0].ratio > 5.0
    assert (found[1].best, found[1].worst) == ("UDP", "TCP")
    assert found[1].ratio == pytest.approx((50.7 / 38.1 * 49.1 / 37.7) ** 0.5)
    sentences = advice(published)
    text = next(one for one in sentences if has_message(WHAT_MATTERS, condition="geo-loss")(one))
    assert has_message(LESS_MATTERS, factors=("PEP",))(text)
    assert any(has_message(FASTEST_WITH_CUBIC, condition="geo-loss")(one) for one in sentences)


@pytest.mark.parametrize("split_s", [44.0, 39.0])
def test_levels_that_few_cells_have_are_not_best_because_a_third_one_is_slow_there(split_s: float) -> None:
    ways = [(solution, proxy) for solution in ("none", "fastd") for proxy in ("none", "A")]
    own_s = {TransferCell("geo", "bbr2", *way): 40.0 for way in ways}
    own_s |= {TransferCell("geo", "cubic-hystart", *way): 600.0 if way[1] == "A" else 400.0 for way in ways}
    own_s |= {TransferCell("geo", BBR_ON_GATEWAYS, *way): split_s for way in ways if way[1] == "A"}
    congestion, place = effects(own_s, "geo")
    assert has_message(BBR_HERE)(congestion.best)
    assert (congestion.worst, congestion.pairs) == ("CUBIC", 4)
    assert congestion.ratio == pytest.approx((600 * 400) ** 0.5 / 40)
    assert (place.factor, place.ratio, place.pairs) == ("PEP", 1.0, 2), "with and without a PEP"


@pytest.mark.parametrize(("split_s", "is_best"), [(30.0, True), (44.1, False)])
def test_a_level_that_beats_every_other_on_shared_cells_is_best(split_s: float, *, is_best: bool) -> None:
    cells = {TransferCell("geo", "bbr2", "none", proxy): 40.0 for proxy in ("none", "A")}
    found = effects(cells | {TransferCell("geo", BBR_ON_GATEWAYS, "none", "A"): split_s}, "geo")
    congestion = next(one for one in found if one.factor == CONGESTION_CONTROL())
    assert has_message(BBR_HERE)(congestion.worst if is_best else congestion.best)


def test_without_pairs_there_is_no_advice() -> None:
    assert advice({}) == ()
    assert advice({TransferCell("geo", "bbr2", "none", "none"): 30.0}) == ()


def test_comparisons_are_those_of_the_part_with_own_and_published_alike() -> None:
    published = dict(published_transfers())
    figures = {part: [int(one.title[7]) for one in figure_maps(published, cells_of(part))] for part in PARTS}
    assert figures == {
        "quick": [4],
        "no-loss": [3, 3, 3, 4, 4, 4],
        "loss": [5, 5, 5, 6, 6, 6],
        "all": [3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6],
    }
    for one in figure_maps(published, cells_of("all")):
        assert one.own == one.published
        assert one.missing == ()
        assert one.agreement.correlation == pytest.approx(1.0)
        assert not any(one.is_reversed(row, column) for row in range(8) for column in range(8))


def test_maps_have_the_percents_of_the_tables() -> None:
    published = published_transfers()
    for table, found in zip(figure_tables(published), figure_maps({}, cells_of("all")), strict=True):
        percents = tuple(tuple(one and one.percent for one in row) for row in found.published)
        assert percents == table.rows
        assert not found.has_own


def test_pairs_in_the_other_order_are_found_in_both_directions() -> None:
    cells = [cell for cell in published_transfers() if (cell.condition, cell.congestion) == ("geo-loss", "bbr2")]
    (found,) = figure_maps({cell: 1_000.0 / published_transfers()[cell] for cell in cells}, cells)
    for row in range(8):
        for column in range(8):
            published = found.published[row][column]
            if published is None or published.percent is None:
                assert not found.is_reversed(row, column)
            elif abs(published.percent) > 6:
                assert found.is_reversed(row, column), (row, column)
            elif abs(published.percent) < 4:
                assert not found.is_reversed(row, column), (row, column)


def test_a_run_measures_what_has_no_time_and_says_how_long_that_takes() -> None:
    cells = cells_of("quick")
    assert len(cells) == 8
    assert missing_cells(cells, {}) == cells
    assert missing_cells(cells, {cells[0]: 30.0}) == cells[1:]
    assert missing_cells(cells, {cells[0]: 30.0}, is_fresh=True) == cells
    assert predicted_s(()) == 0.0
    assert predicted_s(cells_of("quick")) <= 600
    assert 0 < predicted_s(cells[1:]) < predicted_s(cells) < predicted_s(cells_of("all"))
    added = [one for one in of_solutions(cells, ("fastd",)) if one.solution == "fastd"]
    longest_s = max(published_transfers()[one] for one in cells)
    assert predicted_s([*cells, *added]) == pytest.approx(predicted_s(cells) + 2 * (longest_s + 20.0))
    ipsec = [one for one in of_solutions(cells, ("ipsec",)) if one.solution == "ipsec"]
    # Two of IPsec are not up at the same time: there is one more group of tunnels, whose link is measured before.
    assert predicted_s([*cells, *ipsec]) == pytest.approx(predicted_s([*cells, *added]) + 60.0 + 45.0)
    assert set(split_cells()) < set(cells_of("loss"))
    assert not set(split_cells()) & set(published_transfers())
    kinds = {one.congestion for one in split_cells()}
    assert kinds == {BBR_ON_GATEWAYS, BBR_ON_PROXY}
    for kind in kinds:
        assert sum(one.congestion == kind for one in cells_of("loss")) == 8
    assert not kinds.intersection(one.congestion for part in ("quick", "no-loss") for one in cells_of(part))
