"""`tunnelmark study`: published studies, and their tables measured again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.cli import file_study, lab_study, overview
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_STUDY, NO_STUDY_PART
from app.cli.pair_option import find_study_pair
from app.cli.stored_studies import print_stored
from app.cli.study_candidates import chosen_cells
from app.cli.study_consent import consent_to_study
from app.cli.study_order import print_order
from app.cli.study_output import asked_report, explained_end, hand_out, study_status
from app.cli.study_time import refuse_time
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidOption
from app.domain.topology import NodeKind
from app.domain.transfers import CONGESTION, TransferCell, TransferResult
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.messages.studies import STUDY_WITHOUT_MACHINES
from app.measurement.studies import StudyRequest
from app.policy.overview import OVERVIEW
from app.ranking.comparison_study import comparison_studies
from app.ranking.published_order import agreement
from app.ranking.published_transfers import STUDY, published_transfers
from app.ranking.study_parts import PARTS, SATCOM, cells_of, missing_cells, predicted_s
from app.ranking.transfer_advice import advice
from app.ranking.transfer_figures import figure_tables
from app.ranking.transfer_goals import KNOWN_REASONS, goals
from app.reports.study_report import published_json, study_json, write_study
from app.reports.study_view import GOAL_WORDS, STUDY_NOTES, cell_name, link_lines, published_text
from app.services.wiring import Services
from app.storage.study_results import StudyResults
from app.wording.language import tr
from app.wording.local_forms import local_figure
from app.wording.messages import local_text
from app.wording.numbers import with_local_sign


def show_all(context: CommandContext) -> int:
    """List the studies."""
    published = len(published_transfers())
    table = Table(
        (
            Column(tr("study")),
            Column(tr("what"), Kind.PROSE),
            Column(tr("published"), Kind.FIGURE),
            Column(tr("source"), Kind.PROSE, rank=1),
        )
    )
    what = tr("30 MB over satellite links, with and without VPNs")
    table.add_row(SATCOM, what, tr("{number} times").format(number=published), STUDY)
    for name, study in comparison_studies().items():
        if name != OVERVIEW:
            file_study.add_row(table, study)
    for lab in LAB_STUDIES.values():
        lab_study.add_row(table, lab)
    overview.add_row(table)
    table.print(context.out)
    print_stored(context, (SATCOM, *LAB_STUDIES))
    return ExitCode.OK


def show(context: CommandContext) -> int:
    """Print a study's table."""
    if context.options.study == OVERVIEW:
        return overview.show(context)
    overview.refuse_options(context.options)
    of_comparison = comparison_studies().get(context.options.study)
    if of_comparison is not None:
        return file_study.show(context, of_comparison)
    of_lab = LAB_STUDIES.get(context.options.study)
    if of_lab is not None:
        return lab_study.show(context, of_lab)
    _check(context.options.study)
    hand_out(context, published_json(), show=lambda: _print_published(context))
    return ExitCode.OK


def _print_published(context: CommandContext) -> None:
    context.out.print(tr("{study}. Seconds to move 30 MB.").format(study=STUDY))
    published = published_transfers()
    _print_table(context, tuple(published), {})
    print_figures(context, published, tr("published"))
    for text in STUDY_NOTES:
        context.out.print(tr(text))
    print_stored(context, (SATCOM,))


def run(context: CommandContext) -> int:
    """Measure a part of a study's table on a pair, and print it beside the published one."""
    options = context.options
    of_comparison = comparison_studies().get(options.study)
    if of_comparison is not None:
        if NodeKind(options.nodes) is NodeKind.MACHINES:
            raise InvalidOption(STUDY_WITHOUT_MACHINES(study=options.study))
        refuse_time(options)
        return file_study.run(context, of_comparison)
    of_lab = LAB_STUDIES.get(options.study)
    if of_lab is not None:
        return lab_study.run(context, of_lab)
    _check(options.study)
    refuse_time(options)
    return _run_transfers(context)


