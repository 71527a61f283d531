"""`tunnelmark compare` and `tunnelmark demo`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from app.cli.condition_options import condition_of, may_shape_link, transfer_mb_of, workloads_of
from app.cli.context import CommandContext, verbosity
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, report_paths, write_json
from app.cli.messages import (
    ALL_WITHOUT_LIST,
    LIST_AND_DRY_RUN,
    MORE_SUITES,
    NOTHING_TO_RESUME,
    RESUME_LAB_GONE,
    RESUME_WITH_OPTIONS,
    SOLUTION_NOT_POSSIBLE,
    UNKNOWN_SUITE,
)
from app.cli.names import check_list, check_solutions, meant, unknown_solution, words_of
from app.cli.pair_option import find_pair
from app.cli.profile_options import profile_of
from app.cli.progress import CampaignDisplay, plan_size
from app.cli.results import print_ranking
from app.cli.suites_text import print_suites, print_unavailable, suite_overview
from app.cli.terminal import run_cancellable
from app.cli.words import word_of
from app.discovery.pair_discovery import Discovery
from app.domain.conditions import Condition
from app.domain.errors import Cancelled, InvalidOption, NotFound
from app.domain.events import Event, EventSink
from app.domain.pair_names import LAB_PREFIX
from app.domain.preferences import Preferences
from app.domain.profiles import DEMO_PROFILE, ProfileName
from app.domain.results import AttemptStatus, CampaignPlan, CampaignRecord, CampaignStatus, Candidate
from app.domain.verdicts import Verdict
from app.lab import parse_platforms, platforms_text
from app.lab.kinds import how_to_measure_again
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.measurement.planned_study import resumed_plan
from app.measurement.wizard import ComparisonWizard
from app.ranking.outcome import attempts_left, left_behind
from app.services.wiring import Services
from app.wording.conditions import condition_words
from app.wording.language import mark, tr
from app.wording.messages import local_text
from app.wording.titles import local_title

DEMO_SOLUTIONS = "baseline,wireguard,openvpn-udp,openvpn-tcp"


def compare(context: CommandContext) -> int:
    """Measure a pair, rank, and write what was asked for."""
    options = context.options
    asked = {".json": options.json, ".html": options.report, ".pdf": options.pdf, ".csv": options.csv}
    reports = report_paths(context, asked)
    check_list("--solutions", options.solutions)
    check_solutions(words_of(options.solutions))
    profile_of(options, Preferences())
    condition, _ = condition_of(options), transfer_mb_of(options)
    if options.all and not options.list:
        raise InvalidOption(ALL_WITHOUT_LIST())
    if options.list and options.dry_run:
        raise InvalidOption(LIST_AND_DRY_RUN())
    if options.resume:
        _check_nothing_else_is_asked_for(options)
    with context.services() as services:
        if options.resume:
            _check_resumable(services, options.pair)
        pair = find_pair(context, services)
        may_shape = condition is not None and not pair.is_lab and may_shape_link(context, pair)
        services.refuse_if_in_use(pair)  # also for --list and --dry-run: inspecting hosts disturbs what is measured
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        if options.list:
            _print_candidates(context, found)
            return ExitCode.OK
        resume_id = _resumable(services, pair.name) if options.resume else None
        if resume_id is not None:
            plan = resumed_plan(services.record(resume_id), found)
        else:
            plan = _make_plan(context, services, found, condition, may_shape=may_shape)
        if options.dry_run:
            _print_plan(context, services, found, plan)
            _print_obstacles(context, services, found, plan)
            return ExitCode.OK
        record = run_plan(context, services, found, plan, resume_id)
        return _finish(context, services, record, reports)


def demo(context: CommandContext) -> int:
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
        why = found.unavailable[solution]
        raise InvalidOption(SOLUTION_NOT_POSSIBLE(solution=solution, reason=why, pair=found.pair.name))
    suites = [candidate for candidate in found.candidates if candidate.solution == solution]
    defaults = [key for key in found.defaults if key[0] == solution] or [(solution, suites[0].suite)]
    if not suite:
        return defaults[0]
    if suite not in {candidate.suite for candidate in suites}:
        raise _unknown_suite(found, solution, suite, suites)
    return solution, suite


def _unknown_suite(found: Discovery, solution: str, suite: str, suites: Sequence[Candidate]) -> InvalidOption:
    names = tuple(candidate.suite for candidate in suites if not candidate.is_listed_only)
    listed = sum(candidate.is_listed_only for candidate in suites)
    more = MORE_SUITES(number=listed, pair=found.pair.name, solution=solution) if listed else ""
    guess = meant(suite, [candidate.suite for candidate in suites])
    return InvalidOption(UNKNOWN_SUITE(solution=solution, suite=suite, guess=guess, known=names, more=more))


def _make_plan(
    context: CommandContext, services: Services, found: Discovery, condition: Condition | None, *, may_shape: bool
) -> CampaignPlan:
    options = context.options
    wizard = ComparisonWizard()
    wizard.set_discovery(found)
    wizard.confirm_link(found.link, found.pair)
    wizard.choose(chosen_candidates(found, options.solutions))
    for candidate in wizard.risky_choices():
        text = tr("{title} is {verdict}; it is measured because you named it.")
        context.err.print(text.format(title=local_title(candidate.title), verdict=word_of(candidate.verdict)))
    profile = profile_of(options, services.preferences())
    plan = services.plan(
        found,
        wizard.state.chosen,
        RunOptions(
            profile=profile,
            deadline_ms=options.deadline_ms,
            min_rate_mbit_s=options.min_rate,
            load_cap_mbit_s=options.load_cap if options.load_cap is not None else found.pair.load_cap_mbit_s,
            has_load_consent=options.allow_load,
            condition=condition,
            may_shape=may_shape,
            workloads=workloads_of(options),
            transfer_mb=transfer_mb_of(options),
        ),
    )
    if plan.condition is not None:
        text = tr("The link is measured under the condition {name}: {words}.")
        if condition is None:
            text = tr(
                "The link is measured under the condition {name}, which was set with `tunnelmark lab condition`: "
                "{words}."
            )
        words = local_text(condition_words(plan.condition))
        context.err.print(text.format(name=plan.condition.name, words=words))
        if profile.is_adaptive:
            context.err.print(tr("Fixed rounds replace Adaptive, whose tests take such a link for disturbed."))
    return plan


def run_plan(
    context: CommandContext,
    services: Services,
    found: Discovery,
    plan: CampaignPlan,
    resume_id: int | None = None,
    *,
    on_event: EventSink = lambda _event: None,
) -> CampaignRecord:
    """Run a comparison, or go on with the stored one of this number, with its progress on the terminal."""
    control = CampaignControl()
    with CampaignDisplay(context.err, is_verbose=verbosity(context.options) > 0) as display:

        def emit(event: Event) -> None:
            on_event(event)
            display.handle(event)

        return run_cancellable(
            lambda _token: services.run(found, plan, control=control, emit=emit, resume_id=resume_id),
            context.prompts,
            control.token,
        )


def _finish(context: CommandContext, services: Services, record: CampaignRecord, reports: Sequence[Path]) -> int:
    _, ranking = services.results(record.campaign_id)
    is_json = context.options.json == STDOUT
    if is_json:
        write_json(STDOUT, services.archive.json_data(record, ranking))
    else:
        print_ranking(context.out, record, ranking)
    if not any(path.suffix.lower() == ".html" for path in reports):
        reports = [*reports, services.default_report_path(record.campaign_id)]
    for path in reports:
        written = services.write_report(record.campaign_id, path)
        out = context.err if is_json else context.out
        out.print(f"{tr(_KINDS[path.suffix.lower()])}: {written}", soft_wrap=True)
    if record.status is CampaignStatus.CANCELLED:
        words = f"{cancelled_words(record)} {how_to_go_on(services, record)}".rstrip()
        context.err.print(words, soft_wrap=True)
        raise Cancelled
    if record.status is CampaignStatus.INTERRUPTED:
        _print_how_to_resume(context, services, record)
    return ExitCode.OK if is_whole(record) else ExitCode.INCOMPLETE


def is_whole(record: CampaignRecord) -> bool:
    """Whether all attempts completed, and the last one left no host changed."""
    are_completed = all(attempt.status is AttemptStatus.COMPLETED for attempt in record.attempts)
    return len(record.attempts) == record.attempts_needed and are_completed and not left_behind(record)


def cancelled_words(record: CampaignRecord) -> str:
    """Return that it was cancelled, and the state of the hosts: where one may not be restored, why and what to do."""
    left = left_behind(record)
    if not left:
        return tr("The comparison was cancelled, and the hosts were restored.")
    return tr(
        "The comparison was cancelled, and a host may not be restored. {why} Restore both with: "
        "tunnelmark recover {pair}"
    ).format(why=local_text(left), pair=record.plan.pair.name)


def how_to_go_on(services: Services, record: CampaignRecord) -> str:
    """Return how a cancelled comparison is resumed; empty where it cannot be."""
    pair = record.plan.pair
    lab = services.lab_service.find(pair) if pair.is_lab else None
    can_be = services.unfinished(pair.name) == record.campaign_id and not (
        pair.is_lab and (lab is None or lab.owner_pid is not None)
    )
    return tr("Go on with: tunnelmark compare {pair} --resume").format(pair=pair.name) if can_be else ""


def _print_how_to_resume(context: CommandContext, services: Services, record: CampaignRecord) -> None:
    pair = record.plan.pair
    lab = services.lab_service.find(pair) if pair.is_lab else None
    how = tr("Once the cause is fixed, resume with: tunnelmark compare {pair} --resume").format(pair=pair.name)
    if pair.is_lab and (lab is None or lab.owner_pid is not None):
        gone = tr("Its practice lab is gone. Measure again with: {command}")
        ends = tr("Its practice lab ends with this command. Measure again with: {command}")
        how = (gone if lab is None else ends).format(command=how_to_measure_again(record))
    why = services.store.campaign_summary(record.campaign_id).message
    context.err.print(f"{stopped_words(record, why)} {how}", soft_wrap=True)


def stopped_words(record: CampaignRecord, why: str) -> str:
    """Return how much of a stopped comparison is left, after the reason unless an attempt has been printed with it.

    Args:
        why: Why it stopped.
    """
    left, total = attempts_left(record), len(record.plan.attempts)
    if record.plan.profile.is_adaptive:
        what = tr("The comparison stopped before the order was known.")
    elif left:
        what = tr("The comparison stopped with {left} of {total} attempts not run.").format(left=left, total=total)
    else:
        what = tr("All {total} attempts were made, but the comparison was not completed.").format(total=total)
    is_printed = any(attempt.status is AttemptStatus.NOT_RUN for attempt in record.attempts)
    return what if is_printed or not why else f"{local_text(why)} {what}"


_KINDS = {
    ".html": mark("Report"),
    ".pdf": mark("Report as PDF"),
    ".json": mark("Figures as JSON"),
    ".csv": mark("Figures as CSV"),
}


def _resumable(services: Services, pair_name: str) -> int:
    campaign_id = services.unfinished(pair_name)
    if campaign_id is None:
        raise InvalidOption(NOTHING_TO_RESUME(pair=pair_name))
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
        raise NotFound(RESUME_LAB_GONE(campaign=campaign_id, command=how_to_measure_again(record)))


_NOT_WITH_RESUME = (
    *("solutions", "budget_min", "pings", "seconds", "rounds", "deadline_ms", "min_rate", "load_cap"),
    *("condition", "workload", "transfer_mb"),
)


def _check_nothing_else_is_asked_for(options: argparse.Namespace) -> None:
    given = [name for name in _NOT_WITH_RESUME if getattr(options, name, None) is not None]
    if given:
        names = tuple(f"--{name.replace('_', '-')}" for name in given)
        raise InvalidOption(RESUME_WITH_OPTIONS(options=names))


def _print_candidates(context: CommandContext, found: Discovery) -> None:
    """Print one screen; with `--all` or `--solutions` every suite as `--solutions` takes it."""
    options, out = context.options, context.out
    if options.all or options.solutions:
        solutions = [word.partition(":")[0] for word in words_of(options.solutions)]
        with context.pager():
            print_suites(out, found, solutions, is_for_option=True)
        return
    suite_overview(found).print(out)
    print_unavailable(out, found, found.lacking)
    out.print(
        tr(
            "Every suite with the reason for its verdict: tunnelmark compare {pair} --list --all (or --solutions NAME)"
        ).format(pair=found.pair.name),
        soft_wrap=True,
    )


def _print_obstacles(context: CommandContext, services: Services, found: Discovery, plan: CampaignPlan) -> None:
    keys = [(candidate.solution, candidate.suite) for candidate in plan.candidates]
    obstacles = context.job(lambda token, _report: services.preflight(found, keys, plan.workloads, token=token))
    context.out.print(f"\n{tr('Obstacles:') if obstacles else tr('No obstacles on the hosts.')}")
    for sentence in obstacles:
        context.out.print(local_text(sentence))


def _print_plan(context: CommandContext, services: Services, found: Discovery, plan: CampaignPlan) -> None:
    context.out.print(tr("{size}; nothing has been changed.").format(size=plan_size(plan)))
    for candidate in plan.candidates:
        word = tr("reference") if candidate.verdict is Verdict.UNPROTECTED else word_of(candidate.verdict)
        context.out.print(f"\n== {local_title(candidate.title)} ({word})")
        for item in services.preview(found, (candidate.solution, candidate.suite), plan.condition, plan.workloads):
            text = f"-- {item.side.upper()} {word_of(item.kind)}: {local_text(item.title)}\n{local_text(item.text)}"
            context.out.print(text, soft_wrap=True)
