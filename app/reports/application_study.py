"""Outcome of applications over a satellite link: figures, and what they say."""

from __future__ import annotations

from dataclasses import asdict

from app.domain.application_study import ApplicationResult
from app.domain.transfers import CONGESTION
from app.ranking.application_study import has_published_share, is_of_study, published_flows, share_agreement
from app.reports.json_report import condition_data
from app.reports.study_view import cell_name, condition_lines, nodes_lines, suite_lines
from app.storage.lab_results import ApplicationResults
from app.wording.language import mark, tr
from app.wording.local_forms import decimal, local_figure
from app.wording.messages import local_text

APPLICATION_NOTES = (
    mark(
        "Two connections from node B to node A, for 100 s, and 80 s from 10 s on (section IV.B); the share counts in "
        "the last half of their common time. The study publishes a range of shares without loss, and no figures of web "
        "pages and calls."
    ),
    mark(
        "R, MOS and jitter are those of the worse direction of a call. It is of UDP: a PEP does not split it, and the "
        "congestion control is not its own."
    ),
    mark("With * this computer had other work meanwhile; the next run measures these again."),
)
"""English notes on the figures, to be translated."""

HEADINGS = (
    mark("condition"),
    mark("congestion control"),
    "VPN",
    "PEP",
    mark("page s"),
    mark("R of a call"),
    "MOS",
    mark("jitter ms"),
    mark("share of the later one %"),
    mark("published share %"),
    mark("fairness"),
)
"""English headings of the figures."""

_FIGURES = (
    ("web-page", "page", 3),
    ("voice", "rating", 3),
    ("voice", "mos", 3),
)


def share_range() -> str:
    """Return the range of shares that the study publishes, in percent without their unit."""
    low, high = published_flows().share_pct
    return f"{decimal(low, 0)}–{decimal(high, 0)}"


def jitter_ms(result: ApplicationResult) -> float | None:
    """Return the jitter of a call's worse direction in ms; None where there is none."""
    found = [result.figure("voice", f"jitter-{way}") for way in ("a-to-b", "b-to-a")]
    known = [one for one in found if one is not None]
    return max(known, default=None)


def figure_rows(results: ApplicationResults) -> list[tuple[str, ...]]:
    """Return a row of figures for each result."""
    return [_row(one) for one in _ordered(results)]


def _ordered(results: ApplicationResults) -> list[ApplicationResult]:
    """Return the results, those of VPNs that the study does not have behind its own."""
    return sorted(results.results, key=lambda one: not is_of_study(one.cell))


def _row(result: ApplicationResult) -> tuple[str, ...]:
    cell = result.cell
    return (
        f"{cell.condition}{'*' * result.is_disturbed}",
        local_text(CONGESTION[cell.congestion].title),
        *(cell.solution, cell.proxy),
        *(_text(result.figure(workload, name), digits) for workload, name, digits in _FIGURES),
        _text(jitter_ms(result), 2),
        _text(result.figure("two-flows", "second-share"), 2),
        share_range() if has_published_share(cell) else "–",
        _text(result.figure("two-flows", "fairness"), 2),
    )


def _text(value: float | None, digits: int) -> str:
    return "–" if value is None else local_figure(value, digits)


def lines(results: ApplicationResults) -> list[str]:
    """Return how the shares agree with the study, what the links were like, and what failed or was not measured."""
    found, own = nodes_lines(results.nodes), share_agreement(results.results)
    if own.cells:
        text = tr(
            "Share of the later connection without loss: {within} of {cells} cells within {share} %, as published."
        )
        found.append(text.format(within=own.within, cells=own.cells, share=share_range()))
    for cell, share in own.outside:
        text = tr("Outside of it: {cell}, {share} %.")
        found.append(text.format(cell=cell_name(cell), share=local_figure(share, 2)))
    found += suite_lines((one.cell.solution, one.suite) for one in results.results)
    found += condition_lines(results.results)
    for one in results.results:
        if one.message:
            form = tr("Not measured: {cell}: {message}") if one.is_condition_missed else tr("{cell}: {message}")
            found.append(form.format(cell=cell_name(one.cell), message=local_text(one.message)))
    return found


def words(result: ApplicationResult) -> str:
    """Return the figures of a cell in a line."""
    page, mos = result.figure("web-page", "page"), result.figure("voice", "mos")
    share = result.figure("two-flows", "second-share")
    text = tr("page {page} s, MOS {mos}, share {share} %")
    return text.format(page=_text(page, 3), mos=_text(mos, 3), share=_text(share, 2))


def application_data(results: ApplicationResults) -> dict[str, object]:
    """Return what this study alone has as data for programs."""
    own = share_agreement(results.results)
    return {
        "published_share_pct": list(published_flows().share_pct),
        "share_cells": own.cells,
        "share_within": own.within,
        "results": [_data(one) for one in _ordered(results)],
    }


def _data(result: ApplicationResult) -> dict[str, object]:
    link = result.measured_condition
    return {
        **asdict(result.cell),
        "workloads": {one.workload: one.figures for one in result.workloads},
        "published_share_pct": list(published_flows().share_pct) if has_published_share(result.cell) else None,
        "proxy_congestion": result.proxy_congestion,
        "own_load_cores": result.own_load_cores,
        "is_disturbed": result.is_disturbed,
        "measured_condition": condition_data(link) if link is not None else None,
        "is_condition_missed": result.is_condition_missed,
        "message": result.message,
        "suite": result.suite,
    }
