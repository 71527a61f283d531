"""`tunnelmark compare` and `tunnelmark demo`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from app.cli.context import Context, verbosity
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, report_paths, write_text
from app.cli.names import check_list, check_solutions, meant, unknown_solution, words_of
from app.cli.pair_option import find_pair
from app.cli.progress import CampaignDisplay, plan_size
from app.cli.results import print_ranking
from app.cli.suites_text import print_suites, print_unavailable, suite_overview
from app.cli.terminal import run_cancellable
from app.discovery.pair_discovery import Discovery
from app.domain.errors import Cancelled, CleanupFailed, ConnectionLost, HostUnreachable, InvalidOption, NotFound
from app.domain.pair_names import LAB_PREFIX
from app.domain.preferences import Preferences
from app.domain.results import (
    DEMO_PROFILE,
    PROFILES,
    AttemptStatus,
    CampaignPlan,
    CampaignRecord,
    CampaignStatus,
    Profile,
    ProfileName,
)
from app.domain.verdicts import Verdict
from app.lab import parse_platforms, platforms_text
from app.lab.kinds import how_to_measure_again
from app.measurement.comparison import FINAL
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.measurement.wizard import ComparisonWizard
from app.services.wiring import Services

N = TypeVar("N", int, float)

DEMO_SOLUTIONS = "baseline,wireguard,openvpn-udp,openvpn-tcp"


def compare(context: Context) -> int:
    """Measure a pair, rank, and write what was asked for."""
    options = context.options
    asked = {".json": options.json, ".html": options.report, ".pdf": options.pdf, ".csv": options.csv}
    reports = report_paths(context, asked)
    check_list("--solutions", options.solutions)
    check_solutions(words_of(options.solutions))
    profile_of(options, Preferences())
    if options.all and not options.list:
        raise InvalidOption("--all belongs to --list.", hint="Without --solutions every safe default is compared.")
    if options.list and options.dry_run:
        raise InvalidOption("--list and --dry-run exclude each other: give one of them.")
    if options.resume:
        _check_nothing_else_is_asked_for(options)
    with context.services() as services:
        if options.resume:
            _check_resumable(services, options.pair)
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)  # also for --list and --dry-run: inspecting hosts disturbs what is measured
        found = context.job(lambda token, tell: services.discover(pair, token=token, on_progress=tell))
        if options.list:
            _print_candidates(context, found)
            return ExitCode.OK
        resume_id = _resumable(services, pair.name) if options.resume else None
        plan = (
            _resumed_plan(services, found, resume_id) if resume_id is not None else _make_plan(context, services, found)
        )
        if options.dry_run:
            _print_plan(context, services, found, plan)
            _print_obstacles(context, services, found, plan)
            return ExitCode.OK
        record = _run(context, services, found, plan, resume_id)
        return _finish(context, services, record, reports)


def demo(context: Context) -> int:
    """Run the main job on the practice lab, without a window."""
    options = context.options
    options.pair, options.solutions = f"lab:{platforms_text(*parse_platforms(options.platform))}", DEMO_SOLUTIONS
    is_fixed = any(one is not None for one in (options.pings, options.seconds, options.rounds))
    options.profile = (ProfileName.QUICK if is_fixed else DEMO_PROFILE.name).value
    options.budget_min = None if is_fixed or DEMO_PROFILE.budget_s is None else DEMO_PROFILE.budget_s / 60.0
    return compare(context)


def chosen_candidates(found: Discovery, solutions: str | None) -> tuple[tuple[str, str], ...]:
    """Return keys (solution, suite) for `--solutions a,b:suite`; without it, the defaults.

    Raises:
        InvalidOption: One is unknown, or these hosts cannot do it.
    """
    if not solutions:
        return found.defaults
    return tuple(_one_candidate(found, word) for word in words_of(solutions))


def _one_candidate(found: Discovery, word: str) -> tuple[str, str]:
    solution, _, suite = word.partition(":")
    if solution not in found.solutions:
        raise unknown_solution(solution, found.solutions)
    if solution in found.unavailable:
        raise InvalidOption(
            f"{solution} is not possible on these hosts: {found.unavailable[solution]}.",
            hint=f"`tunnelmark discover {found.pair.name} --install` can install what is missing.",
        )
    suites = [candidate for candidate in found.candidates if candidate.solution == solution]
    defaults = [key for key in found.defaults if key[0] == solution] or [(solution, suites[0].suite)]
    if not suite:
        return defaults[0]
    if suite not in {candidate.suite for candidate in suites}:
        names = ", ".join(candidate.suite for candidate in suites if not candidate.is_listed_only)
        listed = sum(candidate.is_listed_only for candidate in suites)
        more = f", and {listed} more that `tunnelmark compare {found.pair.name} --list --solutions {solution}` shows"
        probably = meant(suite, [candidate.suite for candidate in suites])
        raise InvalidOption(
            f"{solution} has no suite named {suite} on these hosts.{probably}",
            hint=f"It has: {names}{more if listed else ''}.",
        )
    return solution, suite


def chosen_profile(
    name: str,
    *,
    pings: int | None,
    seconds: int | None,
    rounds: int | None,
    budget_min: float | None = None,
    is_named: bool = True,
) -> Profile:
    """Return a profile with what was asked for replaced.

    Args:
        pings: Echo requests per frame size.
        seconds: Seconds of TCP per direction.
        rounds: Rounds.
        budget_min: Minutes of measuring of the profile adaptive.
        is_named: Whether the user named the profile; numbers change the profile quick where the default is adaptive.

    Raises:
        InvalidOption: A number is out of range.
    """
    profile = PROFILES[ProfileName(name)]
    if budget_min is not None:
        if not profile.is_adaptive or pings is not None or seconds is not None or rounds is not None:
            raise InvalidOption(
                "--budget-min belongs to the profile adaptive.",
                hint="Leave it out, or --pings, --seconds and --rounds, or give --profile adaptive.",
            )
        return replace(profile, budget_s=60.0 * _within("budget-min", budget_min, 0.0, 0.5, 600.0))
    if pings is None and seconds is None and rounds is None:
        return profile
    if profile.is_adaptive:
        if is_named:
            raise InvalidOption(
                "--pings, --seconds and --rounds do not belong to the profile adaptive: it measures until the order is "
                "known.",
                hint="Limit its time with --budget-min, or leave --profile out.",
            )
        profile = PROFILES[ProfileName.QUICK]
    return replace(
        profile,
        name=ProfileName.CUSTOM,
        pings=_within("pings", pings, profile.pings, 10, 1_000_000),
        seconds=_within("seconds", seconds, profile.seconds, 1, 3_600),
        rounds=_within("rounds", rounds, profile.rounds, 1, 100),
    )


def _within(option: str, value: N | None, default: N, low: N, high: N) -> N:
    if value is None:
        return default
    if not low <= value <= high:
        raise InvalidOption(f"--{option} {value:g} is out of range.", hint=f"Choose {low:g} to {high:g}.")
    return value


def profile_of(options: argparse.Namespace, preferences: Preferences) -> Profile:
    """Return the profile of a command line; without `--profile` that of the settings."""
    name = options.profile or preferences.profile.value
    return chosen_profile(
        name,
        pings=options.pings,
        seconds=options.seconds,
        rounds=options.rounds,
        budget_min=getattr(options, "budget_min", None),
        is_named=bool(options.profile),
    )


def _make_plan(context: Context, services: Services, found: Discovery) -> CampaignPlan:
    options = context.options
    wizard = ComparisonWizard()
    wizard.set_discovery(found)
    wizard.confirm_link(found.link, found.pair)
    wizard.choose(chosen_candidates(found, options.solutions))
    for candidate in wizard.risky_choices():
        context.err.print(
            f"{candidate.title} is {candidate.verdict}; it is measured because you named it.", markup=False
        )
    profile = profile_of(options, services.preferences())
    return services.plan(
        found,
        wizard.state.chosen,
        RunOptions(
            profile=profile,
            deadline_ms=options.deadline_ms,
            min_rate_mbit_s=options.min_rate,
            load_cap_mbit_s=options.load_cap if options.load_cap is not None else found.pair.load_cap_mbit_s,
            has_load_consent=options.allow_load,
        ),
    )


def _run(
    context: Context, services: Services, found: Discovery, plan: CampaignPlan, resume_id: int | None
) -> CampaignRecord:
    control = CampaignControl()
    with CampaignDisplay(context.err, is_verbose=verbosity(context.options) > 0) as display:
        return run_cancellable(
            lambda _token: services.run(found, plan, control=control, emit=display.handle, resume_id=resume_id),
            context.prompts,
            control.token,
        )


def _finish(context: Context, services: Services, record: CampaignRecord, reports: Sequence[Path]) -> int:
    _, ranking = services.results(record.campaign_id)
    is_json = context.options.json == STDOUT
    if is_json:
        write_text(STDOUT, json.dumps(services.archive.json_data(record, ranking), indent=2))
    else:
        print_ranking(context.out, record, ranking)
    if not any(path.suffix.lower() == ".html" for path in reports):
        reports = [*reports, services.default_report_path(record.campaign_id)]
    for path in reports:
        written = services.write_report(record.campaign_id, path)
        out = context.err if is_json else context.out
        out.print(f"{_KINDS[path.suffix.lower()]}: {written}", markup=False, soft_wrap=True)
    if record.status is CampaignStatus.CANCELLED:
        words = f"{cancelled_words(record)} {how_to_go_on(services, record)}".rstrip()
        context.err.print(f"The comparison was cancelled{words}", markup=False, soft_wrap=True)
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        _say_how_to_resume(context, services, record)
    is_whole = len(record.attempts) == record.attempts_needed and all(
        attempt.status is AttemptStatus.COMPLETED for attempt in record.attempts
    )
    return ExitCode.OK if is_whole else ExitCode.INCOMPLETE


def cancelled_words(record: CampaignRecord) -> str:
    """Return the state of the hosts: where they were unreachable, their rollback was not seen."""
    ran = [one for one in record.attempts if one.status is not AttemptStatus.NOT_RUN]
    if not ran or ran[-1].reason not in _NOT_SEEN_AGAIN:
        return ", and the hosts were restored."
    return (
        ". The hosts could not be reached at its end: each rolls back when its lease ends, which was not seen."
        f" Check it with: tunnelmark recover {record.plan.pair.name}"
    )


_NOT_SEEN_AGAIN = {error.reason for error in (ConnectionLost, HostUnreachable, CleanupFailed)}


def how_to_go_on(services: Services, record: CampaignRecord) -> str:
    """Return how a cancelled comparison is resumed; empty where it cannot be."""
    pair = record.plan.pair
    lab = services.lab_service.find(pair) if pair.is_lab else None
    can_be = services.unfinished(pair.name) == record.campaign_id and not (
        pair.is_lab and (lab is None or lab.owner_pid is not None)
    )
    return f"Go on with: tunnelmark compare {pair.name} --resume" if can_be else ""


def _say_how_to_resume(context: Context, services: Services, record: CampaignRecord) -> None:
    pair = record.plan.pair
    lab = services.lab_service.find(pair) if pair.is_lab else None
    how = f"Once the cause is fixed, resume with: tunnelmark compare {pair.name} --resume"
    if pair.is_lab and (lab is None or lab.owner_pid is not None):
        ends = "is gone" if lab is None else "ends with this command"
        how = f"Its practice lab {ends}. Measure again with: {how_to_measure_again(record)}"
    left = len(record.plan.attempts) - sum(attempt.status in FINAL for attempt in record.attempts)
    what = f"with {left} of {len(record.plan.attempts)} attempts not run"
    if record.plan.profile.is_adaptive:
        what = "before the order was known"
    context.err.print(
        f"The comparison stopped {what}. {how}",
        markup=False,
        soft_wrap=True,
    )


_KINDS = {".html": "Report", ".pdf": "Report as PDF", ".json": "Figures as JSON", ".csv": "Figures as CSV"}


def _resumable(services: Services, pair_name: str) -> int:
    campaign_id = services.unfinished(pair_name)
    if campaign_id is None:
        raise InvalidOption(f"There is no interrupted comparison of {pair_name}.", hint="Leave --resume out.")
    return campaign_id


def _check_resumable(services: Services, pair_name: str) -> None:
    """Refuse to resume where there is nothing to resume, or in a lab that has ended, before logging in."""
    kind = pair_name.removeprefix(LAB_PREFIX)
    if kind == pair_name:
        services.known_pair(pair_name)
    elif "=" in kind:
        pair_name = f"{LAB_PREFIX}{platforms_text(*parse_platforms(kind))}"
    campaign_id = _resumable(services, pair_name)
    record = services.record(campaign_id)
    if services.is_lab_gone(record):
        raise NotFound(
            f"The practice lab that comparison {campaign_id} ran in has ended, so it cannot be resumed: figures of two "
            "labs cannot be mixed.",
            hint=f"Measure again in a new lab of the same kind: {how_to_measure_again(record)}",
        )


def _resumed_plan(services: Services, found: Discovery, campaign_id: int) -> CampaignPlan:
    """Return the plan that was interrupted, for the pair as it is reached now."""
    plan = services.record(campaign_id).plan
    pair = found.pair
    if (pair.underlay_a, pair.underlay_b) != (plan.pair.underlay_a, plan.pair.underlay_b):
        raise InvalidOption(
            f"The underlay addresses of {pair.name} have changed since comparison {campaign_id} began.",
            hint="Figures of two links cannot be mixed: leave --resume out.",
        )
    return replace(plan, pair=replace(pair, load_cap_mbit_s=plan.pair.load_cap_mbit_s))


_NOT_WITH_RESUME = ("solutions", "budget_min", "pings", "seconds", "rounds", "deadline_ms", "min_rate", "load_cap")


def _check_nothing_else_is_asked_for(options: argparse.Namespace) -> None:
    given = [name for name in _NOT_WITH_RESUME if getattr(options, name, None) is not None]
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InvalidOption(
            f"--resume continues the comparison as it was planned, so {names} cannot be given with it.",
            hint="Leave out one or the other.",
        )


def _print_candidates(context: Context, found: Discovery) -> None:
    """Print one screen; with `--all` or `--solutions` every suite as `--solutions` takes it."""
    options, out = context.options, context.out
    if options.all or options.solutions:
        solutions = [word.partition(":")[0] for word in words_of(options.solutions)]
        with context.pager():
            print_suites(out, found, solutions, is_for_option=True)
        return
    suite_overview(found).print(out)
    print_unavailable(out, found)
    out.print(
        f"Every suite with the reason for its verdict: tunnelmark compare {found.pair.name} --list --all "
        "(or --solutions NAME)",
        markup=False,
        soft_wrap=True,
    )


def _print_obstacles(context: Context, services: Services, found: Discovery, plan: CampaignPlan) -> None:
    keys = [(candidate.solution, candidate.suite) for candidate in plan.candidates]
    obstacles = context.job(lambda token, _tell: services.preflight(found, keys, token=token))
    context.out.print("\nNo obstacles on the hosts." if not obstacles else "\nObstacles:", markup=False)
    for sentence in obstacles:
        context.out.print(sentence, markup=False)


def _print_plan(context: Context, services: Services, found: Discovery, plan: CampaignPlan) -> None:
    context.out.print(
        f"{plan_size(plan)}; nothing has been changed.",
        markup=False,
    )
    for candidate in plan.candidates:
        word = "reference" if candidate.verdict is Verdict.UNPROTECTED else str(candidate.verdict)
        context.out.print(f"\n== {candidate.title} ({word})", markup=False)
        for item in services.preview(found, (candidate.solution, candidate.suite)):
            context.out.print(
                f"-- {item.side.upper()} {item.kind}: {item.title}\n{item.text}", markup=False, soft_wrap=True
            )
