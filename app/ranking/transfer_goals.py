"""Figures by which a repetition of the satellite study is judged, with the known reasons where they miss."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.domain.topology import ProxyPlace
from app.domain.transfers import CONGESTION, TransferCell
from app.ranking.messages import (
    GOAL_BBR_AHEAD,
    GOAL_IN_CELLS,
    GOAL_LEFT_OPEN,
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
        is_met: Whether it was reached; None where cells without a time may decide it.
    """

    text: str
    is_met: bool | None


def goals(own_s: Mapping[TransferCell, float], wanted: Collection[TransferCell]) -> tuple[Goal, ...]:
    """Return how a repetition compares with what it should show.

    A goal is reached or missed once no cell without an own time could change that.

    Args:
        own_s: Own times in s by cell; those of cells without a published time do not count.
        wanted: Cells that were to be measured, whether they have a time or not.
    """
    of_study = {cell: seconds for cell, seconds in own_s.items() if cell in published_transfers()}
    open_cells = {cell for cell in wanted if cell in published_transfers() and cell not in of_study}
    return (_order(of_study, open_cells), _bbr_under_loss(of_study, open_cells), _slowest(of_study, open_cells))


def _order(own_s: Mapping[TransferCell, float], open_cells: Collection[TransferCell]) -> Goal:
    found = agreement(own_s, published_transfers())
    text = GOAL_ORDER(share=LEAST_SAME_PCT)
    if not found.pairs:
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    wanted = {cell: published_transfers()[cell] for cell in (*own_s, *open_cells)}
    pairs = agreement(wanted, wanted).pairs
    least_pct, most_pct = (100.0 * same / pairs for same in (found.same, found.same + pairs - found.pairs))
    share = 100.0 * found.same / found.pairs
    words = GOAL_SHARE(goal=text, same=found.same, pairs=found.pairs, share=share)
    return _judged(
        words, pairs - found.pairs, is_reached=least_pct >= LEAST_SAME_PCT, is_lost=most_pct < LEAST_SAME_PCT
    )


def _judged(words: str, open_pairs: int, *, is_reached: bool, is_lost: bool) -> Goal:
    """Return a goal, with the number of comparisons that cells without a time leave open."""
    if open_pairs:
        words = sentences((words, GOAL_LEFT_OPEN(number=open_pairs)))
    return Goal(words, True if is_reached else False if is_lost else None)


def _bbr_under_loss(own_s: Mapping[TransferCell, float], open_cells: Collection[TransferCell]) -> Goal:
    text = GOAL_BBR_AHEAD()
    known = {*own_s, *open_cells}
    wanted = [
        (cell, other)
        for cell in known
        if cell.congestion == "bbr2" and cell.condition.endswith("-loss")
        for kind in ("cubic-hystart", "cubic-no-hystart")
        if (other := replace(cell, congestion=kind)) in known
    ]
    pairs = [(bbr, cubic) for bbr, cubic in wanted if bbr in own_s and cubic in own_s]
    if not pairs:
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    ahead = sum(own_s[bbr] < own_s[cubic] for bbr, cubic in pairs)
    words = GOAL_IN_CELLS(goal=text, ahead=ahead, pairs=len(pairs))
    left = len(wanted) - len(pairs)
    return _judged(words, left, is_reached=ahead == len(wanted), is_lost=ahead < len(pairs))


def _slowest(own_s: Mapping[TransferCell, float], open_cells: Collection[TransferCell]) -> Goal:
    # The study has one VPN with a proxy outside of it: the one over TCP.
    outside = {cell.solution for cell in published_transfers() if cell.proxy == ProxyPlace.OUTSIDE}
    text = GOAL_SLOWEST(solutions=enumerated(sorted(outside)))
    cells = [cell for cell in own_s if cell.condition == "geo"]
    if len(cells) < 2 or not any(_is_outside(cell, outside) for cell in cells):
        return Goal(GOAL_NOT_MEASURED(goal=text), None)
    slowest = max(cells, key=lambda cell: own_s[cell])
    title = CONGESTION[slowest.congestion].title
    way = {"solution": slowest.solution, "proxy": slowest.proxy, "congestion": title}
    words = GOAL_SLOWEST_IS(goal=text, cells=len(cells), seconds=own_s[slowest], **way)
    left = [_is_outside(cell, outside) for cell in open_cells if cell.condition == "geo"]
    is_outside = _is_outside(slowest, outside)
    return _judged(words, len(left), is_reached=is_outside and all(left), is_lost=not is_outside and not any(left))


def _is_outside(cell: TransferCell, solutions: Collection[str]) -> bool:
    return cell.solution in solutions and cell.proxy == ProxyPlace.OUTSIDE
