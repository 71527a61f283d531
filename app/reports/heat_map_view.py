"""Heat maps in words, signs and HTML: the same ones in window and reports."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.transfers import Agreement, C
from app.ranking.heat_maps import HeatMap, HeatValue
from app.reports.html_page import render_part
from app.wording.colours import HEAT_SCALE_PCT, heat_tint
from app.wording.language import tr
from app.wording.local_forms import decimal, listed_names

REVERSED, MISSING = "*", "–"
"""Signs in a heat map: a pair in the other order, a pair of which nothing is known."""

_ORDERS = {1: "+", 0: "=", -1: "−"}
_ORDER_PCT = 30
"""An order without percent has the colour of so many."""


def heat_text(found: HeatMap, row: int, column: int, *, is_own: bool) -> str:
    """Return what a cell of a heat map shows: percent or an order, a sign for the other order, a dash for nothing.

    Args:
        found: The map.
        row: From 0.
        column: From 0.
        is_own: Whether it is of the own figures.
    """
    if row == column:
        return ""
    value = (found.own if is_own else found.published)[row][column]
    if value is None:
        return MISSING
    text = _ORDERS[value.order] if value.percent is None else percent_text(value.percent)
    return f"{text}{REVERSED if is_own and found.is_reversed(row, column) else ''}"


def percent_text(value: int) -> str:
    """Return whole percent without their unit, with a minus as wide as a figure."""
    return decimal(value, 0).replace("-", "−")


def shown_pct(value: HeatValue | None) -> int | None:
    """Return the percent whose colour a cell has; None for no colour."""
    if value is None:
        return None
    return value.order * _ORDER_PCT if value.percent is None else value.percent


def heat_lines(found: HeatMap) -> list[str]:
    """Return what there is to say on a map: correlation, pairs in the other order, cells without figures, notes."""
    names = [f"{nth} {name}" for nth, name in enumerate(found.names, start=1)]
    lines = [] if found.agreement.correlation is None else [correlation_text(found.agreement)]
    pairs = [listed_names([names[one], names[other]]) for one, other in found.agreement.against]
    if pairs:
        lines.append(tr("In the other order ({sign}): {pairs}.").format(sign=REVERSED, pairs="; ".join(pairs)))
    elif found.agreement.pairs:
        lines.append(_none_reversed(found))
    for is_failed, text in (
        (False, tr("Not measured ({sign}): {cells}.")),
        (True, tr("Failed ({sign}): {cells}.")),
    ):
        some = [names[nth] for nth in found.missing if (nth in found.failed) is is_failed]
        if some:
            lines.append(text.format(sign=MISSING, cells=listed_names(some)))
    return [*lines, *found.notes]


def _none_reversed(found: HeatMap) -> str:
    if any(one is not None and one.percent is not None for row in found.published for one in row):
        return tr("No pair that differs by more than 5 % in the study is in the other order.")
    return tr("No pair that the study tells apart is in the other order.")


def correlation_text(found: Agreement[C]) -> str:
    """Return Spearman's rank correlation as a sentence; that there are too few cells where there is none."""
    if found.correlation is None:
        return tr("Rank correlation: too few cells have an own time.")
    return tr("Rank correlation: {number}").format(number=decimal(found.correlation, 2)) + "."


def heat_html(maps: Sequence[HeatMap], *, is_folded: bool = False) -> str:
    """Return maps as a part of a page, own beside published; the published one alone without own figures.

    Args:
        maps: The maps.
        is_folded: Whether each opens where it is wanted, the first one from the beginning; else each is a section.
    """
    return render_part(
        "heat_maps.html.j2",
        maps=maps,
        is_folded=is_folded,
        heat_text=heat_text,
        lines=heat_lines,
        percent_text=percent_text,
        colour=_colour,
        shown_pct=shown_pct,
        scale=HEAT_SCALE_PCT,
    )


def _colour(value_pct: int | None) -> str:
    """Return the background of a cell of a heat map."""
    tint = heat_tint(value_pct)
    red, green, blue = (int(tint.colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {tint.share:.2f})"
