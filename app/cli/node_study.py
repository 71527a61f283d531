"""`tunnelmark study` for the study with a node behind each gateway."""

from __future__ import annotations

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_STUDY_PART
from app.cli.pair_option import find_pair
from app.cli.study_output import hand_out
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.domain.errors import InvalidOption
from app.domain.node_study import NodeResult
from app.measurement.node_studies import NODE_PARTS, NodeStudyRequest, predicted_node_s
from app.ranking.node_study import NODE_STUDY, STUDY, faster_than_baseline, node_settings, own_pairs, published_pairs
from app.reports.node_study import (
    BOUNDS,
    FIGURE_HEADINGS,
    FIGURES,
    HOP_HEADINGS,
    NODE_NOTES,
    failures,
    faster_line,
    figure_rows,
    hop_rows,
    node_study_data,
    order_line,
    write_node_study,
)
from app.reports.study_report import html_path
from app.storage.node_results import NodeResults
from app.wording.language import tr
from app.wording.local_forms import decimal, local_figure
from app.wording.messages import local_text


def add_row(table: Table) -> None:
    """Add the study to the list of studies."""
    what = tr("A node behind each gateway, and four ways to protect frames from node to node")
    table.add_row(NODE_STUDY, what, tr("{number} orders").format(number=len(published_pairs())), STUDY)


def show(context: CommandContext) -> int:
    """Print the study's order."""
    titles = {one.name: one.title for one in node_settings()}
    table = Table((Column(tr("figure")), Column(tr("ahead")), Column(tr("behind")), Column(tr("published ratio"))))
    for one in published_pairs():
        ratio = tr("only its order") if one.is_in_text else tr("not in the text")
        if one.ratio is not None:
            ratio = tr(BOUNDS[one.bound]).format(ratio=decimal(one.ratio, 1))
        table.add_row(tr(FIGURES[one.figure]), titles[one.ahead], titles[one.behind], ratio)
    table.print(context.out)
    _print_notes(context)
    return ExitCode.OK


def run(context: CommandContext) -> int:
    """Measure a part of the study on a practice lab, and print it beside the published order."""
    options = context.options
    if options.part not in NODE_PARTS:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=NODE_STUDY, known=tuple(NODE_PARTS)))
    report = html_path(options.report)
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_node_study(pair)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        done = frozenset() if options.fresh else services.node_results(pair.name, options.part).done()
        minutes = predicted_node_s(NODE_PARTS[options.part], done) / 60
        text = tr("{number} settings, about {minutes} minutes.")
        text = text.format(number=len(node_settings()), minutes=f"{minutes:.0f}")
        context.err.print(text, markup=False)
        results = run_cancellable(
            lambda token: services.run_node_study(
                found,
                NodeStudyRequest(options.part, is_fresh=options.fresh),
                token=token,
                report=lambda text: context.err.print(local_text(text), markup=False),
                on_result=lambda result: context.err.print(_words(result), markup=False),
            ),
            context.prompts,
        )
    hand_out(
        context,
        node_study_data(results),
        show=lambda: _print_results(context, results),
        report=report,
        write=lambda path: write_node_study(results, path),
    )
    is_whole = len(results.done()) == NODE_PARTS[options.part].rounds * len(node_settings())
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def _words(result: NodeResult) -> str:
    if not result.has_figures:
        return f"  {tr('failed')}: {' '.join(local_text(result.message).split())}"
    rates = ", ".join(f"{local_figure(one, 3)} Mbit/s" for one in result.mbit_s.values())
    words = f"  {local_figure(result.latency_ms or 0.0, 3)} ms, {rates}"
    return f"{words}; {tr('this computer had other work meanwhile')}" if result.is_disturbed else words


def _print_results(context: CommandContext, results: NodeResults) -> None:
    for headings, rows in ((FIGURE_HEADINGS, figure_rows(results)), (HOP_HEADINGS, hop_rows(results))):
        kind = Kind.FIGURE if headings is FIGURE_HEADINGS else Kind.PROSE
        table = Table([Column(tr(one), kind if number else Kind.PROSE) for number, one in enumerate(headings)])
        for row in rows:
            table.add_row(*row)
        table.print(context.out)
    for pair in own_pairs(results.results):
        context.out.print(order_line(pair), markup=False)
    for faster in faster_than_baseline(results.results):
        context.out.print(faster_line(faster), markup=False)
    for one in failures(results):
        text = tr("Round {number} of {setting}: {message}")
        text = text.format(number=one.round, setting=one.setting, message=local_text(one.message))
        context.out.print(text, markup=False)
    _print_notes(context)


def _print_notes(context: CommandContext) -> None:
    for text in NODE_NOTES:
        context.out.print(tr(text), markup=False)
