"""Advice after transfers over a satellite link: which choice matters there, and which does not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, permutations
from statistics import geometric_mean

from app.domain.messages import sentences
from app.domain.transfers import CONGESTION, TransferCell
from app.ranking.messages import (
    CARRIER,
    CONGESTION_CONTROL,
    EFFECT_OF,
    FASTEST_WAS,
    FASTEST_WITH_CUBIC,
    LEFT_OUT,
    LESS_MATTERS,
    NOTHING_MATTERS,
    PEP_AT_A,
    PEP_AT_B,
    PEP_NONE,
    WAY_OF_CELL,
    WHAT_MATTERS,
)

MATTERS = 1.10
"""Ratio of times from which a choice matters. Source: our choice; repeated transfers differ by some 5 %."""

_CARRIERS = ("tcp", "udp")
_PLACES = {"none": PEP_NONE(), "A": PEP_AT_A(), "B": PEP_AT_B()}


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of one choice, all else being equal.

    Attributes:
        factor: `congestion control`, `carrier` or `PEP`.
        best: The best choice, in words.
        worst: The worst one.
        ratio: How many times as long transfers take with the worst one, as a geometric mean over the pairs.
        pairs: Pairs of cells that differ in nothing else.
    """

    factor: str
    best: str
    worst: str
    ratio: float
    pairs: int


def effects(own_s: Mapping[TransferCell, float], condition: str) -> tuple[Effect, ...]:
    """Return the effects under one condition, the largest first.

    Carrier and PEP are compared with the congestion control that turned out best: another one would not be chosen.
    """
    times = {cell: seconds for cell, seconds in own_s.items() if cell.condition == condition and seconds > 0}
    congestion = _effect(
        CONGESTION_CONTROL(),
        times,
        lambda cell: CONGESTION[cell.congestion].title,
        lambda cell: replace(cell, congestion=""),
    )
    if congestion is not None:
        times = {cell: one for cell, one in times.items() if CONGESTION[cell.congestion].title == congestion.best}
    both = {cell: one for cell, one in times.items() if _carrier_of(cell)[1] in _CARRIERS}
    carrier = _effect(
        CARRIER(),
        both,
        lambda cell: _carrier_of(cell)[1].upper(),
        lambda cell: replace(cell, solution=_carrier_of(cell)[0]),
    )
    place = _effect("PEP", times, lambda cell: _PLACES[cell.proxy], lambda cell: replace(cell, proxy=""))
    found = [one for one in (congestion, carrier, place) if one is not None]
    return tuple(sorted(found, key=lambda one: -one.ratio))


def _carrier_of(cell: TransferCell) -> tuple[str, str]:
    """Return a VPN's name without its carrier, and the carrier: one that has both is named after each."""
    stem, _, carrier = cell.solution.rpartition("-")
    return stem, carrier


def _effect(
    factor: str,
    times: Mapping[TransferCell, float],
    level_of: Callable[[TransferCell], str],
    rest_of: Callable[[TransferCell], TransferCell],
) -> Effect | None:
    """Return the effect of the best level of a factor against its worst; None where no two have cells in common."""
    by_level: dict[str, dict[TransferCell, float]] = {}
    for cell, seconds in times.items():
        by_level.setdefault(level_of(cell), {})[rest_of(cell)] = seconds
    found = []
    for one, other in permutations(sorted(by_level), 2):
        shared = sorted(by_level[one].keys() & by_level[other].keys())
        if shared:
            ratio = geometric_mean(by_level[other][cell] / by_level[one][cell] for cell in shared)
            found.append(Effect(factor, one, other, ratio, len(shared)))
    if not found:
        return None
    best = _best(found)
    return max((one for one in found if one.best == best), key=lambda one: one.ratio)


def _best(found: Sequence[Effect]) -> str:
    """Return the level that no other beats by a ratio that matters; of several, the one with most cells in common.

    A level may exist in few cells, such as BBR on a proxy alone: that it is far ahead of a third level there says
    nothing of one that was measured in all of them.
    """

    def rank(level: str) -> tuple[float, int, float]:
        beaten_by = max(one.ratio for one in found if one.worst == level)
        ahead = [one for one in found if one.best == level]
        pairs = sum(one.pairs for one in ahead)
        return (beaten_by if beaten_by >= MATTERS else 1.0), -pairs, -max(one.ratio for one in ahead)

    return min(sorted({one.best for one in found}), key=rank)


def advice(own_s: Mapping[TransferCell, float], without_time: Collection[TransferCell] = ()) -> tuple[str, ...]:
    """Return what matters on each link, as sentences.

    Args:
        own_s: Own times in s by cell.
        without_time: Cells whose transfers did not end, or failed: comparisons leave them out.
    """
    texts: list[str] = []
    for condition, cells in groupby(sorted(own_s), key=lambda cell: cell.condition):
        some = list(cells)
        found = _of_condition(own_s, condition, some)
        texts += found
        names = [_name(cell) for cell in sorted(without_time) if cell.condition == condition and cell not in own_s]
        if found and names:
            texts.append(LEFT_OUT(condition=condition, names=names))
    return tuple(texts)


def _of_condition(own_s: Mapping[TransferCell, float], condition: str, cells: Sequence[TransferCell]) -> list[str]:
    found = effects(own_s, condition)
    if not found:
        return []
    mattering = [one for one in found if one.ratio >= MATTERS]
    texts = [_matters(condition, mattering, found)]
    best = min(cells, key=lambda cell: own_s[cell])
    texts.append(FASTEST_WAS(condition=condition, name=_name(best), seconds=own_s[best]))
    with_cubic = [cell for cell in cells if CONGESTION[cell.congestion].sender == "cubic"]
    if with_cubic and CONGESTION[best.congestion].sender != "cubic":
        chosen = min(with_cubic, key=lambda cell: own_s[cell])
        texts.append(FASTEST_WITH_CUBIC(condition=condition, name=_name(chosen), seconds=own_s[chosen]))
    return texts


def _matters(condition: str, mattering: Sequence[Effect], found: Sequence[Effect]) -> str:
    if not mattering:
        return NOTHING_MATTERS(condition=condition, factors=[one.factor for one in found])
    parts = [
        EFFECT_OF(factor=one.factor, best=one.best, worst=one.worst, ratio=one.ratio, pairs=one.pairs)
        for one in mattering
    ]
    rest = [one.factor for one in found if one not in mattering]
    return sentences((WHAT_MATTERS(condition=condition, effects=parts), LESS_MATTERS(factors=rest) if rest else ""))


def _name(cell: TransferCell) -> str:
    title = CONGESTION[cell.congestion].title
    return WAY_OF_CELL(solution=cell.solution, place=_PLACES[cell.proxy], congestion=title)
