"""Text of a report on hosts, conditions and method, and how to repeat the comparison."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from app.domain.condition_files import presets
from app.domain.hosts import HostFacts, Tool, ToolFlavour
from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS, PROFILES, Profile, ProfileName
from app.domain.ranking import Ranking
from app.domain.results import CampaignPlan, CampaignRecord
from app.domain.solutions import BASELINE
from app.domain.workloads import TRANSFER_MB
from app.ranking import STUDY_2011, outcome_of, own_2011, published_2011
from app.ranking.workloads import workload_table
from app.reports.text import NOTHING, share, times
from app.wording.conditions import condition_words, measured_words
from app.wording.language import mark, tr
from app.wording.local_forms import (
    cores_text,
    decimal,
    listed_names,
    minute_text,
    rounds_text,
    short_decimal,
    vpns_text,
)
from app.wording.messages import local_text
from app.wording.numbers import figure, grouped
from app.wording.profiles import profile_word
from app.wording.titles import local_title

View = dict[str, Any]

_HOST_ROWS: tuple[tuple[str, Callable[[HostFacts], str]], ...] = (
    (mark("Host name"), lambda facts: facts.hostname),
    (mark("System"), lambda facts: facts.os_name),
    (mark("Kernel"), lambda facts: f"{facts.kernel} ({facts.architecture})"),
    ("CPU", lambda facts: f"{facts.cpu_model}, {cores_text(facts.cpu_count)}"),
    (mark("AES instructions"), lambda facts: tr("yes") if facts.has_aes_instructions else tr("no")),
    (mark("Virtual machine"), lambda facts: tr("yes") if facts.is_virtual else tr("no")),
    (
        mark("Memory"),
        lambda facts: tr("{total} MiB, {available} MiB available").format(
            total=grouped(facts.memory_total_mib), available=grouped(facts.memory_available_mib)
        ),
    ),
    (mark("Load over one minute"), lambda facts: decimal(facts.load_1min, 2)),
    (mark("CPU taken by a hypervisor"), lambda facts: f"{decimal(facts.steal_pct, 1)} %"),
    (
        mark("Clock against this computer"),
        lambda facts: f"{decimal(facts.clock_offset_ms, 1, '+')} ± {decimal(facts.clock_error_ms, 1)} ms",
    ),
    (mark("Network interfaces"), lambda facts: "\n".join(_nics(facts))),
    (mark("Measuring programs"), lambda facts: "\n".join(_tools(facts))),
    (mark("VPN software"), lambda facts: "\n".join(_solutions(facts))),
    ("Firewall", lambda facts: listed_names(list(facts.firewall)) or tr("none seen")),
)


def _nics(facts: HostFacts) -> list[str]:
    return [
        f"{nic.name}: MTU {nic.mtu_bytes}" + (f", {grouped(nic.speed_mbit_s)} Mbit/s" if nic.speed_mbit_s else "")
        for nic in facts.nics
    ]


def _tools(facts: HostFacts) -> list[str]:
    plain = (ToolFlavour.STANDARD, ToolFlavour.UNKNOWN)
    return [
        " ".join(filter(None, (name, "" if tool.flavour in plain else tool.flavour.value, _version(tool))))
        for name, tool in sorted(facts.tools.items())
    ]


def _version(tool: Tool) -> str:
    """Return the version without the flavour's name, which comes before it."""
    return tool.version.removeprefix(tool.flavour.value).strip()


def _solutions(facts: HostFacts) -> list[str]:
    return [f"{name} {one.version}".strip() for name, one in sorted(facts.solutions.items()) if one.is_available]


def hosts_view(record: CampaignRecord) -> View:
    """Return what was found on both hosts, side by side; rows that say nothing are left out."""
    sides = ("a", "b")
    labels = {"a": record.plan.pair.a.label, "b": record.plan.pair.b.label}
    rows = []
    for label, read in _HOST_ROWS:
        cells = [read(record.facts[side]) if side in record.facts else NOTHING for side in sides]
        if any(cells):
            rows.append({"label": tr(label), "cells": cells})
    return {"names": [f"{side.upper()}: {labels[side]}" for side in sides], "rows": rows}


