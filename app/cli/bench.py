"""`tunnelmark bench`: what measuring costs, and how long profiles take."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from app.cli.compare import chosen_candidates, run_plan
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text, write_json
from app.cli.messages import BENCH_NOTHING_MEASURED, BENCH_STOPPED
from app.cli.names import check_list, check_solutions, out_of_range, words_of
from app.cli.pair_option import find_pair
from app.cli.tables import Column, Kind, Table
from app.discovery.pair_discovery import Discovery
from app.domain.errors import Cancelled, ProbeFailed
from app.domain.profiles import PROFILES, Profile, ProfileName
from app.domain.results import AttemptStatus, CampaignRecord, CampaignStatus
from app.measurement.bench import (
    SHORT_PROFILE,
    Bench,
    StageClock,
    bench_data,
    candidate_times,
    measured_agreement,
    measured_s,
)
from app.measurement.options import RunOptions
from app.measurement.overhead import Overheads
from app.ranking.agreement import OrderAgreement
from app.ranking.choice import MOST_PLANNED_ROUNDS
from app.services.wiring import Services
from app.wording.language import tr, trn
from app.wording.local_forms import decimal, rounds_text
from app.wording.titles import local_title


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("candidate")),
        Column(tr("set-up\ns"), Kind.FIGURE, 1),
        Column(tr("set-up\n/ bare pings"), Kind.FIGURE),
        Column(tr("clean-up\ns"), Kind.FIGURE, 1),
        Column(tr("clean-up\n/ bare pings"), Kind.FIGURE),
        Column(tr("latency\nµs a request"), Kind.FIGURE, 2),
    )


def bench(context: CommandContext) -> int:
    """Measure what measuring costs on a pair."""
    options = context.options
    if not 1 <= options.rounds <= MOST_PLANNED_ROUNDS:
        raise out_of_range("--rounds", options.rounds, 1, MOST_PLANNED_ROUNDS)
    check_text(context, options.json)
    check_list("--solutions", options.solutions)
    check_solutions(words_of(options.solutions))
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        keys = chosen_candidates(found, options.solutions)
        clock = StageClock()
        short = _run(context, services, found, keys, SHORT_PROFILE, clock)
        overheads = context.job(
            lambda token, report: services.measure_overhead(
                found, rounds=options.rounds, token=token, on_progress=report
            )
        )
        times = candidate_times(short, clock)
        if not times:
            raise ProbeFailed(BENCH_NOTHING_MEASURED())
        made = Bench(overheads, times)
        if options.json != "-":  # before what takes an hour, and may be cancelled
            print_bench(context.out, made)
        if options.full:
            records = _whole(context, services, found, keys)
            made = Bench(overheads, times, measured_s(records), measured_agreement(records))
            if options.json != "-":
                print_measured(context.out, made)
    if options.json:
        write_json(options.json, bench_data(made))
    is_whole = all(one.status is AttemptStatus.COMPLETED for one in short.attempts)
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def _whole(
    context: CommandContext, services: Services, found: Discovery, keys: tuple[tuple[str, str], ...]
) -> Mapping[ProfileName, CampaignRecord]:
    """Run both profiles from start to end."""
    names = (ProfileName.ADAPTIVE, ProfileName.PAPER)
    return {name: _run(context, services, found, keys, PROFILES[name], StageClock()) for name in names}


def _run(
    context: CommandContext,
    services: Services,
    found: Discovery,
    keys: tuple[tuple[str, str], ...],
    profile: Profile,
    clock: StageClock,
) -> CampaignRecord:
    """Run a comparison, which is stored like any other.

    Raises:
        Cancelled: The user cancelled it, and the hosts were restored.
        ProbeFailed: It stopped before its end.
    """
    plan = services.plan(
        found,
        keys,
        RunOptions(
            profile=profile,
            load_cap_mbit_s=found.pair.load_cap_mbit_s,
            has_load_consent=context.options.allow_load,
        ),
    )
    record = run_plan(context, services, found, plan, on_event=clock.handle)
    if record.status is CampaignStatus.CANCELLED:
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        raise ProbeFailed(BENCH_STOPPED(campaign=record.campaign_id, profile=profile.name.value))
    return record


def print_bench(out: Console, made: Bench) -> None:
    """Print the ratios of one run, and how long whole profiles would take."""
    _print_overheads(out, made.overheads)
    bare_s = made.overheads.phase.bare_s
    table = Table(_columns(), tr("Set-up and clean-up, in seconds and as multiples of bare pings"), more="--json")
    for one in made.times:
        table.add_row(
            local_title(one.title),
            decimal(one.setup_s, 1),
            decimal(one.setup_s / bare_s, 1),
            decimal(one.cleanup_s, 1),
            decimal(one.cleanup_s / bare_s, 1),
            decimal(1e6 * one.latency_s / one.pings, 0),
        )
    out.print()
    table.print(out)
    out.print()
    _print_predicted(out, made)


def _print_overheads(out: Console, overheads: Overheads) -> None:
    phase, cycle = overheads.phase, overheads.cycle
    words = (
        tr("Latency phase over bare pings: {ratio} (bare pings over bare pings: {control}; {rounds}, bare {bare} s)"),
        tr("Adaptive cycle over bare pings: {ratio} (bare pings over bare pings: {control}; {rounds}, bare {bare} s)"),
    )
    for text, overhead in zip(words, (phase, cycle), strict=True):
        out.print(
            text.format(
                ratio=decimal(overhead.time_ratio, 2),
                control=decimal(overhead.control_time_ratio, 2),
                rounds=rounds_text(len(overhead.probe)),
                bare=decimal(overhead.bare_s, 2),
            ),
            soft_wrap=True,
        )
    columns = (
        Column(tr("frame\nbytes"), Kind.FIGURE),
        Column(tr("RTT, phase\n/ bare pings"), Kind.FIGURE),
        Column(tr("RTT, cycle\n/ bare pings"), Kind.FIGURE),
        Column(tr("RTT, bare pings\n/ bare pings"), Kind.FIGURE),
        Column(tr("the same\nbeside cycles"), Kind.FIGURE),
    )
    table = Table(columns, tr("Median round-trip times"))
    columns_of_figures = (phase.rtt_ratios, cycle.rtt_ratios, phase.control_rtt_ratios, cycle.control_rtt_ratios)
    for size, *ratios in zip(phase.frame_bytes, *columns_of_figures, strict=True):
        table.add_row(size, *(decimal(ratio, 3) for ratio in ratios))
    table.print(out)


def _print_predicted(out: Console, made: Bench) -> None:
    shortest, longest = made.predicted_ratios
    out.print(
        tr(
            "Predicted from these times: paper {paper} min; adaptive {low_min} to {high_min} min, "
            "{low} to {high} of paper."
        ).format(
            paper=decimal(made.paper_s / 60, 1),
            low_min=decimal(made.shortest_s / 60, 1),
            high_min=decimal(made.longest_s / 60, 1),
            low=decimal(shortest, 3),
            high=decimal(longest, 3),
        ),
        soft_wrap=True,
    )


def print_measured(out: Console, made: Bench) -> None:
    """Print how long whole profiles really took, and whether their orders agree."""
    if made.measured_ratio is not None:
        minutes = {name: seconds / 60 for name, seconds in made.measured_s.items()}
        rounds = PROFILES[ProfileName.PAPER].rounds
        out.print(
            tr(
                "Measured: paper {paper} min; adaptive {adaptive} min, {ratio} of paper, {of_round} of one of its "
                "rounds."
            ).format(
                paper=decimal(minutes[ProfileName.PAPER], 1),
                adaptive=decimal(minutes[ProfileName.ADAPTIVE], 1),
                ratio=decimal(made.measured_ratio, 3),
                of_round=decimal(made.measured_ratio * rounds, 3),
            ),
            soft_wrap=True,
        )
    if made.agreement is not None:
        out.print(_order_sentence(made.agreement), soft_wrap=True)


def _order_sentence(found: OrderAgreement) -> str:
    if not found.pairs:
        return tr("Order: paper distinguishes no two candidates.")
    text = trn(
        "Order: paper distinguishes {pairs} pair; adaptive has the same order in {same} and distinguishes "
        "{distinguished} of those.",
        "Order: paper distinguishes {pairs} pairs; adaptive has the same order in {same} and distinguishes "
        "{distinguished} of those.",
        found.pairs,
    ).format(pairs=found.pairs, same=found.same, distinguished=found.distinguished)
    if not found.opposite:
        return text
    names = "; ".join(tr("{fast} before {slow}").format(fast=fast, slow=slow) for fast, slow in found.opposite)
    other = tr("Not in paper's order ({names}): {number} of {total} distinguished.")
    return f"{text} {other.format(names=names, number=len(found.contradicted), total=len(found.opposite))}"
