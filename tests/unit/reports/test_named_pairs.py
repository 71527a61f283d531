"""Pairs in the other order than published: ten are named, the others are a number with the place of all of them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import cast

import pytest
import sample_records as sample

from app.cli.context import CommandContext
from app.cli.study_order import print_order, print_places
from app.domain.results import Candidate
from app.domain.topology import Topology
from app.domain.transfers import TransferCell, TransferResult
from app.domain.verdicts import Verdict
from app.ranking.comparison_study import Cell, StudyOrder, comparison_studies, published_order
from app.ranking.own_study_figures import compared_order, compared_orders, own_figures
from app.ranking.published_order import agreement
from app.ranking.published_transfers import published_transfers
from app.reports.repeated_study_view import other_order
from app.reports.study_report import study_json, study_to_html
from app.reports.study_view import MOST_NAMED, cell_name
from app.reports.view_places import places_view
from app.storage.study_results import StudyResults

CELLS = tuple(cell for cell in published_transfers() if cell.condition == "geo" and cell.congestion == "bbr2")
INDUSTRIAL = comparison_studies()["industrial-2019"]
XEON = next(one for one in INDUSTRIAL.order if one.places == "throughput_xeon")


def reversed_s(cells: tuple[TransferCell, ...] = CELLS) -> dict[TransferCell, float]:
    """Return times in the reverse of the published order."""
    return {cell: 1_000.0 - published_transfers()[cell] for cell in cells}


def printer(lines: list[str]) -> CommandContext:
    """Return a context whose results are these lines."""
    out = SimpleNamespace(print=lambda text, *_, **__: lines.append(str(text)))
    return cast("CommandContext", SimpleNamespace(out=out, options=SimpleNamespace()))


def test_a_page_says_how_many_pairs_it_does_not_name_and_json_has_all() -> None:
    results = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    for cell, seconds in reversed_s().items():
        one = TransferResult(cell, seconds, 30_000_000, 3, "bbr", topology=Topology.ROUTED_NODES)
        results = results.with_result(one)
    data, page = study_json(results, CELLS), study_to_html(results, CELLS)
    against = data["against"]
    assert isinstance(against, list)
    assert len(against) > MOST_NAMED
    text = f"<li>and {len(against) - MOST_NAMED} more: JSON has all, each heat map lists its own</li>"
    assert text in page
    few = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    assert "more: JSON has all" not in study_to_html(few, CELLS)


def test_the_terminal_says_how_many_pairs_it_does_not_name() -> None:
    agreed = agreement(reversed_s(), published_transfers())
    lines: list[str] = []
    print_order(printer(lines), agreed, cell_name)
    more = len(agreed.against) - MOST_NAMED
    assert lines[-1] == f"Other order: {more} more, all in --json."
    assert len(lines) == 1 + MOST_NAMED + 1
    lines.clear()
    print_order(printer(lines), agreement(reversed_s(CELLS[:4]), published_transfers()), cell_name)
    assert not any(" more" in line for line in lines)


def reversed_figures(order: StudyOrder) -> dict[Cell, dict[str, float | None]]:
    """Return figures in the reverse of the order of some published places."""
    sign = 1.0 if INDUSTRIAL.kind(order.figure).is_higher_better else -1.0
    placed = published_order(INDUSTRIAL, order)
    return {cell: {order.figure: 100.0 + sign * place} for cell, place in placed.items()}


def test_orders_of_places_say_how_many_pairs_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared_order(INDUSTRIAL, XEON, reversed_figures(XEON))
    more = len(found.agreement.against) - MOST_NAMED
    assert more > 0
    assert other_order(INDUSTRIAL, found.agreement)[MOST_NAMED:] == [
        f"and {more} more: JSON has all, each heat map lists its own"
    ]
    lines: list[str] = []
    monkeypatch.setattr("app.cli.study_order.Table.print", lambda *_: None)
    print_places(printer(lines), INDUSTRIAL, [found])
    assert re.fullmatch(rf"Other order \(.+, .+\): {more} more, all in --json\.", lines[-1])
    assert len(lines) == MOST_NAMED + 1


def test_the_report_of_a_comparison_names_every_pair() -> None:
    places = published_order(INDUSTRIAL, XEON)
    models = [
        sample.Model(Candidate(*cell[:2], cell[0], Verdict.ACCEPTABLE, ()), 1.0, 0.1, 100.0 * place, 50.0, 0)
        for cell, place in places.items()
    ]
    record = sample.sample_record(rounds=1, pings=60, models=models, noise=0.0)
    view = places_view(record, INDUSTRIAL)
    assert view is not None
    compared = compared_orders(INDUSTRIAL, own_figures(INDUSTRIAL, record))
    longest = max((one for one in compared if one.order.places), key=lambda one: len(one.agreement.against))
    assert len(longest.agreement.against) > MOST_NAMED
    assert max(len(row["against"]) for row in view["rows"]) == len(longest.agreement.against)