def workloads_view(record: CampaignRecord) -> View | None:
    """Return the results of workloads: a row for each figure, a cell for each candidate; None without any."""
    found = workload_table(record)
    if found is None:
        return None
    rows = []
    for one in found.rows:
        cells = [one.cells.get(key) for key, _ in found.candidates]
        unit = f", {one.kind.unit}" if one.kind.unit else ""
        rows.append(
            {
                "workload": local_text(one.workload_title) if one.is_main else "",
                "label": f"{local_text(one.kind.title)}{unit}",
                "cells": [NOTHING if cell is None else cell.words for cell in cells],
            }
        )
    return {"names": [title for _, title in found.candidates], "rows": rows, "notes": list(found.notes)}


def facts_view(record: CampaignRecord) -> list[View]:
    """Return what was compared, where and when, as labels with values: what a reader has to know first."""
    plan, pair = record.plan, record.plan.pair
    vpns = [local_title(one.title) for one in plan.candidates if one.solution != BASELINE]
    when = f"{minute_text(record.started_at)} UTC"
    if record.ended_at is not None:
        when = tr("{start} to {end} UTC").format(start=minute_text(record.started_at), end=f"{record.ended_at:%H:%M}")
    places = [
        f"{side.upper()}: {label} ({address})"
        for side, label, address in (
            ("a", pair.a.label, pair.underlay_a),
            ("b", pair.b.label, pair.underlay_b),
        )
    ]
    where = listed_names(places)
    if pair.is_lab:
        where = tr("{places}, in the practice lab").format(places=where)
    extent = (
        tr("{profile}: up to {rounds} of {vpns}") if plan.profile.is_adaptive else tr("{profile}: {rounds} of {vpns}")
    )
    profile = extent.format(
        profile=profile_word(plan.profile.name), rounds=rounds_text(plan.profile.rounds), vpns=vpns_text(len(vpns))
    )
    return [
        {"label": tr("Compared"), "value": "; ".join(vpns) or NOTHING},
        {"label": tr("Where"), "value": where},
        {"label": tr("When"), "value": when},
        {"label": tr("How"), "value": f"{profile}; {outcome_of(record).measured_words}"},
        *([{"label": tr("Link"), "value": condition_line(record)}] if plan.condition is not None else []),
        *([{"label": tr("Note"), "value": record.note}] if record.note else []),
    ]


def conditions_view(record: CampaignRecord, ranking: Ranking) -> list[View]:
    """Return under which conditions was measured, as labels with values."""
    plan = record.plan
    measured = [(tr("Bare link under it"), measured_words(one)) for one in record.measured_conditions]
    rows = [
        (
            tr("Underlay"),
            tr("{a} to {b}").format(a=plan.pair.underlay_a, b=plan.pair.underlay_b),
        ),
        (tr("Condition"), condition_line(record)),
        *measured,
        (tr("Profile"), profile_word(plan.profile.name)),
        (
            tr("Rounds"),
            (tr("{number} of at most {most}") if plan.profile.is_adaptive else tr("{number} of {most}")).format(
                number=ranking.rounds, most=plan.profile.rounds
            ),
        ),
        (tr("Echo requests"), _echo_requests(plan.profile)),
        (
            tr("Frame sizes"),
            tr("{sizes} bytes").format(sizes=", ".join(grouped(size) for size in plan.profile.frame_bytes)),
        ),
        ("TCP", _tcp(plan)),
        (tr("Load cap"), f"{figure(plan.pair.load_cap_mbit_s)} Mbit/s" if plan.pair.load_cap_mbit_s else tr("none")),
        (
            tr("Deadline"),
            f"{figure(plan.deadline_ms)} ms" if plan.deadline_ms is not None else tr("none"),
        ),
        (
            tr("Throughput required"),
            f"{figure(plan.min_rate_mbit_s)} Mbit/s" if plan.min_rate_mbit_s is not None else tr("none"),
        ),
        (tr("Order of candidates"), _order(record)),
        (tr("Duration"), _duration(record)),
        (tr("Bare link"), ranking.drift.sentence),
    ]
    return [{"label": label, "value": value} for label, value in rows]


