"""Study with nodes behind both gateways: its settings, its order as published, and own figures against it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from app.domain.node_study import NodeResult, NodeSetting
from app.domain.structured import bundled, lenient

NODE_STUDY = "industrial-2019-extended"
"""Name of the study."""

STUDY = (
    "Lackorzynski, Köpsell, Strufe: A Comparative Study on Virtual Private Networks for Future Industrial "
    "Communication Systems, 2019, section V.D and Figure 4"
)


class Figure(StrEnum):
    """Figures of the study."""

    THROUGHPUT = "throughput"
    LATENCY = "latency"


@dataclass(frozen=True, slots=True)
class PublishedPair:
    """Two settings in the published order.

    Attributes:
        figure: Figure that is compared.
        ahead: Setting that is ahead: more throughput, or less latency.
        behind: The other one.
        ratio: Published figure of the second one over that of the first one, roughly; None where there is none.
        bound: How the text qualifies it: `about` or `almost`.
        is_in_text: Whether the study's text has this order.
    """

    figure: Figure
    ahead: str
    behind: str
    ratio: float | None = None
    bound: str = ""
    is_in_text: bool = True


@dataclass(frozen=True, slots=True)
class _NodeStudyFile:
    setting: tuple[NodeSetting, ...]
    published: tuple[PublishedPair, ...]


@cache
def _study() -> _NodeStudyFile:
    return bundled(files("resources") / "studies" / "nodes" / f"{NODE_STUDY}.toml", _NodeStudyFile, lenient)


def node_settings() -> tuple[NodeSetting, ...]:
    """Return the settings, that without protection first.

    Source: resources/studies/nodes/industrial-2019-extended.toml.
    """
    return _study().setting


def published_pairs() -> tuple[PublishedPair, ...]:
    """Return the published order. Source: the same file."""
    return _study().published


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """Own figures of a setting: means over its rounds.

    Attributes:
        rounds: Rounds that count.
        latency_ms: Weighted latency.
        mbit_s: By direction.
        cpu_latency_pct: Busy CPU of the gateways during latency, by `a` and `b`.
        cpu_tcp_pct: The same during TCP.
        retransmits: Segments that were sent again in a round, both directions together; None where not known.
        is_disturbed: Whether there are only rounds in which this computer had other work.
    """

    rounds: int
    latency_ms: float
    mbit_s: Mapping[str, float]
    cpu_latency_pct: Mapping[str, float]
    cpu_tcp_pct: Mapping[str, float]
    retransmits: float | None
    is_disturbed: bool


def counted(results: Sequence[NodeResult], setting: str) -> tuple[NodeResult, ...]:
    """Return the rounds of a setting that count: undisturbed ones, or where there are none, disturbed ones."""
    own = [one for one in results if one.setting == setting and one.has_figures]
    quiet = [one for one in own if not one.is_disturbed]
    return tuple(sorted(quiet or own, key=lambda one: one.round))


def setting_figures(results: Sequence[NodeResult]) -> Mapping[str, SettingFigures]:
    """Return own figures by setting; one without rounds that count is left out."""
    found = {}
    for setting in node_settings():
        rounds = counted(results, setting.name)
        if rounds:
            found[setting.name] = _figures(rounds)
    return found


def _figures(rounds: Sequence[NodeResult]) -> SettingFigures:
    again = [sum(one.retransmits.values()) for one in rounds if len(one.retransmits) == len(one.mbit_s)]
    return SettingFigures(
        rounds=len(rounds),
        latency_ms=statistics.fmean(one.latency_ms for one in rounds if one.latency_ms is not None),
        mbit_s=_means([one.mbit_s for one in rounds]),
        cpu_latency_pct=_means([{side: cpu.busy_pct for side, cpu in one.cpu_latency.items()} for one in rounds]),
        cpu_tcp_pct=_means([{side: cpu.busy_pct for side, cpu in one.cpu_throughput.items()} for one in rounds]),
        retransmits=statistics.fmean(again) if again else None,
        is_disturbed=any(one.is_disturbed for one in rounds),
    )


def _means(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = sorted({name for one in rounds for name in one})
    return {name: statistics.fmean(one[name] for one in rounds if name in one) for name in names}


class OrderVerdict(StrEnum):
    """Outcome of a comparison of two settings in the rounds that both have."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"


LEAST_ROUNDS = 3
"""Rounds in which all have to agree: chance alone gives one order in all of three in one of four cases."""


