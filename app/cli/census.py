"""`tunnelmark census`."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text, report_paths, write_json
from app.cli.messages import NO_CENSUS_TO_RESUME
from app.cli.names import check_list, check_solutions, out_of_range, words_of
from app.cli.pair_option import find_pair
from app.cli.progress import EventDisplay
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.cli.words import word_of
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, OptionResult, OptionStatus
from app.domain.errors import Cancelled, InvalidOption
from app.domain.events import AttemptEnded, CampaignStarted, CensusEvent, LogLevel, LogLine, UnderlayChanged
from app.domain.events import Progress as HowFar
from app.measurement.census.stored import CensusOptions, CensusResults
from app.ranking.published_census import STUDY_2019, published_triples
from app.reports.census_json import census_to_json
from app.services.wiring import Services
from app.wording.language import tr, trn
from app.wording.local_forms import decimal
from app.wording.messages import local_text

MIN_PINGS, MAX_PINGS = 1, 1000


def census(context: CommandContext) -> int:
    """Try every cipher, MAC and AEAD that the programs of both hosts list."""
    options = context.options
    reports = _checked(context)
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        plan = services.plan_census(found, selection_of(options))
        resume_id = _resume_id(context, services, found, plan)
        token = CancelToken()
        with CensusDisplay(context.err) as display:
            record = run_cancellable(
                lambda _token: services.run_census(found, plan, token=token, emit=display.handle, resume_id=resume_id),
                context.prompts,
                token,
            )
        results = services.census_results(record.census_id)
        for path in reports:
            context.err.print(tr("Report: {path}").format(path=services.write_census(results, path)), soft_wrap=True)
    if options.json:
        write_json(options.json, census_to_json(results.record, results.words))
    if options.json != "-":
        print_census(context.out, results)
    if token.is_cancelled:
        context.err.print(cancelled_text(is_complete=record.is_complete))
        raise Cancelled
    if record.message:
        context.err.print(tr("The census stopped. Once the cause is fixed, the same command resumes it."))
    return ExitCode.OK if record.is_complete else ExitCode.INCOMPLETE


def cancelled_text(*, is_complete: bool) -> str:
    """Return that a census was cancelled, and that it can be resumed where an option is left."""
    if is_complete:
        return tr("The census was cancelled when every option had a result, and the hosts were restored.")
    return tr("The census was cancelled, and the hosts were restored. It can be resumed.")


def selection_of(options: argparse.Namespace) -> CensusOptions:
    """Return what a command line selects."""
    return CensusOptions(
        words_of(options.solutions),
        words_of(options.options),
        pings=options.pings,
        has_load_consent=options.allow_load,
    )


def _checked(context: CommandContext) -> list[Path]:
    """Check the options before logging in; return where reports go."""
    options = context.options
    if not MIN_PINGS <= options.pings <= MAX_PINGS:
        raise out_of_range("--pings", options.pings, MIN_PINGS, MAX_PINGS)
    check_solutions(words_of(options.solutions))
    check_list("--solutions", options.solutions)
    check_list("--options", options.options)
    check_text(context, options.json)
    return report_paths(context, {".html": options.report})


def _resume_id(context: CommandContext, services: Services, found: Discovery, plan: CensusPlan) -> int | None:
    if context.options.fresh:
        return None
    census_id = services.unfinished_census(found, plan)
    if census_id is None and context.options.resume:
        raise InvalidOption(NO_CENSUS_TO_RESUME(pair=found.pair.name))
    return census_id


def print_census(out: Console, results: CensusResults) -> None:
    """Print the triples beside the published ones, then what does not work and what is unprotected."""
    census_table(results).print(out)
    for one in results.solutions:
        for result in one.options:
            if result.status is not OptionStatus.WORKS or result.reason:
                out.print(f"{one.solution}: {describe_option(result)}", soft_wrap=True)
    out.print(tr("Published: {study}").format(study=STUDY_2019))


def census_table(results: CensusResults) -> Table:
    """Return the triples with a row for each solution."""
    record = results.record
    columns = [
        Column(tr("solution")),
        Column(tr("works / fails / total")),
        Column(tr("unprotected"), Kind.FIGURE, 1),
        Column(tr("not run"), Kind.FIGURE, 1),
        Column(tr("published\n(study, Table III)"), rank=2),
    ]
    table = Table(
        columns, tr("Census {number} of {pair}").format(number=record.census_id, pair=record.pair.name), more="--json"
    )
    for one in results.solutions:
        planned = sum(item.solution == one.solution for item in record.plan.items)
        table.add_row(
            one.solution,
            f"{one.working} / {one.failed} / {one.total}",
            one.unprotected,
            planned - one.total - one.unprotected,
            ", ".join(f"{there.working}/{there.failed}/{there.total}" for there in published_triples(one.solution)),
        )
    return table


def describe_option(result: OptionResult) -> str:
    """Return what became of an option, in one line."""
    parts = [f"{word_of(result.kind)} {result.name}: {word_of(result.status)}"]
    if result.alias_of:
        parts.append(tr("alias of {name}").format(name=result.alias_of))
    if result.weighted_latency_ms is not None:
        parts.append(f"{decimal(result.weighted_latency_ms, 2)} ms")
    if result.throughput_mbit_s is not None:
        parts.append(f"{decimal(result.throughput_mbit_s, 1)} Mbit/s")
    line = ", ".join(parts)
    return f"{line}. {local_text(result.reason)}" if result.reason else line


class CensusDisplay(EventDisplay):
    """Shows a census's events. Called in the census's thread.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._places: dict[tuple[str, str], int] = {}
        self._begin()

    def handle(self, event: CensusEvent) -> None:
        """Show one event."""
        with self._lock:
            match event:
                case CampaignStarted():
                    self._places = {(one.solution, one.suite): one.position + 1 for one in event.plan.items}
                    count = len(self._places)
                    options = trn("{number} option", "{number} options", count).format(number=count)
                    self._line(tr("Census {number}: {options}.").format(number=event.campaign_id, options=options))
                    if event.done:
                        self._line(tr("{number} of them were tried before; resuming.").format(number=len(event.done)))
                case AttemptEnded(attempt=result):
                    place = f"[{self._places[result.solution, result.suite]}/{len(self._places)}]"
                    self._line(f"{place} {result.solution}: {describe_option(result)}")
                case UnderlayChanged():
                    self._line(local_text(event.text))
                case HowFar():
                    self._describe(local_text(event.text))
                    self._progress(event)
                case LogLine() if event.level is not LogLevel.INFO:
                    self._line(local_text(event.text))
                case _:
                    pass
