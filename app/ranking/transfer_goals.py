"""Figures by which a repetition of the satellite study is judged, with the known reasons where they miss."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from app.domain.messages.lists import enumerated
from app.domain.topology import ProxyPlace
from app.domain.transfers import CONGESTION, TransferCell
from app.ranking.messages import (
    GOAL_BBR_AHEAD,
    GOAL_IN_CELLS,
    GOAL_NOT_MEASURED,
    GOAL_ORDER,
    GOAL_SHARE,
    GOAL_SLOWEST,
    GOAL_SLOWEST_IS,
    REASON_BBR,
    REASON_EMULATED,
    REASON_STUDY_SILENT,
    REASON_WHOLE_FRAMES,
)
from app.ranking.published_order import agreement
from app.ranking.published_transfers import published_transfers

LEAST_SAME_PCT = 85.0
"""Share of pairs that have to come out in the published order, in percent. Source: our choice."""

KNOWN_REASONS = (
    REASON_BBR(),
    REASON_WHOLE_FRAMES(),
    REASON_STUDY_SILENT(),
    REASON_EMULATED(),
)
"""Why own figures may differ from the study's."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure that a repetition should reach.

    Attributes:
        text: The figure, and what was found.
        is_met: Whether it was reached; None where too little was measured.
    """

    text: str
    is_met: bool | None


def goals(own_s: Mapping[TransferCell, float]) -> tuple[Goal, ...]:
    """Return how a repetition compares with what it should show.

    Args:
        own_s: Own times in s by cell; those of cells without a published time do not count.
    """
    of_study = {cell: seconds for cell, seconds in own_s.items() if cell in published_transfers()}
    return (_order(of_study), _bbr_under_loss(of_study), _slowest(of_study))


def _order(own_s: Mapping[TransferCell, float]) -> Goal:
    found = agreement(own_s, published_transfers())
    text = GOAL_ORDER(share=LEAST_SAME_PCT)
    if not found.pairs:
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    share = 100.0 * found.same / found.pairs
    return Goal(GOAL_SHARE(goal=text, same=found.same, pairs=found.pairs, share=share), share >= LEAST_SAME_PCT)


def _bbr_under_loss(own_s: Mapping[TransferCell, float]) -> Goal:
    text = GOAL_BBR_AHEAD()
    pairs = [
        (cell, other)
        for cell in own_s
        if cell.congestion == "bbr2" and cell.condition.endswith("-loss")
        for kind in ("cubic-hystart", "cubic-no-hystart")
        if (other := replace(cell, congestion=kind)) in own_s
    ]
    if not pairs:
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    ahead = sum(own_s[bbr] < own_s[cubic] for bbr, cubic in pairs)
    return Goal(GOAL_IN_CELLS(goal=text, ahead=ahead, pairs=len(pairs)), ahead == len(pairs))


def _slowest(own_s: Mapping[TransferCell, float]) -> Goal:
    # The study has one VPN with a proxy outside of it: the one over TCP.
    outside = {cell.solution for cell in published_transfers() if cell.proxy == ProxyPlace.OUTSIDE}
    text = GOAL_SLOWEST(solutions=enumerated(sorted(outside)))
    cells = [cell for cell in own_s if cell.condition == "geo"]
    if len(cells) < 2 or not any(_is_outside(cell, outside) for cell in cells):
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    slowest = max(cells, key=lambda cell: own_s[cell])
    title = CONGESTION[slowest.congestion].title
    way = {"solution": slowest.solution, "proxy": slowest.proxy, "congestion": title}
    found = GOAL_SLOWEST_IS(goal=text, cells=len(cells), seconds=own_s[slowest], **way)
    return Goal(found, _is_outside(slowest, outside))


def _is_outside(cell: TransferCell, solutions: Collection[str]) -> bool:
    return cell.solution in solutions and cell.proxy == ProxyPlace.OUTSIDE
