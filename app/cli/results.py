"""`tunnelmark rank` and `report`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, check_text, report_paths, write_text
from app.cli.prose import print_prose
from app.cli.tables import Column, Kind, Table
from app.domain.errors import InvalidOption
from app.domain.plain_text import plain_text
from app.domain.ranking import CandidateResult, Estimate, Ranking
from app.domain.results import AttemptStatus, CampaignRecord
from app.ranking import Outcome, Remedy, outcome_of, speed_findings
from app.ranking.candidates import wire_of
from app.ranking.warnings import harmless_drift, warnings_of
from app.ranking.weighting import Weighting, parse_weights, weigh
from app.wording.capture_sentences import wire_line
from app.wording.ties import tie_note

if TYPE_CHECKING:
    from app.reports.archive import Archive


def rank(context: Context) -> int:
    """Rank a stored comparison."""
    options = context.options
    weights = parse_weights(options.weights) if options.weights else {}
    if weights and options.json:
        raise InvalidOption(
            "--weights and --json do not go together.", hint="Leave one of them out: weights are written into no file."
        )
    check_text(context, options.json)
    with context.archive() as archive:
        record, ranking = archive.results(_campaign_id(archive, options.pair, options.campaign))
        if options.json:
            write_text(options.json, json.dumps(archive.json_data(record, ranking), indent=2))
    if options.json != STDOUT:
        print_ranking(context.out, record, ranking)
    if weights:
        print_weighting(context.out, weigh(record, ranking, weights))
    return ExitCode.OK


def print_weighting(out: Console, weighting: Weighting) -> None:
    """Print the candidates in the order of the user's weights, beside and below the ranking."""
    out.print()
    columns = [Column(f"{measure}\nx best", Kind.FIGURE, 1) for measure in weighting.weights]
    table = Table([Column("place"), Column("candidate"), Column("verdict"), Column("score", Kind.FIGURE), *columns])
    for one in weighting.scored:
        ratios = [f"{one.ratios[measure]:.2f}" for measure in weighting.weights]
        table.add_row(one.rank, one.result.title, one.result.verdict.capitalize(), f"{one.score:.2f}", *ratios)
    out.print(f"{weighting.title}.", markup=False, style="bold", soft_wrap=True)
    if weighting.scored:
        table.print(out)
    for other in weighting.unscored:
        out.print(f"{other.result.title}: no place: {other.reason}", markup=False)
    out.print(weighting.sentence, markup=False)


def report(context: Context) -> int:
    """Write reports of a stored comparison."""
    options = context.options
    asked = {".html": options.html, ".pdf": options.pdf, ".json": options.json, ".csv": options.csv}
    paths, samples = report_paths(context, asked), report_paths(context, {".csv": options.samples})
    with context.archive() as archive:
        campaign_id = _campaign_id(archive, options.pair, options.campaign)
        if options.json == STDOUT:
            write_text(STDOUT, json.dumps(archive.json_data(*archive.results(campaign_id)), indent=2))
        elif not paths and not samples:
            paths = [archive.default_report_path(campaign_id)]
        written = [archive.write_report(campaign_id, path) for path in paths]
        written += [archive.write_samples(campaign_id, path) for path in samples]
        for path in written:
            out = context.err if options.json == STDOUT else context.out
            out.print(str(path), markup=False, soft_wrap=True)
    return ExitCode.OK


def print_ranking(out: Console, record: CampaignRecord, ranking: Ranking) -> None:
    """Print a ranking in words and numbers; failures first, each cause once."""
    outcome = outcome_of(record)
    if record.note:
        out.print(f"Your note: {' '.join(plain_text(record.note).split())}", markup=False)
    print_outcome(out, record, outcome)
    ranking_table(record, ranking).print(out)
    for result in ranking.results:
        report = wire_of(record, result)
        if report is not None:
            print_prose(out, f"{result.title}: packet tests: {wire_line(report)}")
    for result in ranking.results:
        if result.reason and result.status is not AttemptStatus.FAILED:
            print_prose(out, f"{result.title}: {result.status}: {result.message}")
    for finding in speed_findings(ranking).values():
        print_prose(out, f"{finding.subject}: {finding.reason}")
    if any(place.tied_with for place in ranking.ranking):
        print_prose(out, tie_note(record.plan.profile))
    if drift := harmless_drift(ranking.drift):
        print_prose(out, drift)
    _print_warnings(out, warnings_of(record, ranking))
    print_prose(out, ranking.recommendation.sentence, style="bold")
    if ranking.recommendation.alternative:
        print_prose(out, ranking.recommendation.alternative)


