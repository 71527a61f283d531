"""`tunnelmark rank` and `report`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, check_text, report_paths, write_json
from app.cli.messages import COMPARISON_OF_OTHER_PAIR, MEAN_RANKS_WITHOUT_WEIGHTS, WEIGHTS_AND_JSON
from app.cli.prose import print_prose
from app.cli.tables import Column, Kind, Table
from app.cli.words import capital_word, word_of
from app.domain.errors import InvalidOption
from app.domain.plain_text import plain_text
from app.domain.ranking import CandidateResult, Estimate, Ranking
from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking import Outcome, Remedy, outcome_of, speed_findings
from app.ranking.candidates import capture_of
from app.ranking.warnings import harmless_drift, warnings_of
from app.ranking.weighting import Scoring, Weighting, parse_weights, weigh
from app.ranking.workloads import WorkloadCell, main_figures, workload_table
from app.wording.capture_sentences import capture_line
from app.wording.language import mark, tr
from app.wording.local_forms import decimal
from app.wording.messages import local_name, local_text
from app.wording.ties import tie_note

if TYPE_CHECKING:
    from app.reports.archive import Archive


def rank(context: CommandContext) -> int:
    """Rank a stored comparison."""
    options = context.options
    weights = parse_weights(options.weights) if options.weights else {}
    if options.mean_ranks and not weights:
        raise InvalidOption(MEAN_RANKS_WITHOUT_WEIGHTS())
    if weights and options.json:
        raise InvalidOption(WEIGHTS_AND_JSON())
    check_text(context, options.json)
    with context.archive() as archive:
        record, ranking = archive.results(_campaign_id(archive, options.pair, options.campaign))
        if options.json:
            write_json(options.json, archive.json_data(record, ranking))
    if options.json != STDOUT:
        print_ranking(context.out, record, ranking)
    if weights:
        method = Scoring.RANKS if options.mean_ranks else Scoring.RATIOS
        print_weighting(context.out, weigh(record, ranking, weights, method))
    return ExitCode.OK


def print_weighting(out: Console, weighting: Weighting) -> None:
    """Print the candidates in the order of the user's weights, beside and below the ranking."""
    out.print()
    head = tr("{measure}\nrank") if weighting.method is Scoring.RANKS else tr("{measure}\nx best")
    columns = [Column(head.format(measure=measure), Kind.FIGURE, 1) for measure in weighting.weights]
    has_marks = any(one.mark for one in weighting.scored)
    table = Table(
        [
            Column(tr("rank")),
            Column(tr("candidate")),
            Column(tr("verdict")),
            Column(tr("score"), Kind.FIGURE),
            *columns,
            *([Column(tr("note"), Kind.PROSE)] if has_marks else []),
        ]
    )
    for one in weighting.scored:
        cells = [decimal(one.parts[measure], 2) for measure in weighting.weights]
        cells += [local_text(one.mark)] if has_marks else []
        table.add_row(one.rank, one.result.title, capital_word(one.result.verdict), decimal(one.score, 2), *cells)
    out.print(f"{local_text(weighting.title)}.", style="bold", soft_wrap=True)
    if weighting.scored:
        table.print(out)
    for other in weighting.unscored:
        out.print(tr("{title}: no rank: {reason}").format(title=other.result.title, reason=local_text(other.reason)))
    out.print(local_text(weighting.sentence))


def report(context: CommandContext) -> int:
    """Write reports of a stored comparison."""
    options = context.options
    asked = {".html": options.html, ".pdf": options.pdf, ".json": options.json, ".csv": options.csv}
    paths, samples = report_paths(context, asked), report_paths(context, {".csv": options.samples})
    with context.archive() as archive:
        campaign_id = _campaign_id(archive, options.pair, options.campaign)
        if options.json == STDOUT:
            write_json(STDOUT, archive.json_data(*archive.results(campaign_id)))
        elif not paths and not samples:
            paths = [archive.default_report_path(campaign_id)]
        written = [archive.write_report(campaign_id, path) for path in paths]
        written += [archive.write_samples(campaign_id, path) for path in samples]
        for path in written:
            out = context.err if options.json == STDOUT else context.out
            out.print(str(path), soft_wrap=True)
    return ExitCode.OK