def _run_transfers(context: CommandContext) -> int:
    """Measure a part of the satellite study."""
    options = context.options
    if options.part not in PARTS:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=options.study, known=tuple(PARTS)))
    cells = chosen_cells(cells_of(options.part), options)
    report = asked_report(context)
    with context.services() as services:
        nodes = NodeKind(options.nodes)
        pair = find_study_pair(context, services, nodes)
        request = StudyRequest(options.study, cells, is_fresh=options.fresh, nodes=nodes)
        request.refuse(pair)
        request = replace(request, consent=consent_to_study(context, pair, request.use_of_own_hosts))
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        done = services.study_results(options.study, pair.name, nodes)
        done_cells = services.todays_results(done, found).done() if done is not None else ()
        missing = missing_cells(cells, done_cells, is_fresh=options.fresh)
        minutes = predicted_s(missing, is_shaped=not pair.is_lab) / 60
        text = tr("{number} of {total} transfers, about {minutes} minutes.")
        context.err.print(text.format(number=len(missing), total=len(cells), minutes=f"{minutes:.0f}"))
        results = _measure(context, services, found, request)
    hand_out(
        context,
        study_json(results, cells),
        show=lambda: _print_results(context, results, cells),
        report=report,
        write=lambda path: write_study(results, cells, path),
    )
    left = set(cells).difference(results.done())
    return study_status(context, pair.name, missing=len(left), total=len(cells))


def _measure(context: CommandContext, services: Services, found: Discovery, request: StudyRequest) -> StudyResults:
    """Measure cells, with each step and result on stderr."""
    with explained_end(context, found.pair.name):
        return run_cancellable(
            lambda token: services.run_study(
                found,
                request,
                token=token,
                report=lambda text: context.err.print(local_text(text)),
                on_result=lambda result: context.err.print(_words(result)),
            ),
            context.prompts,
        )


def _check(study: str) -> None:
    if study != SATCOM:
        known = (SATCOM, *comparison_studies(), *LAB_STUDIES)
        raise InvalidOption(NO_STUDY(study=study, known=known))


def _words(result: TransferResult) -> str:
    if result.seconds is None:
        verdict = tr("not measured") if result.is_condition_missed else tr("failed")
        return f"  {verdict}: {' '.join(local_text(result.message).split())}"
    words = [f"{local_figure(result.seconds, 3)} s"]
    if result.retransmits is not None:
        words.append(tr("{number} segments sent again").format(number=result.retransmits))
    words.append(result.congestion or tr("unknown congestion control"))
    if result.proxy_congestion:
        words.append(tr("PEP with {name}").format(name=result.proxy_congestion))
    if result.is_disturbed:
        words.append(local_text(result.message))
    return f"  {', '.join(words)}"


def _print_results(context: CommandContext, results: StudyResults, cells: Sequence[TransferCell]) -> None:
    own, published = results.times_s(), published_transfers()
    for text in link_lines(results, cells):
        context.out.print(text)
    _print_table(context, cells, own)
    mine = {cell: own[cell] for cell in cells if cell in own}
    print_order(context, agreement(mine, published), cell_name)
    print_figures(context, mine, tr("own"))
    found = goals(mine, cells)
    for goal in found:
        context.out.print(f"{tr(GOAL_WORDS[goal.is_met])}: {local_text(goal.text)}")
    if any(goal.is_met is False for goal in found):
        for reason in KNOWN_REASONS:
            context.out.print(tr("Known reason: {reason}").format(reason=local_text(reason)))
    for sentence in advice(mine, results.failed()):
        context.out.print(tr("Advice: {text}").format(text=local_text(sentence)))
    for text in STUDY_NOTES:
        context.out.print(tr(text))


def print_figures(context: CommandContext, times_s: Mapping[TransferCell, float], whose: str) -> None:
    """Print the study's comparisons, Figures 3 to 6, computed from a table of times.

    Args:
        whose: `published` or `own`.
    """
    for one in figure_tables(times_s):
        text = tr("Figure {figure}, {whose}: {title}; (row - column) / row in %.")
        context.out.print(text.format(figure=one.figure, whose=whose, title=local_text(one.title)))
        names = [f"{cell.solution} {cell.proxy}" for cell in one.cells]
        table = Table((Column("VPN, PEP"), *(Column(name, Kind.FIGURE) for name in names)))
        for name, row in zip(names, one.rows, strict=True):
            table.add_row(name, *("" if value is None else with_local_sign(f"{value}") for value in row))
        table.print(context.out)


def _print_table(context: CommandContext, cells: Sequence[TransferCell], own: Mapping[TransferCell, float]) -> None:
    columns = [Column(tr("condition")), Column(tr("congestion control")), Column("VPN"), Column("PEP")]
    columns += [Column(tr("own s"), Kind.FIGURE)] if own else []
    table = Table((*columns, Column(tr("published s"), Kind.FIGURE)))
    published = published_transfers()
    for cell in cells:
        mine = [local_figure(own[cell], 3) if cell in own else "–"] if own else []
        there = local_figure(published[cell], 3) if cell in published else published_text(cell, has_section=False)
        table.add_row(
            cell.condition, local_text(CONGESTION[cell.congestion].title), cell.solution, cell.proxy, *mine, there
        )
    table.print(context.out)
