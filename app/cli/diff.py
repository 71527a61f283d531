"""`tunnelmark diff`: two stored comparisons side by side."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text, write_text
from app.cli.tables import Column, Kind, Table
from app.domain.ranking import Estimate, Ratio
from app.ranking.comparing import Change, ComparisonDiff, compare_records

_COLUMNS = (
    Column("candidate"),
    Column("before\nms", Kind.FIGURE, 2),
    Column("after\nms", Kind.FIGURE, 2),
    Column("latency\nafter / before", Kind.FIGURE),
    Column("95 %\ninterval", Kind.FIGURE, 1),
    Column("beyond\nthe link", Kind.FIGURE, 3),
    Column("throughput\nafter / before", Kind.FIGURE, 4),
    Column("", rank=1),
)


def diff(context: Context) -> int:
    """Compare two stored comparisons."""
    options = context.options
    check_text(context, options.json)
    with context.archive() as archive:
        found = compare_records(archive.results(options.before), archive.results(options.after))
    if options.json:
        write_text(options.json, json.dumps(diff_data(found), indent=2))
    if options.json != "-":
        print_diff(context.out, found)
    return ExitCode.OK


def diff_data(found: ComparisonDiff) -> dict[str, object]:
    """Return two comparisons side by side as JSON has them."""
    return {
        "format": 1,
        "before": found.before.campaign_id,
        "after": found.after.campaign_id,
        "is_same_pair": found.is_same_pair,
        "candidates": [asdict(one) for one in found.changes],
        "settings": [asdict(one) for one in found.settings],
    }


def print_diff(out: Console, found: ComparisonDiff) -> None:
    """Print what changed in figures and in words."""
    before, after = found.before, found.after
    if not found.is_same_pair:
        out.print(
            "These are comparisons of different pairs: what differs may be the hosts.", markup=False, style="bold"
        )
    title = f"Comparison {before.campaign_id} of {before.started_at.astimezone():%Y-%m-%d} and {after.campaign_id} of "
    table = Table(_COLUMNS, f"{title}{after.started_at.astimezone():%Y-%m-%d}, {after.plan.pair.name}", more="--json")
    for one in found.changes:
        table.add_row(*_cells(one))
    table.print(out)
    for setting in found.settings:
        out.print(f"{setting.what}: {setting.before} → {setting.after}", markup=False)
    if not found.settings:
        out.print("Hosts, versions and profile are the same.", markup=False)
    names = "; ".join(f"{one.title} ({_times(one.latency)})" for one in found.significant)
    sentence = f"Beyond chance: {names}." if names else "No latency changed beyond chance."
    out.print(sentence, markup=False, style="bold")


def _cells(one: Change) -> tuple[str, ...]:
    interval = ""
    if one.latency is not None and one.latency.low is not None and one.latency.high is not None:
        interval = f"{one.latency.low:.2f} to {one.latency.high:.2f}"
    state = "new" if one.before is None else "not measured any more" if one.after is None else ""
    return (
        one.title,
        _ms(one.before),
        _ms(one.after),
        _times(one.latency),
        interval,
        f"{one.beyond_link:.2f}" if one.beyond_link is not None else "",
        f"{one.throughput:.2f}" if one.throughput is not None else "",
        state or ("changed" if one.is_significant else ""),
    )


def _ms(estimate: Estimate | None) -> str:
    return f"{estimate.mean:.3f}" if estimate is not None else ""


def _times(ratio: Ratio | None) -> str:
    return f"{ratio.value:.2f}" if ratio is not None else ""