@dataclass(frozen=True, slots=True)
class OwnPair:
    """A published pair in own figures.

    Attributes:
        published: The pair.
        verdict: Whether the published order came out.
        rounds: Rounds that both settings have.
        agreeing: Those of them with the published order.
        ratio: Own figure of the second setting over that of the first one; None without rounds.
        is_disturbed: Whether this computer had other work in one of them.
    """

    published: PublishedPair
    verdict: OrderVerdict
    rounds: int
    agreeing: int
    ratio: float | None
    is_disturbed: bool


def own_pairs(results: Sequence[NodeResult]) -> tuple[OwnPair, ...]:
    """Compare own figures with the published order, round by round."""
    return tuple(_own_pair(results, one) for one in published_pairs())


def _own_pair(results: Sequence[NodeResult], pair: PublishedPair) -> OwnPair:
    both = _shared_rounds(results, pair.ahead, pair.behind)
    ratios = [_value(behind, pair.figure) / _value(ahead, pair.figure) for ahead, behind in both]
    agreeing = sum(one < 1 if pair.figure is Figure.THROUGHPUT else one > 1 for one in ratios)
    is_enough = len(both) >= LEAST_ROUNDS
    verdict = OrderVerdict.UNDECIDED
    if is_enough and agreeing in (0, len(both)):
        verdict = OrderVerdict.YES if agreeing else OrderVerdict.NO
    return OwnPair(
        *(pair, verdict, len(both), agreeing),
        ratio=statistics.geometric_mean(ratios) if ratios else None,
        is_disturbed=any(one.is_disturbed for rounds in both for one in rounds),
    )


def _shared_rounds(results: Sequence[NodeResult], one: str, other: str) -> list[tuple[NodeResult, NodeResult]]:
    second = {result.round: result for result in counted(results, other)}
    return [(result, second[result.round]) for result in counted(results, one) if result.round in second]


def _value(result: NodeResult, figure: Figure) -> float:
    if figure is Figure.LATENCY:
        return result.latency_ms or 0.0
    return statistics.fmean(result.mbit_s.values())


FULL_CPU_PCT = 90.0
"""A gateway whose CPU is busier than that has none left. Source: our choice."""
MANY_TIMES = 2.0
"""So many times as many segments sent again are taken for a difference. Source: our choice."""


class Reason(StrEnum):
    """Statement on why a protected setting is faster than the one without protection, from own figures alone."""

    BY_CHANCE = "by-chance"
    SENT_AGAIN = "sent-again"
    NOT_SENT_AGAIN = "not-sent-again"
    CPU_FREE = "cpu-free"
    CPU_FULL = "cpu-full"


@dataclass(frozen=True, slots=True)
class Faster:
    """A protected setting that was faster than the one without protection.

    Attributes:
        setting: The setting.
        figure: In which figure.
        percent: By how much, in percent of the one without protection.
        rounds: Rounds that both have.
        agreeing: Those in which it was faster.
        reasons: What the own figures support.
    """

    setting: str
    figure: Figure
    percent: float
    rounds: int
    agreeing: int
    reasons: tuple[Reason, ...]


def faster_than_baseline(results: Sequence[NodeResult]) -> tuple[Faster, ...]:
    """Return protected settings that were faster than the one without protection, with what own figures say of it."""
    baseline, *others = node_settings()
    figures = setting_figures(results)
    found = []
    for figure in Figure:
        for setting in others:
            both = _shared_rounds(results, baseline.name, setting.name)
            if not both:
                continue
            ratios = [_value(other, figure) / _value(bare, figure) for bare, other in both]
            mean = statistics.geometric_mean(ratios)
            is_faster = mean > 1 if figure is Figure.THROUGHPUT else mean < 1
            if not is_faster:
                continue
            agreeing = sum(one > 1 if figure is Figure.THROUGHPUT else one < 1 for one in ratios)
            reasons = _reasons(figures[baseline.name], figures[setting.name], figure, is_steady=agreeing == len(both))
            found.append(Faster(setting.name, figure, 100 * abs(mean - 1), len(both), agreeing, reasons))
    return tuple(found)


def _reasons(bare: SettingFigures, other: SettingFigures, figure: Figure, *, is_steady: bool) -> tuple[Reason, ...]:
    reasons = [] if is_steady and bare.rounds >= LEAST_ROUNDS else [Reason.BY_CHANCE]
    if figure is Figure.THROUGHPUT:
        if bare.retransmits is not None and other.retransmits is not None:
            is_more = bare.retransmits > MANY_TIMES * max(other.retransmits, 1.0)
            reasons.append(Reason.SENT_AGAIN if is_more else Reason.NOT_SENT_AGAIN)
        if bare.cpu_tcp_pct:
            is_full = max(bare.cpu_tcp_pct.values()) >= FULL_CPU_PCT
            reasons.append(Reason.CPU_FULL if is_full else Reason.CPU_FREE)
    return tuple(reasons)
