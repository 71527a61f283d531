"""`tunnelmark bench`: what measuring costs, and how long profiles take."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rich.console import Console

from app.cli.compare import chosen_candidates
from app.cli.context import Context, verbosity
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text, write_text
from app.cli.names import check_list, check_solutions, words_of
from app.cli.pair_option import find_pair
from app.cli.progress import CampaignDisplay
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable
from app.discovery.pair_discovery import Discovery
from app.domain.errors import Cancelled, InvalidOption, ProbeFailed
from app.domain.events import Event
from app.domain.results import PROFILES, AttemptStatus, CampaignRecord, CampaignStatus, Profile, ProfileName
from app.measurement.bench import SHORT_PROFILE, Bench, StageClock, bench_data, candidate_times
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.measurement.overhead import ProbeOverhead
from app.services.wiring import Services

MAX_ROUNDS = 100

_COLUMNS = (
    Column("candidate"),
    Column("set-up\ns", Kind.FIGURE, 1),
    Column("set-up\n/ bare pings", Kind.FIGURE),
    Column("clean-up\ns", Kind.FIGURE, 1),
    Column("clean-up\n/ bare pings", Kind.FIGURE),
    Column("latency\nµs a request", Kind.FIGURE, 2),
)


def bench(context: Context) -> int:
    """Measure what measuring costs on a pair."""
    options = context.options
    if not 1 <= options.rounds <= MAX_ROUNDS:
        raise InvalidOption(f"--rounds {options.rounds} is out of range.", hint=f"Choose 1 to {MAX_ROUNDS}.")
    check_text(context, options.json)
    check_list("--solutions", options.solutions)
    check_solutions(words_of(options.solutions))
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)
        found = context.job(lambda token, tell: services.discover(pair, token=token, on_progress=tell))
        keys = chosen_candidates(found, options.solutions)
        clock = StageClock()
        short = _run(context, services, found, keys, SHORT_PROFILE, clock)
        overhead = context.job(
            lambda token, tell: services.measure_overhead(found, rounds=options.rounds, token=token, on_progress=tell)
        )
        times = candidate_times(short, clock)
        if not times:
            raise ProbeFailed("No candidate could be measured.", hint="The log of the comparison tells why.")
        measured_s = _measured_s(context, services, found, keys) if options.full else {}
    made = Bench(overhead, times, measured_s)
    if options.json:
        write_text(options.json, json.dumps(bench_data(made), indent=2))
    if options.json != "-":
        print_bench(context.out, made)
    is_whole = all(one.status is AttemptStatus.COMPLETED for one in short.attempts)
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def _measured_s(
    context: Context, services: Services, found: Discovery, keys: tuple[tuple[str, str], ...]
) -> Mapping[ProfileName, float]:
    """Return how long both profiles really take."""
    taken: dict[ProfileName, float] = {}
    for name in (ProfileName.ADAPTIVE, ProfileName.PAPER):
        record = _run(context, services, found, keys, PROFILES[name], StageClock())
        if record.ended_at is not None:
            taken[name] = (record.ended_at - record.started_at).total_seconds()
    return taken


def _run(
    context: Context,
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
    control = CampaignControl()
    with CampaignDisplay(context.err, is_verbose=verbosity(context.options) > 0) as display:

        def emit(event: Event) -> None:
            clock.handle(event)
            display.handle(event)

        record = run_cancellable(
            lambda _token: services.run(found, plan, control=control, emit=emit), context.prompts, control.token
        )
    if record.status is CampaignStatus.CANCELLED:
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        raise ProbeFailed(
            f"Comparison {record.campaign_id}, with profile {profile.name}, stopped before its end.",
            hint="The lines above tell why. Once the cause is fixed, run the command again.",
        )
    return record


def print_bench(out: Console, made: Bench) -> None:
    """Print the ratios of one run."""
    _print_overhead(out, made.overhead)
    table = Table(_COLUMNS, "Set-up and clean-up, in seconds and as multiples of bare pings", more="--json")
    for one in made.times:
        table.add_row(
            one.title,
            f"{one.setup_s:.1f}",
            f"{one.setup_s / made.overhead.bare_s:.1f}",
            f"{one.cleanup_s:.1f}",
            f"{one.cleanup_s / made.overhead.bare_s:.1f}",
            f"{1e6 * one.latency_s / one.pings:.0f}",
        )
    out.print()
    table.print(out)
    out.print()
    _print_profiles(out, made)


def _print_overhead(out: Console, overhead: ProbeOverhead) -> None:
    rounds = len(overhead.probe)
    out.print(
        f"Latency phase over bare pings: {overhead.time_ratio:.2f} (bare pings over bare pings: "
        f"{overhead.control_time_ratio:.2f}; {rounds} rounds, bare {overhead.bare_s:.2f} s)",
        markup=False,
        soft_wrap=True,
    )
    columns = (
        Column("frame\nbytes", Kind.FIGURE),
        Column("RTT, probe\n/ bare pings", Kind.FIGURE),
        Column("RTT, bare pings\n/ bare pings", Kind.FIGURE),
    )
    table = Table(columns, "Median round-trip times")
    for size, ratio, control in zip(
        overhead.frame_bytes, overhead.rtt_ratios, overhead.control_rtt_ratios, strict=True
    ):
        table.add_row(size, f"{ratio:.3f}", f"{control:.3f}")
    table.print(out)


def _print_profiles(out: Console, made: Bench) -> None:
    shortest, longest = made.predicted_ratios
    out.print(
        f"Predicted from these times: paper {made.paper_s / 60:.1f} min; adaptive {made.shortest_s / 60:.1f} to "
        f"{made.longest_s / 60:.1f} min, {shortest:.3f} to {longest:.3f} of paper.",
        markup=False,
        soft_wrap=True,
    )
    if made.measured_ratio is not None:
        minutes = {name: seconds / 60 for name, seconds in made.measured_s.items()}
        out.print(
            f"Measured: paper {minutes[ProfileName.PAPER]:.1f} min; adaptive {minutes[ProfileName.ADAPTIVE]:.1f} min, "
            f"{made.measured_ratio:.3f} of paper.",
            markup=False,
            soft_wrap=True,
        )