def _print_warnings(out: Console, warnings: Sequence[str]) -> None:
    """Print the same list as the window and reports show."""
    if not warnings:
        return
    out.print(f"Warnings ({len(warnings)}):", markup=False)
    for text in warnings:
        print_prose(out, text, head="- ", indent=2)


def print_outcome(out: Console, record: CampaignRecord, outcome: Outcome) -> None:
    """Print how many candidates failed, each cause once with what mends it; nothing where none failed."""
    if not outcome.headline:
        return
    out.print(f"{outcome.headline}.", markup=False, style="bold red")
    for cause in outcome.causes:
        out.print(cause.sentence, markup=False)
    pair = record.plan.pair.name
    for remedy in dict.fromkeys(cause.remedy for cause in outcome.causes):
        if remedy in _REMEDIES:
            out.print(_REMEDIES[remedy].format(pair=pair), markup=False, soft_wrap=True)
    out.print()


_REMEDIES = {
    Remedy.HOSTS: "Install what is missing with: tunnelmark discover {pair} --install",
    Remedy.LINK: "Once it is fixed, check for further obstacles: tunnelmark compare {pair} --dry-run",
}


def ranking_table(record: CampaignRecord, ranking: Ranking) -> Table:
    """Return the ranking with a row for each candidate."""
    title = f"Comparison {record.campaign_id} of {record.plan.pair.name}"
    table = Table([*_NAMES, *(column for one in _FIGURES for column in one.columns())], title, more="--json")
    results = {(result.solution, result.suite): result for result in ranking.results}
    for place in ranking.ranking:
        result = results[place.solution, place.suite]
        rank_text = "" if place.rank is None else f"{place.rank}{'=' if place.tied_with else ''}"
        cells = [cell for one in _FIGURES for cell in one.cells(result)]
        table.add_row(rank_text, result.title, result.verdict.capitalize(), *cells)
    return table


_NAMES = (Column("rank"), Column("candidate"), Column("verdict"))


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
        mean = Column(self.heading, Kind.FIGURE, self.rank)
        return (
            [mean] if self.interval_rank is None else [mean, Column("95 %\ninterval", Kind.FIGURE, self.interval_rank)]
        )

    def cells(self, result: CandidateResult) -> list[str]:
        value = self.value_of(result)
        mean = value.mean if isinstance(value, Estimate) else value
        text = "-" if mean is None else f"{mean:.{self.digits}f}"
        if self.interval_rank is None:
            return [text]
        ci = value.ci if isinstance(value, Estimate) else None
        return [text, "" if ci is None else f"{ci[0]:.{self.digits}f} to {ci[1]:.{self.digits}f}"]


def _times_best(one: CandidateResult) -> Estimate | None:
    """Return the latency over that of the fastest, of medians, with its interval where it has one."""
    ratio = one.ratio_to_best
    if ratio is None:
        return None
    is_known = ratio.low is not None and ratio.high is not None
    return Estimate(ratio.value, (ratio.low or 0.0, ratio.high or 0.0) if is_known else None, 0)


_FIGURES = (
    _Figure("latency\nms", 0, 3, lambda one: one.weighted_latency_ms, 3),
    _Figure("medians\nx best", 3, 2, _times_best, 4),
    _Figure("x\nbase", 2, 2, lambda one: one.latency_vs_baseline),
    _Figure("A>B\nMbit/s", 0, 1, lambda one: one.throughput_mbit_s.get("a_to_b"), 5),
    _Figure("B>A\nMbit/s", 0, 1, lambda one: one.throughput_mbit_s.get("b_to_a"), 5),
    _Figure("x\nbase", 2, 2, lambda one: one.throughput_vs_baseline),
    _Figure("CPU\nA %", 4, 0, lambda one: one.cpu_pct.get("a"), 6),
    _Figure("CPU\nB %", 4, 0, lambda one: one.cpu_pct.get("b"), 6),
    _Figure("CPU %\nper Mbit/s", 1, 2, lambda one: one.cpu_pct_per_mbit_s, 6),
)


def _campaign_id(archive: Archive, pair: str | None, campaign: int | None) -> int:
    if campaign is None:
        return archive.latest(pair)
    if pair is not None:
        of = archive.pair_of(campaign)
        if of != pair:
            raise InvalidOption(
                f"Comparison {campaign} is of the pair {of}, not of {pair}.", hint="Leave the pair or --campaign out."
            )
    return campaign