def _echo_requests(profile: Profile) -> str:
    if profile.is_adaptive:
        sizes = ", ".join(grouped(number) for number in profile.block_pings)
        return tr("blocks of {sizes} of the frame sizes, at most {pings} of a size in a round").format(
            sizes=sizes, pings=grouped(profile.pings)
        )
    return tr("{pings} of each size in each round").format(pings=grouped(profile.pings))


def _tcp(plan: CampaignPlan) -> str:
    if not plan.profile.is_adaptive:
        text = tr("{seconds} s in each direction")
    elif plan.min_rate_mbit_s is None:
        text = tr("{seconds} s in each direction, in the first round only")
    else:  # a candidate is not excluded by one measurement alone
        text = tr("{seconds} s in each direction, in the first two rounds only, since a throughput is required")
    return text.format(seconds=plan.profile.seconds)


def _order(record: CampaignRecord) -> str:
    if record.plan.profile.is_adaptive:
        return tr("in turn, block by block, in an order that is drawn anew for each cycle")
    return (
        tr("new in each round, from seed {seed}").format(seed=record.plan.seed)
        if record.plan.profile.rounds > 1
        else tr("as planned")
    )


def condition_line(record: CampaignRecord) -> str:
    """Return the condition of the link, with where its values come from."""
    condition = record.plan.condition
    if condition is None:
        return tr("the underlay as it was found")
    source = f" ({condition.source.rstrip('.')})" if condition.source else ""
    return f"{condition.name}: {tr(condition.title)}, {condition_words(condition)}{source}"


def _duration(record: CampaignRecord) -> str:
    if record.ended_at is None:
        return tr("still running")
    return str(timedelta(seconds=round((record.ended_at - record.started_at).total_seconds())))


def method_view(record: CampaignRecord, ranking: Ranking) -> list[str]:
    """Return how it was measured and calculated, as sentences."""
    weights = listed_names(
        [
            tr("{weight} for {size}").format(weight=short_decimal(weight), size=size)
            for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True)
        ]
    )
    is_adaptive = record.plan.profile.is_adaptive
    latency = [
        tr("Latency: {how}").format(how=tr(_LATENCY_METHOD if record.plan.condition is None else _CONDITION_METHOD)),
        tr(_BLOCKS_METHOD) if is_adaptive else "",
        _ping(record),
        tr("Every round-trip time is kept."),
    ]
    sentences = [
        " ".join(filter(None, latency)),
        tr("Weighted latency: the mean of the mean round-trip times with the weights {weights} bytes. {why}").format(
            weights=weights, why=tr(_WEIGHTS_SOURCE)
        ),
        tr("Throughput: iperf3 over one TCP connection, {times}.").format(times=_tcp(record.plan)),
        tr("CPU: differences of /proc/stat on both hosts while throughput was measured; all cores together are 100 %."),
        tr("Intervals are Student's 95 % intervals over the rounds, so that drift widens them."),
    ]
    method = _SEQUENTIAL_METHOD if is_adaptive else _RANK_METHOD
    sentences.append(tr(method if ranking.rounds > 1 else _ONE_ROUND))
    return sentences


