"""A comparison under a condition of the link: set before, proven on the bare link, held, released afterwards."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from app.domain.adapters import TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import ConditionNotMet, NotFound, TunnelmarkError
from app.domain.events import LogLevel, LogLine
from app.domain.hosts import Side
from app.domain.profiles import Profile, ProfileName
from app.domain.results import Attempt, AttemptStatus, CampaignPlan, CampaignRecord, CampaignStatus
from app.domain.solutions import BASELINE
from app.domain.workloads import TRANSFER_MB
from app.measurement.host_shaping import stop_shaping, why_unshaped
from app.measurement.link_conditions import PLAIN, LinkMeasurement, measure_held, why_not_met
from app.measurement.messages import CONDITION_SET, NO_EMULATION_ON_LINK
from app.measurement.work import ComparisonContext, Done, Task, Work
from app.probes.throughput import SILENT_ROUND_TRIPS
from app.probes.workloads import chosen_workloads
from app.wording.conditions import check_words, condition_words

_ROUND_TRIPS_OF_TCP, _MOST_TCP_S = 20.0, 10
"""TCP needs some round trips until it fills a line. Source: our choice."""

_PINGS, _ROUNDS = 100, 2
"""In place of an adaptive profile, whose tests take a condition for a disturbance. Source: our choice."""


def workloads_s(
    names: Sequence[str], condition: Condition | None, transfer_mb: int = TRANSFER_MB, *, has_hub: bool = True
) -> float:
    """Return how long workloads take in an attempt, roughly, in seconds; files of so many MB are transferred.

    Args:
        has_hub: Whether the candidate has a hub, for the workloads that run on one.
    """
    rtt_s = condition.rtt_ms / 1_000 if condition is not None else 0.0
    ways = (condition.a_to_b, condition.b_to_a) if condition is not None else ()
    s_per_mb = sum(8 * len(way.rates_mbit_s) / sum(way.rates_mbit_s) for way in ways if way.rates_mbit_s)
    chosen = [one for one in chosen_workloads(names, transfer_mb) if has_hub or not one.hub_clients]
    return sum(one.seconds + one.round_trips * rtt_s + one.each_way_mb * s_per_mb for one in chosen)


def profile_under(condition: Condition | None, profile: Profile) -> Profile:
    """Return a profile that suits a condition, or workloads: fixed rounds, and time for TCP to fill the line."""
    rtt_ms = condition.rtt_ms if condition is not None else 0.0
    seconds = min(_MOST_TCP_S, math.ceil(_ROUND_TRIPS_OF_TCP * rtt_ms / 1_000))
    if profile.is_adaptive:
        profile = Profile(ProfileName.CUSTOM, _PINGS, 3, _ROUNDS, profile.frame_bytes)
    if seconds <= profile.seconds:
        return profile
    return replace(profile, name=ProfileName.CUSTOM, seconds=seconds)


def tcp_pause_s(condition: Condition | None) -> int:
    """Return for how many seconds more TCP may be silent: over a TCP tunnel it recovers slowly from a full queue."""
    return 0 if condition is None else math.ceil(SILENT_ROUND_TRIPS * condition.rtt_ms / 1_000)


def under_condition(
    work: Work[CampaignPlan, Attempt, CampaignRecord], attempts: Generator[Task[Attempt], Done[Attempt], CampaignStatus]
) -> Generator[Task[Attempt], Done[Attempt], CampaignStatus]:
    """Yield a task that sets the plan's condition and proves it, then the attempts; release it at the end.

    Where the link is not as asked for, no attempt is made. Without a condition a lab's gateways are joined directly,
    whatever lasts on their link.
    """
    context, condition = work.context, work.context.plan.condition
    if condition is None and context.conditioned is None:
        return (yield from attempts)
    try:
        try:
            yield Task(lambda token, _doubts: _set(context, condition, token))
        except TunnelmarkError as error:
            context.emit(LogLine(LogLevel.ERROR, error.sentence()))
            made = {attempt.key.position for attempt in work.done}
            left = [key for key in context.plan.attempts if key.position not in made]
            work.leave(left, error.reason, error.sentence())
            return CampaignStatus.INTERRUPTED
        return (yield from attempts)
    finally:
        if context.conditioned is not None:
            context.conditioned.release()


def hold_as_found(context: ComparisonContext) -> None:
    """Join a lab's gateways directly until the link is released, whatever is set for it to last.

    Where no lab of this user runs there is nothing to hold: hosts that have gone with it answer to nothing.

    Raises:
        LabFault: The lab does not answer.
    """
    if context.conditioned is not None:
        with suppress(NotFound):
            context.conditioned.hold(None)


def _set(context: ComparisonContext, condition: Condition | None, token: CancelToken) -> Done[Attempt]:
    """Set a condition and measure the bare link under it; without one the gateways of a lab are joined directly.

    Raises:
        ConditionNotMet: The link is not as asked for.
        LabFault: The lab does not answer.
    """
    if condition is None:
        hold_as_found(context)
        return Done()
    if context.conditioned is None and context.plan.pair.is_lab:
        raise ConditionNotMet(NO_EMULATION_ON_LINK(pair=context.plan.pair.name))
    context.emit(LogLine(LogLevel.INFO, CONDITION_SET(name=condition.name, words=condition_words(condition))))
    measurement = LinkMeasurement(context.sessions, context.link, token, context.meter.report)
    found = _measured(context, condition, measurement, token)
    context.keep_condition(found)
    for one in found.checks:
        context.emit(LogLine(LogLevel.INFO if one.is_met else LogLevel.ERROR, check_words(one)))
    if why := why_not_met(found):
        raise ConditionNotMet(why)
    return Done()


def _measured(
    context: ComparisonContext,
    condition: Condition,
    measurement: LinkMeasurement,
    token: CancelToken,
) -> MeasuredCondition:
    """Measure the bare link; hosts of the user's own are shaped for that as they are for each tunnel."""
    if context.conditioned is not None:
        return measure_held(measurement, context.conditioned.hold, condition)
    direct_ms = measurement.direct_ms()
    bare, facts = context.adapters[BASELINE], context.facts
    suite = bare.suites(facts[Side.A.value], facts[Side.B.value])[0]
    with context.tunnels.open(bare, suite, token=token, on_stage=lambda _stage, text: context.meter.report(text)):
        return measurement.measure(condition, direct_ms)