def print_ranking(out: Console, record: CampaignRecord, ranking: Ranking) -> None:
    """Print a ranking in words and numbers; failures first, each cause once."""
    outcome = outcome_of(record)
    if record.note:
        out.print(tr("Your note: {note}").format(note=" ".join(plain_text(record.note).split())))
    print_outcome(out, record, outcome)
    ranking_table(record, ranking).print(out)
    print_workloads(out, record)
    for result in ranking.results:
        report = capture_of(record.attempts_of((result.solution, result.suite)))
        if report is not None:
            line = local_text(capture_line(report))
            print_prose(out, tr("{title}: packet tests: {line}").format(title=result.title, line=line))
    for result in ranking.results:
        if result.reason and result.status is not AttemptStatus.FAILED:
            print_prose(out, f"{result.title}: {word_of(result.status)}: {local_text(result.message)}")
    for finding in speed_findings(ranking).values():
        print_prose(out, f"{local_name(finding.subject)}: {local_text(finding.reason)}")
    if any(place.tied_with for place in ranking.ranking):
        print_prose(out, local_text(tie_note(record.plan.profile, ranking.rounds)))
    if drift := harmless_drift(ranking.drift):
        print_prose(out, local_text(drift))
    _print_warnings(out, warnings_of(record, ranking))
    print_prose(out, local_text(ranking.recommendation.sentence), style="bold")
    if ranking.recommendation.alternative:
        print_prose(out, local_text(ranking.recommendation.alternative))


def print_workloads(out: Console, record: CampaignRecord) -> None:
    """Print the results of workloads: a row for each figure, the best marked with *."""
    found = workload_table(record)
    if found is None:
        return
    heads = [Column(title, Kind.FIGURE) for _, title in found.candidates]
    table = Table(
        [Column(tr("workload")), Column(tr("figure"), Kind.PROSE), *heads],
        tr("Workloads (* best, or as good)"),
        more="--json",
    )
    for one in found.rows:
        cells = [one.cells.get(key) for key, _ in found.candidates]
        unit = f", {one.kind.unit}" if one.kind.unit else ""
        words = ["-" if cell is None else cell.words for cell in cells]
        table.add_row(one.workload if one.is_main else "", f"{local_text(one.kind.title)}{unit}", *words)
    table.print(out)
    for note in found.notes:
        print_prose(out, local_text(note))


def _print_warnings(out: Console, warnings: Sequence[str]) -> None:
    """Print the same list as the window and reports show."""
    if not warnings:
        return
    out.print(tr("Warnings ({number}):").format(number=len(warnings)))
    for text in warnings:
        print_prose(out, local_text(text), head="- ", indent=2)


def print_outcome(out: Console, record: CampaignRecord, outcome: Outcome) -> None:
    """Print how many candidates failed, each cause once with the remedy; nothing where none failed."""
    if not outcome.headline:
        return
    out.print(f"{local_text(outcome.headline)}.", style="bold red")
    for cause in outcome.causes:
        out.print(local_text(cause.sentence))
    pair = record.plan.pair.name
    for remedy in dict.fromkeys(cause.remedy for cause in outcome.causes):
        if remedy in _REMEDIES:
            out.print(tr(_REMEDIES[remedy]).format(pair=pair), soft_wrap=True)
    out.print()


_REMEDIES = {
    Remedy.HOSTS: mark("Install what is missing with: tunnelmark discover {pair} --install"),
    Remedy.LINK: mark("Once it is fixed, check for further obstacles: tunnelmark compare {pair} --dry-run"),
}


