"""Heat maps of the studies that comparisons, the hub's run and that with nodes repeat."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence

from app.domain.hub_study import HubCell, HubKind, HubResult
from app.domain.node_study import NodeResult
from app.domain.transfers import Agreement
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyOrder, published_figures, published_order
from app.ranking.heat_maps import HeatMap, HeatRows, HeatValue, agreed, differences, missing_of, places_apart
from app.ranking.hub_study import hub_cells, in_order, published_rate, published_rates
from app.ranking.node_study import (
    Figure,
    PublishedPair,
    SettingFigures,
    node_settings,
    published_pairs,
    setting_figures,
)
from app.ranking.repeated_study import RepeatedStudy
from app.wording.language import tr
from app.wording.local_forms import listed_names


def comparison_maps(repeated: RepeatedStudy) -> tuple[HeatMap, ...]:
    """Return a map for each published order of places, or for each published figure and direction."""
    study = repeated.study
    if study.has_places:
        return tuple(_of_places(repeated, one) for one in study.order if one.places)
    published = published_figures(study)
    maps = []
    for figure in study.figure:
        if not figure.column:
            continue
        is_more_better = figure.is_higher_better
        for way in study.way:
            cells = [(one.solution, one.suite, way.name) for one in study.candidate]
            mine, theirs = (_values(some, cells, figure.name) for some in (repeated.own, published))
            maps.append(
                HeatMap(
                    title=", ".join(filter(None, (tr(figure.title), way.printed.replace("->", "→")))),
                    head=tr("VPN in the study"),
                    names=tuple(one.label for one in study.candidate),
                    published=differences(theirs, is_more_better=is_more_better),
                    own=differences(mine, is_more_better=is_more_better),
                    missing=missing_of(mine),
                    agreement=agreed(mine, theirs),
                    is_speed=not figure.name.endswith("_pct"),
                )
            )
    return tuple(maps)


def _of_places(repeated: RepeatedStudy, order: StudyOrder) -> HeatMap:
    study, kind = repeated.study, repeated.study.kind(order.figure)
    placed = published_order(study, order)
    cells = [cell for cell in study.cells if cell in placed]
    mine, places = _values(repeated.own, cells, order.figure), [placed[cell] for cell in cells]
    return HeatMap(
        title=order_title(study, order),
        head=tr("VPN in the study"),
        names=tuple(study.label(cell) for cell in cells),
        published=places_apart(places),
        own=differences(mine, is_more_better=kind.is_higher_better),
        missing=missing_of(mine),
        agreement=agreed(mine, places, sign=-1.0 if kind.is_higher_better else 1.0),
        notes=(
            tr("The study states places alone: + where the column is ahead, − where it is behind, = for both alike."),
        ),
    )


def order_title(study: ComparisonStudy, order: StudyOrder) -> str:
    """Return of what a published order is, as a heading."""
    return f"{tr(study.kind(order.figure).title)}: {order.words}"


def _values(figures: Mapping[Cell, Figures], cells: Sequence[Cell], name: str) -> list[float | None]:
    return [figures.get(cell, {}).get(name) for cell in cells]


def node_maps(results: Sequence[NodeResult]) -> tuple[HeatMap, ...]:
    """Return a map of throughput and one of latency between nodes; published are the pairs that the text states."""
    own = setting_figures(results)
    return tuple(_of_nodes(own, figure) for figure in Figure)


def _of_nodes(own: Mapping[str, SettingFigures], figure: Figure) -> HeatMap:
    names = [one.name for one in node_settings()]
    pairs = [one for one in published_pairs() if one.figure is figure and one.is_in_text]
    mine = [_node_value(own.get(name), figure) for name in names]
    is_more_better = figure is Figure.THROUGHPUT
    disturbed = [one.title for one in node_settings() if one.name in own and own[one.name].is_disturbed]
    notes = [
        tr(
            "The study's text states these pairs alone, so that there is no rank correlation: + and − where it states "
            "the order alone, percent where it says half or almost twice."
        )
    ]
    if disturbed:
        notes.append(tr("This computer had other work meanwhile: {names}.").format(names=listed_names(disturbed)))
    return HeatMap(
        title=tr("Throughput") if is_more_better else tr("Latency"),
        head=tr("Setting"),
        names=tuple(one.title for one in node_settings()),
        published=_stated(names, pairs),
        own=differences(mine, is_more_better=is_more_better),
        missing=missing_of(mine),
        agreement=_agreement_of_pairs(mine, names, pairs),
        notes=tuple(notes),
    )


def _node_value(own: SettingFigures | None, figure: Figure) -> float | None:
    if own is None:
        return None
    if figure is Figure.LATENCY:
        return own.latency_ms
    return statistics.fmean(own.mbit_s.values()) if own.mbit_s else None


def _stated(names: Sequence[str], pairs: Collection[PublishedPair]) -> HeatRows:
    """Return the differences that follow from the published ratio of each pair, or its order without one."""
    rows: list[list[HeatValue | None]] = [[None] * len(names) for _ in names]
    for one in pairs:
        ahead, behind = names.index(one.ahead), names.index(one.behind)
        if one.ratio is None:
            rows[ahead][behind], rows[behind][ahead] = HeatValue(-1), HeatValue(1)
            continue
        figures = [1.0, one.ratio]
        both = differences(figures, is_more_better=one.figure is Figure.THROUGHPUT)
        rows[ahead][behind], rows[behind][ahead] = both[0][1], both[1][0]
    return tuple(map(tuple, rows))


def _agreement_of_pairs(
    own: Sequence[float | None], names: Sequence[str], pairs: Collection[PublishedPair]
) -> Agreement[int]:
    known, against = 0, []
    for one in pairs:
        ahead, behind = names.index(one.ahead), names.index(one.behind)
        best, other = own[ahead], own[behind]
        if best is None or other is None:
            continue
        known += 1
        if (best <= other) if one.figure is Figure.THROUGHPUT else (best >= other):
            against.append((ahead, behind))
    return Agreement(known, known - len(against), None, tuple(against))


def hub_maps(results: Sequence[HubResult]) -> tuple[HeatMap, ...]:
    """Return the map of rates of key exchanges, the only figures that the study publishes as numbers."""
    cells = [one for one in hub_cells() if one.kind is HubKind.FLOOD]
    found = {one.cell: one for one in in_order(results)}
    mine = [found[cell].value if cell in found else None for cell in cells]
    rates = [published_rate(cell) for cell in cells]
    theirs = [None if one is None else one.rate_s for one in rates]
    return (
        HeatMap(
            title=tr("Key exchanges per second"),
            head=tr("Solution"),
            names=tuple(cell.title for cell in cells),
            published=differences(theirs, is_more_better=True),
            own=differences(mine, is_more_better=True),
            missing=missing_of(mine),
            agreement=agreed(mine, theirs),
            failed=tuple(nth for nth in missing_of(mine) if cells[nth] in found),
            notes=_hub_notes(cells, found),
        ),
    )


def _hub_notes(cells: Sequence[HubCell], found: Mapping[HubCell, HubResult]) -> tuple[str, ...]:
    measured = [found[cell] for cell in cells if cell in found]
    sentences = (
        (
            tr("The study took the rate of another solution, and did not search for its own: {names}."),
            [one.title for one in published_rates() if not one.is_maximum],
        ),
        (
            tr("The hub can do more than the own rate, so that differences are those of lower bounds: {names}."),
            [one.cell.title for one in measured if one.is_lower_bound],
        ),
        (
            tr("This computer had other work meanwhile: {names}."),
            [one.cell.title for one in measured if one.is_disturbed],
        ),
    )
    return tuple(form.format(names=listed_names(names)) for form, names in sentences if names)