def check_shaped(context: ComparisonContext, plan: TunnelPlan, token: CancelToken) -> None:
    """Check that hosts of the user's own still make the condition that a tunnel was measured under.

    Raises:
        ConditionNotMet: One does not.
    """
    condition = context.plan.condition
    if condition is None or context.conditioned is not None:
        return
    if why := why_unshaped(plan, condition, context.sessions, token=token):
        raise ConditionNotMet(why)


@contextmanager
def without_condition(context: ComparisonContext, plan: TunnelPlan, token: CancelToken) -> Iterator[None]:
    """Lift the condition for packet tests, whose frames are counted within fractions of a second.

    Hosts of the user's own do not make it again: packet tests are the last ones of a tunnel.

    Args:
        plan: Of the tunnel that is up.
    """
    condition, link = context.plan.condition, context.conditioned
    if condition is not None and link is None:
        stop_shaping(plan, context.sessions, token=token)
    if condition is None or link is None:
        yield
        return
    link.hold(PLAIN)
    try:
        yield
    finally:
        link.hold(condition)


def judged_under_condition(context: ComparisonContext, attempt: Attempt) -> Attempt:
    """Return an attempt; one that was measured under another condition than the plan's has failed.

    Without a condition the link is held as found, which nothing else can change meanwhile.
    """
    condition = context.plan.condition
    if condition is None or context.conditioned is None or attempt.status is not AttemptStatus.COMPLETED:
        return attempt
    why = context.conditioned.deviation(condition)
    if not why:
        return attempt
    return replace(attempt, status=AttemptStatus.FAILED, reason=ConditionNotMet.reason, message=why)