_LATENCY_METHOD = mark(
    "ICMP echo requests from A to B through the tunnel, each sent when the one before was answered, with the same "
    "options for every candidate and without permission to fragment inside the tunnel."
)
_CONDITION_METHOD = mark(
    "ICMP echo requests from A to B through the tunnel, each sent when the one before was answered, or in even steps "
    "where the condition makes the round trip long, with the same options for every candidate and without permission "
    "to fragment inside the tunnel."
)
_BLOCKS_METHOD = mark(
    "Candidates are up side by side where that is sound, and are measured in turn in short blocks of requests, round "
    "after round, until the order is known or the time for measuring is used up."
)
_WEIGHTS_SOURCE = mark(
    "They favour the small frames of control traffic (Lackorzynski, Köpsell, Strufe: A Comparative Study on Virtual "
    "Private Networks for Future Industrial Communication Systems, 2019). If one size does not cross, there is none."
)
_RANK_METHOD = mark(
    "Two candidates differ where the ratio of their latencies, compared round by round, is further from 1 than chance "
    "explains (paired t test with the variance of each pair drawn towards that of all pairs; Holm's correction keeps "
    "all pairs together at 5 %). A candidate's rank is one more than the number of candidates that are faster in this "
    "sense; = marks a shared rank."
)
_SEQUENTIAL_METHOD = mark(
    "Two candidates differ where the ratio of their median latencies, compared round by round, is further from 1 than "
    "chance explains. This is tested after each round from the second on; together these tests find a false difference "
    "in at most 5 % of comparisons (Holm's correction for all pairs). A candidate's rank is one more than the number "
    "of candidates that are faster in this sense; = marks a shared rank."
)
_ONE_ROUND = mark("One round cannot tell a difference from chance, so that all ranked candidates share rank 1.")


def _ping(record: CampaignRecord) -> str:
    tool = record.facts["a"].tools.get("ping") if "a" in record.facts else None
    if tool is None or tool.flavour is ToolFlavour.MISSING:
        return ""
    options = "ping -n -A -M do" if tool.flavour is ToolFlavour.IPUTILS else "ping -A"
    if record.plan.condition is not None and tool.flavour is ToolFlavour.IPUTILS:
        options = tr("{program}, with {option} in place of {usual} for even steps").format(
            program=options, option="-i", usual="-A"
        )
    return tr("The program was {options} ({version}).").format(
        options=options, version=" ".join(filter(None, (tool.flavour.value, _version(tool))))
    )


def published_view(record: CampaignRecord) -> View:
    """Return what an earlier study found, and the same of the comparison's own candidates where it was measured."""
    own = own_2011(record)
    rows = [
        {
            "label": ", ".join(names),
            "latency": times(response),
            "throughput": share(rate),
            "own": _own_cells(own.get(names)),
        }
        for names, (response, rate) in published_2011().items()
    ]
    return {"source": tr(STUDY_2011), "rows": rows, "has_own": bool(own)}


def _own_cells(ratios: tuple[float, float] | None) -> tuple[str, str]:
    return ("–", "–") if ratios is None else (times(ratios[0]), share(ratios[1]))


def repeat_command(record: CampaignRecord) -> str:
    """Return a command line that makes the same comparison again."""
    plan = record.plan
    profile = plan.profile
    base = PROFILES.get(profile.name, PROFILES[ProfileName.STANDARD])
    argv = ["tunnelmark", "compare", plan.pair.name]
    # With the suite: which one is the default depends on the hosts, and on what is known of ciphers later.
    named = (one.solution if one.is_unprotected else f"{one.solution}:{one.suite}" for one in plan.candidates)
    argv += ["--solutions", ",".join(dict.fromkeys(named))]
    argv += ["--profile", base.name.value]
    for option, value, usual in (
        ("--pings", profile.pings, base.pings),
        ("--seconds", profile.seconds, base.seconds),
        ("--rounds", profile.rounds, base.rounds),
    ):
        if value != usual:
            argv += [option, str(value)]
    if plan.condition is not None:
        is_preset = presets().get(plan.condition.name) == plan.condition
        argv += ["--condition", plan.condition.name if is_preset else f"{plan.condition.name}.toml"]
    if plan.workloads:
        argv += ["--workload", ",".join(plan.workloads)]
        if "transfer" in plan.workloads and plan.transfer_mb != TRANSFER_MB:
            argv += ["--transfer-mb", str(plan.transfer_mb)]
    if plan.deadline_ms is not None:
        argv += ["--deadline-ms", f"{plan.deadline_ms:g}"]
    if plan.min_rate_mbit_s is not None:
        argv += ["--min-rate", f"{plan.min_rate_mbit_s:g}"]
    if plan.pair.load_cap_mbit_s is not None:
        argv += ["--load-cap", f"{plan.pair.load_cap_mbit_s:g}"]
    if plan.allow_load:
        argv.append("--allow-load")
    return shlex.join(argv)
