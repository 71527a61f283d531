"""`tunnelmark diff`: two stored comparisons side by side."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text, write_json
from app.cli.messages import SAME_COMPARISON
from app.cli.results import interval_text
from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
from app.domain.errors import InvalidOption
from app.domain.ranking import Estimate, Ratio
from app.ranking.comparing import Change, ComparisonDiff, compare_records
from app.wording.language import source_language, tr
from app.wording.local_forms import day_text, decimal
from app.wording.messages import local_text


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("candidate")),
        Column(tr("before\nms"), Kind.FIGURE, 2),
        Column(tr("after\nms"), Kind.FIGURE, 2),
        Column(tr("latency\nafter / before"), Kind.FIGURE),
        Column(tr("95 %\ninterval"), Kind.FIGURE, 1),
        Column(tr("beyond\nthe link"), Kind.FIGURE, 3),
        Column(tr("throughput\nafter / before"), Kind.FIGURE, 4),
        Column("", rank=1),
    )


def diff(context: CommandContext) -> int:
    """Compare two stored comparisons."""
    options = context.options
    if options.before == options.after:
        raise InvalidOption(SAME_COMPARISON(campaign=options.before))
    check_text(context, options.json)
    with context.archive() as archive:
        some = archive.results(options.before), archive.results(options.after)
    results = some if some[0][0].started_at <= some[1][0].started_at else (some[1], some[0])
    if options.json:
        with source_language():
            write_json(options.json, diff_data(compare_records(*results)))
    if options.json != "-" and results is not some:
        context.out.print(tr("The earlier comparison comes first, in the order of time."), style="dim")
    if options.json != "-":
        print_diff(context.out, compare_records(*results))
    return ExitCode.OK


def diff_data(found: ComparisonDiff) -> dict[str, object]:
    """Return two comparisons side by side as JSON has them."""
    return {
        "format": 1,
        "before": found.before.campaign_id,
        "after": found.after.campaign_id,
        "is_same_pair": found.is_same_pair,
        "is_same_condition": found.is_same_condition,
        "candidates": [asdict(one) | {"was_tried": one.was_tried} for one in found.changes],
        "settings": [asdict(one) for one in found.settings],
    }


def print_diff(out: Console, found: ComparisonDiff) -> None:
    """Print what changed in figures and in words."""
    before, after = found.before, found.after
    if not found.is_same_pair:
        out.print(tr("These are comparisons of different pairs: what differs may be the hosts."), style="bold")
    if not found.is_same_condition:
        out.print(tr("The link was under different conditions: what differs may be the link."), style="bold")
    names = dict.fromkeys((before.plan.pair.name, after.plan.pair.name))
    title = tr("Comparison {before} of {before_day} and {after} of {after_day}, {pair}").format(
        before=before.campaign_id,
        before_day=day_text(before.started_at.astimezone()),
        after=after.campaign_id,
        after_day=day_text(after.started_at.astimezone()),
        pair=" → ".join(names),
    )
    table = Table(_columns(), title, more="--json")
    for one in found.changes:
        table.add_row(*_cells(one))
    table.print(out)
    if found.note:
        out.print(found.note, style="dim")
    for setting in found.settings:
        out.print(f"{local_text(setting.what)}: {_value(setting.before)} → {_value(setting.after)}")
    if not found.settings:
        out.print(tr("Hosts, versions and profile are the same."))
    out.print(found.summary, style="bold")


def _cells(one: Change) -> tuple[str, ...]:
    interval = ""
    if one.latency is not None and one.latency.interval is not None:
        interval = interval_text(*one.latency.interval, 2)
    return (
        one.title,
        _ms(one.before),
        _ms(one.after),
        _times(one.latency),
        interval,
        decimal(one.beyond_link, 2) if one.beyond_link is not None else "",
        decimal(one.throughput, 2) if one.throughput is not None else "",
        one.state,
    )


def _value(text: str) -> str:
    """Return the value of a setting, which may be a verdict or a sentence of the program."""
    return word_of(local_text(text))


def _ms(estimate: Estimate | None) -> str:
    return decimal(estimate.mean, 3) if estimate is not None else ""


def _times(ratio: Ratio | None) -> str:
    return decimal(ratio.value, 2) if ratio is not None else ""
