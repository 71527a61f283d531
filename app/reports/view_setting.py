"""Text of a report on hosts, conditions and method, and how to repeat the comparison."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from app.domain.hosts import HostFacts, Tool, ToolFlavour
from app.domain.ranking import Ranking
from app.domain.results import FRAME_BYTES, FRAME_WEIGHTS, PROFILES, CampaignRecord, Profile, ProfileName
from app.ranking import STUDY_2011, outcome_of, published_2011
from app.reports.text import NOTHING, share, times
from app.wording.colours import BASELINE_SOLUTION
from app.wording.numbers import counted, figure, grouped, listed

View = dict[str, Any]

_HOST_ROWS: tuple[tuple[str, Callable[[HostFacts], str]], ...] = (
    ("Host name", lambda facts: facts.hostname),
    ("System", lambda facts: facts.os_name),
    ("Kernel", lambda facts: f"{facts.kernel} ({facts.architecture})"),
    ("CPU", lambda facts: f"{facts.cpu_model}, {counted(facts.cpu_count, 'core')}"),
    ("AES instructions", lambda facts: "yes" if facts.has_aes_instructions else "no"),
    ("Virtual machine", lambda facts: "yes" if facts.is_virtual else "no"),
    (
        "Memory",
        lambda facts: f"{grouped(facts.memory_total_mib)} MiB, {grouped(facts.memory_available_mib)} MiB available",
    ),
    ("Load over one minute", lambda facts: f"{facts.load_1min:.2f}"),
    ("CPU taken by a hypervisor", lambda facts: f"{facts.steal_pct:.1f} %"),
    ("Clock against this computer", lambda facts: f"{facts.clock_offset_ms:+.1f} ± {facts.clock_error_ms:.1f} ms"),
    ("Network interfaces", lambda facts: "\n".join(_nics(facts))),
    ("Measuring programs", lambda facts: "\n".join(_tools(facts))),
    ("VPN software", lambda facts: "\n".join(_solutions(facts))),
    ("Firewall", lambda facts: listed(list(facts.firewall)) or "none seen"),
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
            rows.append({"label": label, "cells": cells})
    return {"names": [f"{side.upper()}: {labels[side]}" for side in sides], "rows": rows}


def facts_view(record: CampaignRecord) -> list[View]:
    """Return what was compared, where and when, as labels with values: what a reader has to know first."""
    plan, pair = record.plan, record.plan.pair
    vpns = [one.title for one in plan.candidates if one.solution != BASELINE_SOLUTION]
    ended = f" to {record.ended_at:%H:%M} UTC" if record.ended_at is not None else ""
    places = [
        f"{side.upper()}: {label} ({address})"
        for side, label, address in (
            ("a", pair.a.label, pair.underlay_a),
            ("b", pair.b.label, pair.underlay_b),
        )
    ]
    where = f"{listed(places)}{', in the practice lab' if pair.is_lab else ''}"
    most = "up to " if plan.profile.is_adaptive else ""
    profile = f"{plan.profile.name}: {most}{counted(plan.profile.rounds, 'round')} of {counted(len(vpns), 'VPN')}"
    return [
        {"label": "Compared", "value": "; ".join(vpns) or NOTHING},
        {"label": "Where", "value": where},
        {"label": "When", "value": f"{record.started_at:%Y-%m-%d %H:%M}{ended or ' UTC'}"},
        {"label": "How", "value": f"{profile}; {outcome_of(record).measured_words}"},
        *([{"label": "Note", "value": record.note}] if record.note else []),
    ]


def conditions_view(record: CampaignRecord, ranking: Ranking) -> list[View]:
    """Return under which conditions was measured, as labels with values."""
    plan = record.plan
    conditions = list(dict.fromkeys(key.condition for key in plan.attempts))
    rows = [
        ("Underlay", f"{plan.pair.underlay_a} to {plan.pair.underlay_b}"),
        ("Condition", listed([_condition(name) for name in conditions])),
        ("Profile", plan.profile.name.value),
        ("Rounds", f"{ranking.rounds} of {'at most ' if plan.profile.is_adaptive else ''}{plan.profile.rounds}"),
        ("Echo requests", _echo_requests(plan.profile)),
        ("Frame sizes", f"{', '.join(grouped(size) for size in plan.profile.frame_bytes)} bytes"),
        ("TCP", _tcp(plan.profile)),
        ("Load cap", f"{figure(plan.pair.load_cap_mbit_s)} Mbit/s" if plan.pair.load_cap_mbit_s else "none"),
        ("Deadline", f"{figure(plan.deadline_ms)} ms" if plan.deadline_ms is not None else "none"),
        (
            "Throughput required",
            f"{figure(plan.min_rate_mbit_s)} Mbit/s" if plan.min_rate_mbit_s is not None else "none",
        ),
        ("Order of candidates", _order(record)),
        ("Duration", _duration(record)),
        ("Bare link", ranking.drift.sentence),
    ]
    return [{"label": label, "value": value} for label, value in rows]


def _echo_requests(profile: Profile) -> str:
    if profile.is_adaptive:
        sizes = ", ".join(grouped(number) for number in profile.block_pings)
        return f"blocks of {sizes} of the frame sizes, at most {grouped(profile.pings)} of a size in a round"
    return f"{grouped(profile.pings)} of each size in each round"


def _tcp(profile: Profile) -> str:
    first = "1 s in each direction in the first round, then " if profile.is_adaptive else ""
    return f"{first}{profile.seconds} s in each direction"


def _order(record: CampaignRecord) -> str:
    if record.plan.profile.is_adaptive:
        return "in turn, block by block, in an order that is drawn anew for each cycle"
    return f"new in each round, from seed {record.plan.seed}" if record.plan.profile.rounds > 1 else "as planned"


def _condition(name: str) -> str:
    return "the underlay as it was found" if name == "as-found" else name


def _duration(record: CampaignRecord) -> str:
    if record.ended_at is None:
        return "still running"
    return str(timedelta(seconds=round((record.ended_at - record.started_at).total_seconds())))


def method_view(record: CampaignRecord, ranking: Ranking) -> list[str]:
    """Return how it was measured and calculated, as sentences."""
    weights = listed([f"{weight:g} for {size}" for size, weight in zip(FRAME_BYTES, FRAME_WEIGHTS, strict=True)])
    is_adaptive = record.plan.profile.is_adaptive
    turns = f" {_BLOCKS_METHOD}" if is_adaptive else ""
    sentences = [
        f"Latency: {_LATENCY_METHOD}{turns} {_ping(record)}Every round-trip time is kept.",
        f"Weighted latency: the mean of the mean round-trip times with the weights {weights} bytes. {_WEIGHTS_SOURCE}",
        f"Throughput: iperf3 over one TCP connection, {_tcp(record.plan.profile)}.",
        "CPU: differences of /proc/stat on both hosts while throughput was measured; all cores together are 100 %.",
        "Intervals are Student's 95 % intervals over the rounds, so that drift widens them.",
    ]
    method = _SEQUENTIAL_METHOD if is_adaptive else _RANK_METHOD
    sentences.append(method if ranking.rounds > 1 else _ONE_ROUND)
    return sentences


_LATENCY_METHOD = (
    "ICMP echo requests from A to B through the tunnel, each sent when the one before was answered, with the same "
    "options for every candidate and without permission to fragment inside the tunnel."
)
_BLOCKS_METHOD = (
    "Candidates are up side by side where that is sound, and are measured in turn in short blocks of requests, round "
    "after round, until the order is known or the time for measuring is used up."
)
_WEIGHTS_SOURCE = (
    "They favour the small frames of control traffic (Lackorzynski, Köpsell, Strufe: A Comparative Study on Virtual "
    "Private Networks for Future Industrial Communication Systems, 2019). If one size does not cross, there is none."
)
_RANK_METHOD = (
    "Two candidates differ where the ratio of their latencies, compared round by round, is further from 1 than chance "
    "explains (paired t test; Holm's correction keeps all pairs together at 5 %). A candidate's rank is one more "
    "than the number of candidates that are faster in this sense; = marks a shared rank."
)
_SEQUENTIAL_METHOD = (
    "Two candidates differ where the ratio of their median latencies, compared round by round, is further from 1 than "
    "chance explains. This is tested after each round from the second on; together these tests find a false difference "
    "in at most 5 % of comparisons (Holm's correction for all pairs). A candidate's rank is one more than the number "
    "of candidates that are faster in this sense; = marks a shared rank."
)
_ONE_ROUND = "One round cannot tell a difference from chance, so that all ranked candidates share rank 1."


def _ping(record: CampaignRecord) -> str:
    tool = record.facts["a"].tools.get("ping") if "a" in record.facts else None
    if tool is None or tool.flavour is ToolFlavour.MISSING:
        return ""
    options = "ping -n -A -D -M do" if tool.flavour is ToolFlavour.IPUTILS else "ping -A"
    return f"The program was {options} ({' '.join(filter(None, (tool.flavour.value, _version(tool))))}). "


def published_view() -> View:
    """Return what an earlier study found, to be shown beside the results."""
    rows = [
        {
            "label": f"{one.solution}, {one.cipher}",
            "latency": times(one.latency_vs_baseline),
            "throughput": share(one.throughput_vs_baseline),
        }
        for one in published_2011()
    ]
    return {"source": STUDY_2011, "rows": rows}


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
    if plan.deadline_ms is not None:
        argv += ["--deadline-ms", f"{plan.deadline_ms:g}"]
    if plan.min_rate_mbit_s is not None:
        argv += ["--min-rate", f"{plan.min_rate_mbit_s:g}"]
    if plan.pair.load_cap_mbit_s is not None:
        argv += ["--load-cap", f"{plan.pair.load_cap_mbit_s:g}"]
    if plan.allow_load:
        argv.append("--allow-load")
    return shlex.join(argv)
