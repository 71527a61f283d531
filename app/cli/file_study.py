"""`tunnelmark study` for studies of comparisons, each of which is a data file of resources/studies."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from app.cli.compare import cancelled_words, run_plan
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import NO_STUDY_PART, STUDY_STOPPED
from app.cli.pair_option import find_pair
from app.cli.study_candidates import check_candidates, wanted_candidates
from app.cli.study_order import print_order, print_places
from app.cli.study_output import asked_report, hand_out, study_status
from app.cli.tables import Column, Kind, Table
from app.discovery.pair_discovery import Discovery
from app.domain.errors import Cancelled, InvalidOption, ProbeFailed
from app.domain.results import CampaignRecord, CampaignStatus
from app.measurement.planned_study import PlannedStudy, check_study_pair, plan_study
from app.ranking.comparison_study import (
    Cell,
    ComparisonStudy,
    Figures,
    StudyCandidate,
    StudyFigure,
    published_figures,
    times_bare,
)
from app.ranking.overview_ranks import overview_ranks
from app.ranking.own_study_figures import ComparedOrder, compared_orders, own_figures
from app.reports.file_study import comparison_study_data, published_study_data
from app.services.wiring import Services
from app.wording.language import tr
from app.wording.local_forms import decimal, listed_names, local_figure, rounds_text
from app.wording.messages import local_text


def add_row(table: Table, study: ComparisonStudy) -> None:
    """Add a study to the list of studies."""
    if study.has_places:
        number = tr("{number} orders").format(number=len(study.order))
    else:
        number = tr("{number} rows").format(number=len(published_figures(study)))
    table.add_row(study.name, tr(study.title), number, study.citation)


def show(context: CommandContext, study: ComparisonStudy) -> int:
    """Print a study's table, and how long its parts take."""
    hand_out(context, published_study_data(study), show=lambda: _print_published(context, study))
    return ExitCode.OK


def _print_published(context: CommandContext, study: ComparisonStudy) -> None:
    context.out.print(f"{study.citation}. {tr(study.summary)}")
    if study.has_places:
        _print_candidates(context, study)
        print_places(context, study, None)
    else:
        _print_table(context, study, study.candidate, None)
    print_parts(context, study)
    _print_notes(context, study)


def run(context: CommandContext, study: ComparisonStudy) -> int:
    """Measure a study's candidates on a practice lab, and print their figures beside what is published."""
    options = context.options
    if options.part not in study.parts:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=study.name, known=tuple(study.parts)))
    check_candidates(options.solutions)
    report = asked_report(context)
    with context.services() as services:
        pair = find_pair(context, services)
        check_study_pair(pair)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        wanted = wanted_candidates(found, study, options.solutions)
        planned = plan_study(services, found, study, options.part, is_fresh=options.fresh, wanted=wanted)
        study = planned.study
        for missing in planned.left_out:
            text = tr("{candidate} is left out: these hosts do not have it.").format(candidate=missing.label)
            context.err.print(text)
        if planned.gone_id is not None:
            text = tr("The lab of comparison {number}, which was interrupted, has ended. A new comparison begins.")
            context.err.print(text.format(number=planned.gone_id))
        minutes = planned.predicted_s / 60
        text = tr("{number} candidates, about {minutes} minutes.")
        context.err.print(text.format(number=len(planned.chosen), minutes=f"{minutes:.0f}"))
        record = _measure(context, services, found, study, planned)
        own = own_figures(study, record)
        orders = compared_orders(study, own)
        hand_out(
            context,
            comparison_study_data(study, record, own, orders),
            show=lambda: _print_results(context, planned, own, orders),
            report=report,
            write=lambda path: services.write_report(record.campaign_id, path),
        )
    keys = {(one.solution, one.suite) for one in planned.chosen}
    cells = [cell for cell in study.cells if cell[:2] in keys]
    return study_status(context, pair.name, missing=sum(cell not in own for cell in cells), total=len(cells))


def _measure(
    context: CommandContext,
    services: Services,
    found: Discovery,
    study: ComparisonStudy,
    planned: PlannedStudy,
) -> CampaignRecord:
    """Run a comparison, which is stored like any other; one of this study that was interrupted goes on.

    Raises:
        Cancelled: The user cancelled it, and the hosts were restored.
        ProbeFailed: It stopped before its end.
    """
    part, resume_id = context.options.part, planned.resume_id
    if context.options.solutions is not None:
        part = f"{part} --solutions {shlex.quote(context.options.solutions)}"
    if resume_id is not None:
        context.err.print(tr("Comparison {number}, which was interrupted, goes on.").format(number=resume_id))
    record = run_plan(context, services, found, planned.plan, resume_id)
    stopped = STUDY_STOPPED(campaign=record.campaign_id, study=study.name, pair=found.pair.name, part=part)
    if record.status is CampaignStatus.CANCELLED:
        words = f"{cancelled_words(record)} {local_text(stopped.hint)}"
        context.err.print(words, soft_wrap=True)
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        raise ProbeFailed(stopped)
    return record


