"""`tunnelmark rank`, `report` and `history`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import report_paths, write_text
from app.domain.ranking import CandidateResult, Estimate, Ranking
from app.domain.results import CampaignRecord
from app.domain.wire import WireReport
from app.domain.wire_words import wire_line
from app.ranking import speed_findings

if TYPE_CHECKING:
    from app.compose import Archive


def rank(context: Context) -> int:
    """Rank a stored comparison."""
    options = context.options
    with context.archive() as archive:
        record, ranking = archive.results(_campaign_id(archive, options.pair, options.campaign))
        if options.json:
            write_text(options.json, json.dumps(archive.json_data(record, ranking), indent=2))
    if options.json != "-":
        print_ranking(context.out, record, ranking)
    return ExitCode.OK


def report(context: Context) -> int:
    """Write reports of a stored comparison."""
    options = context.options
    with context.archive() as archive:
        campaign_id = _campaign_id(archive, options.pair, options.campaign)
        paths = report_paths({".html": options.html, ".pdf": options.pdf, ".json": options.json, ".csv": options.csv})
        samples = report_paths({".csv": options.samples})
        if not paths and not samples:
            paths = [archive.default_report_path(campaign_id)]
        written = [archive.write_report(campaign_id, path) for path in paths]
        written += [archive.write_samples(campaign_id, path) for path in samples]
        for path in written:
            context.out.print(str(path), markup=False, soft_wrap=True)
    return ExitCode.OK


def history(context: Context) -> int:
    """List stored comparisons."""
    with context.archive() as archive:
        rows = archive.history()
    if not rows:
        context.out.print("Nothing has been measured yet. Try: tunnelmark demo", markup=False)
    for campaign_id, text in rows:
        context.out.print(f"{campaign_id:5d}  {text}", markup=False)
    return ExitCode.OK


def print_ranking(out: Console, record: CampaignRecord, ranking: Ranking) -> None:
    """Print a ranking in words and numbers."""
    title = f"Comparison {record.campaign_id} of {record.plan.pair.name}"
    table = Table(title=title, title_justify="left")
    table.add_column("rank")
    table.add_column("candidate", min_width=16)
    table.add_column("verdict", no_wrap=True)
    for heading in (
        "latency\nms",
        "x\nbase",
        "A>B\nMbit/s",
        "B>A\nMbit/s",
        "x\nbase",
        "CPU\nA %",
        "CPU\nB %",
        "CPU %\nper Mbit/s",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    results = {(result.solution, result.suite): result for result in ranking.results}
    for place in ranking.ranking:
        result = results[place.solution, place.suite]
        rank_text = "" if place.rank is None else f"{place.rank}{'=' if place.tied_with else ''}"
        table.add_row(rank_text, result.title, result.verdict.capitalize(), *_figures(result))
    out.print(table)
    for result in ranking.results:
        report = _wire_of(record, result)
        if report is not None:
            out.print(f"{result.title}: on the wire: {wire_line(report)}", markup=False)
    for result in ranking.results:
        if result.reason:
            out.print(f"{result.title}: {result.status}: {result.message}", markup=False)
    for finding in speed_findings(ranking).values():
        out.print(f"{finding.subject}: {finding.reason}", markup=False)
    if any(place.tied_with for place in ranking.ranking):
        out.print("= shares its rank: the difference is not significant.", markup=False)
    if ranking.drift.sentence not in ranking.recommendation.cautions:
        out.print(ranking.drift.sentence, markup=False)
    for caution in ranking.recommendation.cautions:
        out.print(f"Note: {caution}", markup=False)
    out.print(ranking.recommendation.sentence, markup=False, style="bold")


def _wire_of(record: CampaignRecord, result: CandidateResult) -> WireReport | None:
    key = (result.solution, result.suite)
    found = (one.wire for one in record.attempts if (one.key.solution, one.key.suite) == key)
    return next((report for report in found if report is not None), None)


def _figures(result: CandidateResult) -> tuple[str, ...]:
    return (
        _estimate(result.weighted_latency_ms, 3),
        _ratio(result.latency_vs_baseline),
        _estimate(result.throughput_mbit_s.get("a_to_b"), 1),
        _estimate(result.throughput_mbit_s.get("b_to_a"), 1),
        _ratio(result.throughput_vs_baseline),
        _estimate(result.cpu_pct.get("a"), 0),
        _estimate(result.cpu_pct.get("b"), 0),
        _estimate(result.cpu_pct_per_mbit_s, 2),
    )


def _estimate(estimate: Estimate | None, digits: int) -> str:
    if estimate is None:
        return "-"
    if estimate.ci is None:
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} [{estimate.ci[0]:.{digits}f}, {estimate.ci[1]:.{digits}f}]"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _campaign_id(archive: Archive, pair: str | None, campaign: int | None) -> int:
    return archive.latest(pair) if campaign is None else campaign
