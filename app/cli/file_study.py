"""`tunnelmark study` for the study of 2011: files of 1 MB over OpenVPN and IPsec."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from app.cli.compare import cancelled_words, run_plan
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import write_text
from app.cli.messages import NO_STUDY_PART, STUDY_STOPPED
from app.cli.pair_option import find_pair
from app.cli.study_order import print_order
from app.cli.tables import Column, Kind, Table
from app.discovery.pair_discovery import Discovery
from app.domain.errors import Cancelled, InvalidOption, ProbeFailed
from app.domain.results import CampaignRecord, CampaignStatus
from app.measurement.planned_study import PlannedStudy, check_study_pair, plan_study
from app.ranking.comparison_study import comparison_studies
from app.ranking.file_study import (
    FILE_STUDY_NOTES,
    IPSEC_TLS,
    PROFILES,
    STUDY,
    WAYS,
    Cell,
    FileFigures,
    StudyCandidate,
    file_agreement,
    own_files,
    published_files,
    study_candidates,
    times_bare,
)
from app.reports.file_study import study_data
from app.reports.study_report import html_path
from app.services.wiring import Services
from app.wording.language import tr
from app.wording.local_forms import decimal, local_figure
from app.wording.messages import local_text


def add_row(table: Table) -> None:
    """Add the study to the list of studies."""
    cells = len(published_files())
    what = tr("Files of 1 MB over OpenVPN and IPsec with AES, 3DES and Blowfish, and the CPU of both hosts")
    table.add_row(IPSEC_TLS, what, tr("{number} rows").format(number=cells), STUDY)


def show(context: CommandContext) -> int:
    """Print the study's table."""
    context.out.print(tr("{study}. Times of a file of 1 MB.").format(study=STUDY), markup=False)
    _print_table(context, study_candidates(), None)
    _print_notes(context)
    return ExitCode.OK


def run(context: CommandContext) -> int:
    """Measure the study's candidates on a practice lab, and print their figures beside the published ones."""
    options = context.options
    if options.part not in PROFILES:
        raise InvalidOption(NO_STUDY_PART(part=options.part, study=IPSEC_TLS, known=tuple(PROFILES)))
    report = html_path(options.report)
    with context.services() as services:
        pair = find_pair(context, services)
        check_study_pair(pair)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        study = comparison_studies()[IPSEC_TLS]
        planned = plan_study(services, found, study, options.part, is_fresh=options.fresh)
        chosen = planned.chosen
        for missing in planned.left_out:
            text = tr("{candidate} is left out: these hosts do not have it.").format(candidate=missing.label)
            context.err.print(text, markup=False)
        minutes = planned.predicted_s / 60
        text = tr("{number} candidates, about {minutes} minutes.")
        context.err.print(text.format(number=len(chosen), minutes=f"{minutes:.0f}"), markup=False)
        record = _measure(context, services, found, planned)
        if report is not None:
            written = services.write_report(record.campaign_id, report)
            context.err.print(tr("Report: {path}").format(path=written), markup=False, soft_wrap=True)
    own = own_files(record)
    if options.json:
        write_text(options.json, json.dumps(study_data(record, own), indent=2))
    if options.json != "-":
        _print_results(context, chosen, own)
    is_whole = all((one.solution, one.suite, way) in own for one in study_candidates() for way in WAYS)
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def _measure(context: CommandContext, services: Services, found: Discovery, planned: PlannedStudy) -> CampaignRecord:
    """Run a comparison, which is stored like any other; one of this study that was interrupted goes on.

    Raises:
        Cancelled: The user cancelled it, and the hosts were restored.
        ProbeFailed: It stopped before its end.
    """
    part, resume_id = context.options.part, planned.resume_id
    if resume_id is not None:
        text = tr("Comparison {number}, which was interrupted, goes on.").format(number=resume_id)
        context.err.print(text, markup=False)
    record = run_plan(context, services, found, planned.plan, resume_id)
    stopped = STUDY_STOPPED(campaign=record.campaign_id, study=IPSEC_TLS, pair=found.pair.name, part=part)
    if record.status is CampaignStatus.CANCELLED:
        words = f"{cancelled_words(record)} {local_text(stopped.hint)}"
        context.err.print(words, markup=False, soft_wrap=True)
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        raise ProbeFailed(stopped)
    return record


def _print_results(context: CommandContext, chosen: Sequence[StudyCandidate], own: Mapping[Cell, FileFigures]) -> None:
    _print_table(context, chosen, own)
    agreed = file_agreement(own)
    text = tr("{same} of {pairs} pairs of response times have the published order.")
    context.out.print(text.format(same=agreed.same, pairs=agreed.pairs), markup=False)
    labels = {(one.solution, one.suite): one.label for one in study_candidates()}
    print_order(context, agreed, lambda cell: f"{labels[cell[0], cell[1]]} {WAYS[cell[2]]}")
    _print_notes(context)


def _print_notes(context: CommandContext) -> None:
    for text in FILE_STUDY_NOTES:
        context.out.print(tr(text), markup=False)


def _print_table(
    context: CommandContext, candidates: Sequence[StudyCandidate], own: Mapping[Cell, FileFigures] | None
) -> None:
    """Print the published table, with own figures before the published ones where there are any."""
    published = (tr("published"), published_files())
    sources = [published] if own is None else [(tr("own"), own), published]
    columns = [Column("VPN"), Column(tr("way"))]
    for heading, rank in (
        (tr("file\nms"), 0),
        (tr("x bare\nlink"), 0),
        (tr("longest\nms"), 2),
        ("Mbit/s", 1),
        (tr("CPU %\nsender"), 3),
        (tr("CPU %\nreceiver"), 3),
    ):
        columns += [Column(f"{heading}\n{whose}", Kind.FIGURE, rank) for whose, _ in sources]
    table = Table(columns, more="--json")
    for one in candidates:
        for way, printed in WAYS.items():
            rows = [_row(figures, (one.solution, one.suite, way)) for _, figures in sources]
            table.add_row(one.label, printed, *(cell for cells in zip(*rows, strict=True) for cell in cells))
    table.print(context.out)


def _row(figures: Mapping[Cell, FileFigures], cell: Cell) -> tuple[str, ...]:
    found, ratio = figures.get(cell), times_bare(figures, cell)
    if found is None:
        return ("–",) * 6
    return (
        local_figure(found.response_ms, 3),
        "–" if ratio is None else decimal(ratio, 2),
        local_figure(found.longest_ms, 3),
        local_figure(found.rate_mbit_s, 3),
        *("–" if value is None else decimal(value, 0) for value in (found.sender_cpu_pct, found.receiver_cpu_pct)),
    )