def _print_results(
    context: CommandContext,
    planned: PlannedStudy,
    own: Mapping[Cell, Figures],
    orders: Sequence[ComparedOrder],
) -> None:
    """Print own figures beside what is published, how well the orders agree, and which candidates are not measured."""
    study, left_out = planned.study, planned.left_out
    # Rows of what was not chosen would be in the way; of what these hosts lack, the published figures are shown.
    shown = study.candidate if context.options.solutions is None else planned.chosen
    _print_table(context, study, shown, own)
    if study.has_places:
        print_places(context, study, orders)
    else:
        for order in orders:
            agreed = order.agreement
            text = tr("{same} of {pairs} pairs have the published order ({what}).")
            what = tr(study.kind(order.order.figure).title)
            context.out.print(text.format(same=agreed.same, pairs=agreed.pairs, what=what))
            print_order(context, agreed, study.label)
    if study.has_mean_ranks:
        _print_mean_ranks(context, study, own)
    if left_out:
        text = tr("Not measured, since these hosts do not have it: {names}.")
        names = listed_names([one.label for one in left_out])
        context.out.print(text.format(names=names))
    _print_notes(context, study)


def _print_mean_ranks(context: CommandContext, study: ComparisonStudy, own: Mapping[Cell, Figures]) -> None:
    """Print the study's heuristic by own figures, the lowest first."""
    table = Table((Column("VPN"), Column(tr("mean\nrank"), Kind.FIGURE)))
    for cell, found in overview_ranks(study, own).items():
        table.add_row(study.label(cell), decimal(found.mean, 2))
    table.print(context.out)


def print_parts(context: CommandContext, study: ComparisonStudy) -> None:
    """Print how long the parts of a study take."""
    for part in study.part:
        number = len(study.candidate)
        text = tr("--part {part}: {number} candidates, {rounds}, about {minutes} minutes.").format(
            part=part.name,
            number=number,
            rounds=rounds_text(part.amounts.rounds),
            minutes=f"{part.predicted_s(number) / 60:.0f}",
        )
        context.out.print(text)


def _print_notes(context: CommandContext, study: ComparisonStudy) -> None:
    for text in study.notes:
        context.out.print(tr(text))


def _print_candidates(context: CommandContext, study: ComparisonStudy) -> None:
    """Print which suite is measured for each of the study's candidates."""
    table = Table((Column("VPN"), Column(tr("measured with"))))
    for one in study.candidate:
        table.add_row(one.label, f"{one.solution}:{one.suite}")
    table.print(context.out)


def _print_table(
    context: CommandContext,
    study: ComparisonStudy,
    candidates: Sequence[StudyCandidate],
    own: Mapping[Cell, Figures] | None,
) -> None:
    """Print the published table, with own figures before the published ones where there are any."""
    published = published_figures(study)
    sources = [] if own is None else [(tr("own"), own)]
    sources += [(tr("published"), published)] if published else []
    has_ways = len(study.way) > 1
    columns = [Column("VPN"), *([Column(tr("way"))] if has_ways else [])]
    for heading, rank in _headings(study):
        columns += [Column(f"{heading}\n{whose}", Kind.FIGURE, rank) for whose, _ in sources]
    table = Table(columns, more="--json")
    for one in candidates:
        for way in study.way:
            rows = [_row(study, figures, (one.solution, one.suite, way.name)) for _, figures in sources]
            names = [one.label, *([way.printed] if has_ways else [])]
            table.add_row(*names, *(cell for cells in zip(*rows, strict=True) for cell in cells))
    table.print(context.out)


def _headings(study: ComparisonStudy) -> list[tuple[str, int]]:
    """Return a heading for each figure and its rank; the ratio to the bare link follows the first figure."""
    lead, *others = study.figure
    ratio = (tr("x bare\nlink"), lead.rank)
    return [(tr(lead.heading), lead.rank), ratio, *((tr(one.heading), one.rank) for one in others)]


def _row(study: ComparisonStudy, figures: Mapping[Cell, Figures], cell: Cell) -> tuple[str, ...]:
    found, lead = figures.get(cell), study.figure[0]
    if found is None:
        return ("–",) * (len(study.figure) + 1)
    ratio = times_bare(figures, cell, lead.name)
    first, *others = (_text(one, found.get(one.name)) for one in study.figure)
    return first, "–" if ratio is None else decimal(ratio, 2), *others


def _text(figure: StudyFigure, value: float | None) -> str:
    if value is None:
        return "–"
    return local_figure(value, 3) if figure.decimals is None else decimal(value, figure.decimals)
