"""`tunnelmark study` for the study of a hub between sites."""

from __future__ import annotations

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_STUDY_PART
from app.cli.pair_option import find_pair
from app.cli.study_output import hand_out
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.domain.errors import InvalidOption
from app.domain.hub_study import HubResult
from app.measurement.hub_studies import HUB_PARTS, missing_cells, predicted_hub_s
from app.ranking.hub_study import HUB_STUDY, hub_study_source, published_rates
from app.reports.hub_study import (
    HEADINGS,
    HUB_NOTES,
    figure_rows,
    hub_study_data,
    limit_words,
    lines,
    value_words,
    write_hub_study,
)
from app.reports.study_report import html_path
from app.storage.hub_results import HubResults
from app.wording.language import tr
from app.wording.local_forms import decimal
from app.wording.messages import local_text


def add_row(table: Table) -> None:
    """Add the study to the list of studies."""
    what = tr("Key exchanges of many clients with one hub")
    table.add_row(HUB_STUDY, what, tr("{number} rates").format(number=len(published_rates())), hub_study_source())


def show(context: CommandContext) -> int:
    """Print what the study published."""
    columns = (Column(tr("solution")), Column(tr("key exchanges per second"), Kind.FIGURE))
    table = Table((*columns, Column(tr("clients"), Kind.FIGURE), Column("s", Kind.FIGURE), Column(tr("found by"))))
    for one in published_rates():
        way = tr("search") if one.is_maximum else tr("taken from the other one")
        title = one.title
        table.add_row(title, decimal(one.rate_s, 0), str(one.clients), str(one.seconds), way)
    table.print(context.out)
    _print_notes(context)
    return ExitCode.OK


def run(context: CommandContext) -> int:
    """Measure a part of the study on a practice lab, and print it beside the published figures."""
    options = context.options
    if options.part not in HUB_PARTS:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=HUB_STUDY, known=tuple(HUB_PARTS)))
    report = html_path(options.report)
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_hub_study(pair)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        done = frozenset() if options.fresh else services.hub_results(pair.name, options.part).done()
        missing = missing_cells(options.part, done)
        minutes = predicted_hub_s(HUB_PARTS[options.part], missing) / 60
        text = tr("{number} of {total} cells, about {minutes} minutes.")
        text = text.format(number=len(missing), total=len(missing_cells(options.part, ())), minutes=f"{minutes:.0f}")
        context.err.print(text, markup=False)
        results = run_cancellable(
            lambda token: services.run_hub_study(
                found,
                options.part,
                is_fresh=options.fresh,
                token=token,
                report=lambda text: context.err.print(local_text(text), markup=False),
                on_result=lambda result: context.err.print(_words(result), markup=False),
            ),
            context.prompts,
        )
    hand_out(
        context,
        hub_study_data(results),
        show=lambda: _print_results(context, results),
        report=report,
        write=lambda path: write_hub_study(results, path),
    )
    return ExitCode.INCOMPLETE if missing_cells(options.part, results.done()) else ExitCode.OK


def _words(result: HubResult) -> str:
    if result.value is None:
        return f"  {tr('failed')}: {' '.join(local_text(result.message).split())}"
    words = f"  {value_words(result)}, {limit_words(result)}"
    return f"{words}; {tr('this computer had other work meanwhile')}" if result.is_disturbed else words


def _print_results(context: CommandContext, results: HubResults) -> None:
    table = Table([Column(tr(one), Kind.PROSE) for one in HEADINGS])
    for row in figure_rows(results):
        table.add_row(*row)
    table.print(context.out)
    for line in lines(results):
        context.out.print(line, markup=False)
    _print_notes(context)


def _print_notes(context: CommandContext) -> None:
    for text in HUB_NOTES:
        context.out.print(tr(text), markup=False)
