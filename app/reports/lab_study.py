"""Outcome of a study with a run of its own, whichever it is: one form for window, terminal and files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.domain.application_study import ApplicationResult
from app.domain.hub_study import HubResult
from app.domain.topology import NodeKind
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.application_study import STUDY as APPLICATION_SOURCE
from app.ranking.heat_maps import HeatMap
from app.ranking.hub_study import HUB_STUDY, hub_study_source, published_rates
from app.ranking.node_study import (
    NODE_STUDY,
    STUDY,
    faster_than_baseline,
    node_settings,
    own_pairs,
    published_pairs,
)
from app.ranking.study_maps import hub_maps, node_maps
from app.reports import application_study, hub_study, node_study
from app.reports.files import write_outcome
from app.reports.heat_map_data import heat_map_data
from app.reports.heat_map_view import heat_html
from app.reports.html_page import render_page
from app.reports.outcome_table import OutcomeTable
from app.reports.study_view import nodes_lines, place_text
from app.storage.lab_results import ApplicationResults, HubResults, LabResult, LabResults, NodeResults
from app.wording.language import mark, source_language, tr
from app.wording.local_forms import decimal, local_figure
from app.wording.messages import local_text

TITLES = {
    HUB_STUDY: mark("Key exchanges of many clients with one hub"),
    NODE_STUDY: mark("A node behind each gateway, and four ways to protect frames from node to node"),
    APPLICATION_STUDY: mark("Web page, telephone call and two connections over satellite links, with and without VPNs"),
}
"""English titles, to be translated, by study."""


def source(study: str) -> str:
    """Return the publication of a study."""
    return {HUB_STUDY: hub_study_source(), APPLICATION_STUDY: APPLICATION_SOURCE}.get(study, STUDY)


def notes(study: str, nodes: NodeKind = NodeKind.NAMESPACES) -> tuple[str, ...]:
    """Return what differs from a study with a kind of nodes, in the user's language."""
    of_study = {HUB_STUDY: hub_study.HUB_NOTES, APPLICATION_STUDY: application_study.APPLICATION_NOTES}
    of_nodes = node_study.MACHINE_NOTES if nodes is NodeKind.MACHINES else node_study.NODE_NOTES
    return tuple(map(tr, of_study.get(study, of_nodes)))


def published_table(study: str) -> OutcomeTable:
    """Return what a study publishes."""
    title = tr("Published")
    if study == APPLICATION_STUDY:
        row = (
            tr("share of the later one %"),
            tr("without loss, with each VPN and PEP"),
            application_study.share_range(),
        )
        return OutcomeTable(title, (tr("figure"), tr("where"), tr("published")), (row,))
    if study == HUB_STUDY:
        rates = []
        for rate in published_rates():
            way = tr("search") if rate.is_maximum else tr("taken from the other one")
            rates.append((rate.title, decimal(rate.rate_s, 0), str(rate.clients), str(rate.seconds), way))
        names = (tr("solution"), tr("key exchanges per second"), tr("clients"), "s", tr("found by"))
        return OutcomeTable(title, names, tuple(rates), frozenset({1, 2, 3}))
    titles = {one.name: one.title for one in node_settings()}
    pairs = []
    for one in published_pairs():
        ratio = tr("only its order") if one.is_in_text else tr("not in the text")
        if one.ratio is not None:
            ratio = tr(node_study.BOUNDS[one.bound]).format(ratio=decimal(one.ratio, 1))
        pairs.append((tr(node_study.FIGURES[one.figure]), titles[one.ahead], titles[one.behind], ratio))
    heads = (tr("figure"), tr("ahead"), tr("behind"), tr("published ratio"))
    return OutcomeTable(title, heads, tuple(pairs))


def outcome_tables(results: LabResults) -> tuple[OutcomeTable, ...]:
    """Return own figures, for a hub beside the published ones, for nodes with what an observer sees at each hop."""
    if isinstance(results, ApplicationResults):
        rows = application_study.figure_rows(results)
        return (_table(tr("Own and published figures"), application_study.HEADINGS, rows, range(4, 11)),)
    if isinstance(results, HubResults):
        rows = hub_study.figure_rows(results)
        return (_table(tr("Own and published figures"), hub_study.HEADINGS, rows, (2, 3, 6)),)
    figures = _table(tr("Own figures"), node_study.FIGURE_HEADINGS, node_study.figure_rows(results), range(1, 7))
    return figures, _table(tr("Seen and sent at each hop"), node_study.HOP_HEADINGS, node_study.hop_rows(results))


