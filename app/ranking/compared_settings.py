"""Settings of two comparisons that differ: hosts, versions, amounts of the profile, limits and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from app.domain.conditions import AS_FOUND, Condition
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.results import AttemptStatus, CampaignPlan, CampaignRecord, Candidate, CandidateId
from app.ranking.messages import CONDITION_VALUE, SETTING_OF_SIDE, VERDICT_OF
from app.wording.conditions import condition_words
from app.wording.language import mark

_TRANSFER = "transfer"
"""Workload whose file has a size of the user's choice."""

_Setting = tuple[str, object, object]
"""Name of a setting with its earlier and its later value; tuples are lists of values."""


@dataclass(frozen=True, slots=True)
class ComparedSetting:
    """Something besides the figures that differs between two comparisons: what, and both values in words."""

    what: str
    before: str
    after: str


def changed_settings(old: CampaignRecord, new: CampaignRecord) -> list[ComparedSetting]:
    """Return hosts, versions, amounts of the profile, limits and conditions that differ between two comparisons."""
    settings: list[_Setting] = [
        (mark("pair"), old.plan.pair.name, new.plan.pair.name),
        *_profile_values(old.plan, new.plan),
        (mark("rounds"), _rounds(old), _rounds(new)),
        ("Tunnelmark", old.tunnelmark_version, new.tunnelmark_version),
        *_limits(old.plan, new.plan),
        *_addresses(old.plan.pair, new.plan.pair),
        *_condition_values(old.plan.condition, new.plan.condition),
    ]
    for side in Side:
        settings += [
            (SETTING_OF_SIDE(side=side.upper(), what=what), first, last)
            for what, first, last in (*_host_values(old, new, side), *_reading_values(old, new, side))
        ]
    verdicts = [{_key(one): one for one in record.plan.candidates} for record in (old, new)]
    settings += [
        (VERDICT_OF(title=one.title), verdicts[0][key].verdict.value, one.verdict.value)
        for key, one in verdicts[1].items()
        if key in verdicts[0]
    ]
    return [ComparedSetting(what, _words(first), _words(second)) for what, first, second in settings if first != second]


def _profile_values(old: CampaignPlan, new: CampaignPlan) -> Iterator[_Setting]:
    before, after = old.profile, new.profile
    yield mark("profile"), before.name.value, after.name.value
    if before.is_adaptive is after.is_adaptive:  # of an adaptive one these are limits, of another one what it does
        yield mark("pings per frame size"), before.pings, after.pings
        yield mark("seconds of TCP per direction"), before.seconds, after.seconds
    yield mark("planned rounds"), before.rounds, after.rounds
    yield mark("frame sizes in bytes"), before.frame_bytes, after.frame_bytes
    yield mark("pings per block"), before.block_pings, after.block_pings
    yield mark("budget in min"), _minutes(before.budget_s), _minutes(after.budget_s)


def _limits(old: CampaignPlan, new: CampaignPlan) -> Iterator[_Setting]:
    yield mark("limit in Mbit/s"), old.pair.load_cap_mbit_s, new.pair.load_cap_mbit_s
    yield mark("deadline in ms"), old.deadline_ms, new.deadline_ms
    yield mark("required throughput in Mbit/s"), old.min_rate_mbit_s, new.min_rate_mbit_s
    yield mark("workloads"), tuple(sorted(old.workloads)), tuple(sorted(new.workloads))
    if _TRANSFER in old.workloads and _TRANSFER in new.workloads:
        yield mark("transferred file in MB"), old.transfer_mb, new.transfer_mb


def _addresses(old: PairSpec, new: PairSpec) -> Iterator[_Setting]:
    if not old.is_lab and not new.is_lab:  # a practice lab gets other ports at each start
        for side in Side:
            what = SETTING_OF_SIDE(side=side.upper(), what=mark("address"))
            yield what, old.host(side).machine_text, new.host(side).machine_text
    yield mark("underlay A"), old.underlay_a, new.underlay_a
    yield mark("underlay B"), old.underlay_b, new.underlay_b


def _condition_values(old: Condition | None, new: Condition | None) -> Iterator[_Setting]:
    """Yield the condition; where its words are the same both times, the values that are not in them."""
    before, after = _condition_text(old), _condition_text(new)
    yield mark("condition"), before, after
    if before != after or old is None or new is None:
        return
    for way in ("a_to_b", "b_to_a"):
        for field in fields(old.a_to_b):
            first, last = (getattr(getattr(one, way), field.name) for one in (old, new))
            what = CONDITION_VALUE(key=f"{way}.{field.name}")
            is_trace = isinstance(first, tuple) and first != last
            yield (what, mark("a trace"), mark("another trace")) if is_trace else (what, first, last)


def _host_values(old: CampaignRecord, new: CampaignRecord, side: Side) -> Iterator[_Setting]:
    before, after = old.facts.get(side.value), new.facts.get(side.value)
    if before is None or after is None:
        return
    yield mark("host name"), before.hostname, after.hostname
    yield mark("operating system"), before.os_name, after.os_name
    yield mark("kernel"), before.kernel, after.kernel
    yield "CPU", before.cpu_model, after.cpu_model
    yield "CPUs", before.cpu_count, after.cpu_count
    yield mark("CPU features"), tuple(sorted(before.cpu_flags)), tuple(sorted(after.cpu_flags))
    yield mark("memory in MiB"), before.memory_total_mib, after.memory_total_mib
    yield from _version_values(before, after)


def _version_values(before: HostFacts, after: HostFacts) -> Iterator[_Setting]:
    tools = [{name: tool.version for name, tool in facts.tools.items()} for facts in (before, after)]
    for name in sorted(tools[0].keys() & tools[1]):  # both were asked
        yield name, tools[0][name], tools[1][name]
    known = [{name: one.version for name, one in facts.solutions.items()} for facts in (before, after)]
    for name in sorted(known[0] | known[1]):
        yield name, known[0].get(name, ""), known[1].get(name, "")


def _reading_values(old: CampaignRecord, new: CampaignRecord, side: Side) -> Iterator[_Setting]:
    """Yield clock source and frequency governor of a host, where both comparisons read them."""
    readings = [
        [one.readings[side.value] for one in record.attempts if side.value in one.readings] for record in (old, new)
    ]
    clocks = [_names(one.clock_source for one in some) for some in readings]
    if all(clocks):
        yield mark("clock source"), clocks[0], clocks[1]
        # Read together with the clock source: no name is a host without a governor.
        governors = [_names(one.governor for one in some) for some in readings]
        yield mark("frequency governor"), governors[0], governors[1]


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({one for one in names if one}))


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60


def _rounds(record: CampaignRecord) -> int:
    return len({one.key.round for one in record.attempts if one.status is AttemptStatus.COMPLETED})


def _condition_text(condition: Condition | None) -> str:
    return AS_FOUND if condition is None else f"{condition.name} ({condition_words(condition)})"


def _key(one: Candidate) -> CandidateId:
    return one.solution, one.suite


def _words(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.10g}"
    return mark("none") if value is None or value == "" else str(value)
