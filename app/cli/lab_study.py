"""`tunnelmark study` for studies with a run of their own: hubs, nodes behind gateways, satellite links."""

from __future__ import annotations

from dataclasses import replace

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_STUDY_PART
from app.cli.pair_option import find_study_pair
from app.cli.stored_studies import print_stored
from app.cli.study_candidates import chosen_solutions
from app.cli.study_consent import consent_to_study
from app.cli.study_output import asked_report, explained_end, hand_out, study_status
from app.cli.study_time import with_time
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.topology import NodeKind
from app.measurement.lab_studies import WantedLabStudy, plan_lab_study, refuse_machines, refuse_machines_of
from app.measurement.lab_study import LabStudy
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.hub_study import HUB_STUDY
from app.reports.lab_study import (
    TITLES,
    lab_study_data,
    notes,
    outcome_lines,
    outcome_tables,
    published_table,
    result_words,
    source,
    write_lab_study,
)
from app.reports.outcome_table import OutcomeTable
from app.services.wiring import Services
from app.storage.lab_results import LabResults
from app.wording.language import tr
from app.wording.messages import local_text


def add_row(table: Table, study: LabStudy) -> None:
    """Add a study to the list of studies."""
    forms = {HUB_STUDY: tr("{number} rates"), APPLICATION_STUDY: tr("{number} range")}
    form = forms.get(study.name, tr("{number} orders"))
    number = len(published_table(study.name).rows)
    table.add_row(study.name, tr(TITLES[study.name]), form.format(number=number), source(study.name))


def show(context: CommandContext, study: LabStudy) -> int:
    """Print what a study publishes."""
    hand_out(context, lab_study_data(study.none("", "")), show=lambda: _print_published(context, study))
    return ExitCode.OK


def _print_published(context: CommandContext, study: LabStudy) -> None:
    _print_table(context, published_table(study.name))
    _print_lines(context, notes(study.name))
    print_stored(context, (study.name,))


def run(context: CommandContext, study: LabStudy) -> int:
    """Measure a part of a study on a pair, and print it beside what is published."""
    options = context.options
    if options.part not in study.parts:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=study.name, known=study.parts))
    nodes = NodeKind(options.nodes)
    refuse_machines_of(study, nodes)
    solutions = chosen_solutions(study.solutions(options.part), options, takes_others=study.takes_others)
    study = with_time(study, options, solutions)
    report = asked_report(context)
    with context.services() as services:
        pair = find_study_pair(context, services, nodes)
        wanted = WantedLabStudy(*(study, options.part, pair), is_fresh=options.fresh, solutions=solutions, nodes=nodes)
        refuse_machines(wanted)
        services.refuse_lab_study(wanted)
        wanted = replace(wanted, consent=consent_to_study(context, pair, wanted.use_of_own_hosts))
        planned = context.job(lambda token, report: plan_lab_study(services, wanted, token=token, on_progress=report))
        state = planned.state
        text = tr("{number} of {total} measurements, about {minutes} minutes.").format(
            number=state.total - state.measured, total=state.total, minutes=f"{state.left_s / 60:.0f}"
        )
        context.err.print(text)
        results = _measure(context, services, planned.discovery, wanted)
    hand_out(
        context,
        lab_study_data(results),
        show=lambda: _print_results(context, results),
        report=report,
        write=lambda path: write_lab_study(results, path),
    )
    ended = study.state(options.part, results, solutions=solutions)
    return study_status(context, pair.name, missing=ended.total - ended.measured, total=ended.total)


def _measure(context: CommandContext, services: Services, found: Discovery, wanted: WantedLabStudy) -> LabResults:
    """Measure what is left, with each step and result on stderr."""
    with explained_end(context, wanted.pair.name):
        return run_cancellable(
            lambda token: services.run_lab_study(
                found,
                wanted,
                token=token,
                report=lambda text: context.err.print(local_text(text)),
                on_result=lambda result: context.err.print(f"  {result_words(result)}"),
            ),
            context.prompts,
        )


def _print_results(context: CommandContext, results: LabResults) -> None:
    for table in outcome_tables(results):
        _print_table(context, table)
    _print_lines(context, (*outcome_lines(results), *notes(results.study, results.nodes)))


def _print_table(context: CommandContext, shown: OutcomeTable) -> None:
    kinds = [Kind.FIGURE if nth in shown.figures else Kind.PROSE for nth in range(len(shown.headings))]
    table = Table([Column(text, kind) for text, kind in zip(shown.headings, kinds, strict=True)])
    for row in shown.rows:
        table.add_row(*row)
    table.print(context.out)


def _print_lines(context: CommandContext, lines: list[str] | tuple[str, ...]) -> None:
    for line in lines:
        context.out.print(line)