def tries_table(results: HubResults) -> OutcomeTable:
    """Return the rates that were tried with a hub."""
    return _table(tr("Rates that were tried"), hub_study.TRY_HEADINGS, hub_study.try_rows(results), (*range(1, 7), 8))


def _table(
    title: str, headings: Sequence[str], rows: Sequence[tuple[str, ...]], figures: Sequence[int] = ()
) -> OutcomeTable:
    return OutcomeTable(title, tuple(map(tr, headings)), tuple(rows), frozenset(figures))


def outcome_maps(study: str, results: LabResults | None) -> tuple[HeatMap, ...]:
    """Return the heat maps of a study, none where it publishes no cells; the published ones alone without results."""
    if study == APPLICATION_STUDY:
        return ()
    if study == HUB_STUDY:
        return hub_maps(results.results if isinstance(results, HubResults) else ())
    return node_maps(results.results if isinstance(results, NodeResults) else ())


def outcome_lines(results: LabResults) -> list[str]:
    """Return what the figures say beside the published ones, and what failed, as sentences."""
    if isinstance(results, ApplicationResults):
        return application_study.lines(results)
    if isinstance(results, HubResults):
        return hub_study.lines(results)
    found = nodes_lines(results.nodes) + node_study.suites(results.results)
    found += [node_study.order_line(one) for one in own_pairs(results.results)]
    found += [node_study.faster_line(one) for one in faster_than_baseline(results.results)]
    for one in node_study.failures(results):
        text = tr("Round {number} of {setting}: {message}")
        found.append(text.format(number=one.round, setting=one.setting, message=local_text(one.message)))
    return found


def result_words(result: LabResult) -> str:
    """Return one result in a line."""
    if isinstance(result, HubResult):
        if result.value is None:
            return _failed(result.message)
        figure = " ".join(filter(None, (hub_study.value_words(result), hub_study.within_words(result.cell))))
        words = f"{figure}, {hub_study.limit_words(result)}"
        if result.message:
            words = f"{words}: {_in_a_line(result.message)}"
    elif isinstance(result, ApplicationResult):
        if not result.workloads:
            return _failed(result.message, is_unmeasured=result.is_condition_missed)
        words = application_study.words(result)
    else:
        if not result.has_figures:
            return _failed(result.message)
        rates = ", ".join(f"{local_figure(one, 3)} Mbit/s" for one in result.mbit_s.values())
        words = f"{local_figure(result.latency_ms or 0.0, 3)} ms, {rates}"
    return f"{words}; {tr('this computer had other work meanwhile')}" if result.is_disturbed else words


def _failed(message: str, *, is_unmeasured: bool = False) -> str:
    verdict = tr("not measured") if is_unmeasured else tr("failed")
    return f"{verdict}: {_in_a_line(message)}"


def _in_a_line(message: str) -> str:
    return " ".join(local_text(message).split())


def lab_study_data(results: LabResults) -> dict[str, object]:
    """Return the outcome as data for programs, in English; without a pair what the study publishes.

    Own figures are null then, and there is no pair, part and version.
    """
    of_run = {}
    if results.pair:
        of_run = {
            "pair": results.pair,
            "nodes": results.nodes.value,
            "part": results.part,
            "version": results.version,
        }
    with source_language():
        return {
            "format": 1,
            "study": results.study,
            "source": source(results.study),
            **of_run,
            **_own_data(results),
            "heat_maps": heat_map_data(outcome_maps(results.study, results)),
        }


def _own_data(results: LabResults) -> dict[str, object]:
    if isinstance(results, ApplicationResults):
        return application_study.application_data(results)
    if isinstance(results, HubResults):
        return hub_study.hub_data(results)
    return node_study.node_data(results)


def lab_study_html(results: LabResults) -> str:
    """Return the outcome as one page: style inside, no script, nothing fetched."""
    hub = results if isinstance(results, HubResults) else None
    return render_page(
        "lab_study.html.j2",
        results=results,
        place=place_text(results.pair, results.nodes),
        source=source(results.study),
        tables=(*outcome_tables(results), *([tries_table(hub)] if hub is not None else [])),
        figures=hub_study.cpu_figures(hub) if hub is not None else [],
        maps=heat_html(outcome_maps(results.study, results), is_folded=True),
        lines=outcome_lines(results),
        notes=notes(results.study, results.nodes),
    )


def write_lab_study(results: LabResults, path: Path) -> Path:
    """Write the outcome; its kind follows from the ending: .html or .json.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: It is another kind, or nothing can be written there.
    """
    return write_outcome(path, lambda: lab_study_html(results), lambda: lab_study_data(results))