def ranking_table(record: CampaignRecord, ranking: Ranking) -> Table:
    """Return the ranking with a row for each candidate."""
    title = tr("Comparison {number} of {pair}").format(number=record.campaign_id, pair=record.plan.pair.name)
    names = (Column(tr("rank")), Column(tr("candidate")), Column(tr("verdict")))
    workloads = main_figures(record)
    figures = [column for one in _FIGURES for column in one.columns()]
    figures += [Column(one.heading.replace(", ", "\n"), Kind.FIGURE, _WORKLOAD_RANK) for one in workloads]
    table = Table([*names, *figures], title, more="--json")
    results = {(result.solution, result.suite): result for result in ranking.results}
    for place in ranking.ranking:
        result = results[place.solution, place.suite]
        rank_text = "" if place.rank is None else f"{place.rank}{'=' if place.tied_with else ''}"
        cells = [cell for one in _FIGURES for cell in one.cells(result)]
        cells += [_workload_cell(one.cells.get((place.solution, place.suite))) for one in workloads]
        table.add_row(rank_text, result.title, capital_word(result.verdict), *cells)
    return table


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure with a column for its mean, and one for its interval.

    Attributes:
        heading: Of the mean.
        rank: Of the mean, see `Column`.
        digits: After the decimal point.
        value_of: Where it is in a result.
        interval_rank: Of the interval; None for a figure that has none.
    """

    heading: str
    rank: int
    digits: int
    value_of: Callable[[CandidateResult], Estimate | float | None]
    interval_rank: int | None = None

    def columns(self) -> list[Column]:
        mean = Column(tr(self.heading), Kind.FIGURE, self.rank)
        return (
            [mean]
            if self.interval_rank is None
            else [mean, Column(tr("95 %\ninterval"), Kind.FIGURE, self.interval_rank)]
        )

    def cells(self, result: CandidateResult) -> list[str]:
        value = self.value_of(result)
        mean = value.mean if isinstance(value, Estimate) else value
        text = "-" if mean is None else decimal(mean, self.digits)
        if self.interval_rank is None:
            return [text]
        ci = value.ci if isinstance(value, Estimate) else None
        return [text, "" if ci is None else interval_text(ci[0], ci[1], self.digits)]


def interval_text(low: float, high: float, digits: int) -> str:
    """Return an interval: `1.20 to 1.31`."""
    return tr("{low} to {high}").format(low=decimal(low, digits), high=decimal(high, digits))


def _workload_cell(cell: WorkloadCell | None) -> str:
    return "-" if cell is None else cell.mean_words


def _times_best(one: CandidateResult) -> Estimate | None:
    """Return the latency over that of the fastest, of medians, with its interval where it has one."""
    ratio = one.ratio_to_best
    if ratio is None:
        return None
    return Estimate(ratio.value, ratio.interval, 0)


_WORKLOAD_RANK = 7
"""Columns of workloads give way first: their figures have a table of their own."""

_FIGURES = (
    _Figure(mark("latency\nms"), 0, 3, lambda one: one.weighted_latency_ms, 3),
    _Figure(mark("medians\nx best"), 1, 2, _times_best, 4),
    _Figure(mark("x\nbase"), 2, 2, lambda one: one.latency_vs_baseline),
    _Figure(mark("A>B\nMbit/s"), 0, 1, lambda one: one.throughput_mbit_s.get("a_to_b"), 5),
    _Figure(mark("B>A\nMbit/s"), 0, 1, lambda one: one.throughput_mbit_s.get("b_to_a"), 5),
    _Figure(mark("x\nbase"), 2, 2, lambda one: one.throughput_vs_baseline),
    _Figure(mark("CPU\nA %"), 4, 0, lambda one: one.cpu_pct.get("a"), 6),
    _Figure(mark("CPU\nB %"), 4, 0, lambda one: one.cpu_pct.get("b"), 6),
    _Figure(mark("CPU %\nper Mbit/s"), 1, 2, lambda one: one.cpu_pct_per_mbit_s, 6),
)


def _campaign_id(archive: Archive, pair: str | None, campaign: int | None) -> int:
    if campaign is None:
        return archive.latest(pair)
    if pair is not None:
        of = archive.store.campaign_summary(campaign).pair
        if of != pair:
            raise InvalidOption(COMPARISON_OF_OTHER_PAIR(campaign=campaign, of=of, pair=pair))
    return campaign
