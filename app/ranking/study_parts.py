"""Parts of the satellite study's table, and how long they take."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.domain.side_by_side import builds
from app.domain.transfers import BBR_ON_GATEWAYS, BBR_ON_PROXY, CONGESTION, TransferCell, of_solutions
from app.ranking.messages import PART_ALL, PART_LOSS, PART_NO_LOSS, PART_QUICK
from app.ranking.published_transfers import published_transfers

PARTS: Mapping[str, tuple[str, ...]] = {
    "quick": ("geo",),
    "no-loss": ("geo", "leo"),
    "loss": ("geo-loss", "leo-loss"),
    "all": ("geo", "leo", "geo-loss", "leo-loss"),
}
"""Conditions by part."""

PART_TITLES: Mapping[str, str] = {
    "quick": PART_QUICK(),
    "no-loss": PART_NO_LOSS(),
    "loss": PART_LOSS(),
    "all": PART_ALL(),
}
"""Descriptions of the parts."""

SATCOM = "satcom-2021"
"""Name of the study."""


@dataclass(frozen=True, slots=True)
class PartState:
    """A part of the study, and how much of it has own times.

    Attributes:
        name: One of `PARTS`.
        cells: Its cells.
        measured: Number of its cells with an own time that are not to be measured again.
        all_s: Predicted time of all cells, in s.
        left_s: Predicted time of the others, in s.
    """

    name: str
    cells: tuple[TransferCell, ...]
    measured: int
    all_s: float
    left_s: float


_BUILD_S, _EACH_S = 60.0, 20.0
"""Time to build the tunnels of a group, and around each transfer. Source: a quick part on a practice lab,
338 s for 8 transfers that took 241 s; rounded up.
"""
_PROOF_S = 45.0
"""Time to measure the bare link under a condition, before the cells of a group. Source: two times 120 echo
requests, four streams of 4 s, and their round trips over a satellite link."""
_SPLIT_S = 46.0
"""Longest transfer with BBR on gateways or proxies alone. Source: the study, section IV.A, 32 to 46 s."""


def cells_of(part: str) -> tuple[TransferCell, ...]:
    """Return the cells of a part, in the study's order; `quick` has CUBIC only.

    With loss, cells with BBR on gateways or proxies alone follow, of which the study prints a range (section IV.A).
    """
    kinds = ("cubic-hystart",) if part == "quick" else tuple(CONGESTION)
    table = [one for one in published_transfers() if one.condition in PARTS[part] and one.congestion in kinds]
    return (*table, *(one for one in split_cells() if one.condition in PARTS[part] and one.congestion in kinds))


def split_cells() -> tuple[TransferCell, ...]:
    """Return the cells with CUBIC on the end hosts, and BBR on all that gateways send, or on proxies alone."""
    return tuple(
        TransferCell(one.condition, congestion, one.solution, one.proxy)
        for congestion in (BBR_ON_GATEWAYS, BBR_ON_PROXY)
        for one in published_transfers()
        if one.congestion == "bbr2" and one.proxy != "none" and one.condition.endswith("-loss")
    )


def with_others(cells: Sequence[TransferCell], measured: Collection[TransferCell]) -> tuple[TransferCell, ...]:
    """Return the cells of a part, and behind them those of other VPNs that were measured beside it."""
    known = dict.fromkeys(one.solution for one in cells)
    names = (*known, *sorted({one.solution for one in measured}.difference(known)))
    return tuple(one for one in of_solutions(cells, names) if one.solution in known or one in measured)


def predicted_s(cells: Sequence[TransferCell], *, is_shaped: bool = False) -> float:
    """Return about how long cells take, in s: as long as in the study, and what is around them.

    Args:
        is_shaped: As in `builds`.
    """
    return sum(_transfer_s(one) + _EACH_S for one in cells) + around_s(cells, is_shaped=is_shaped)


def _transfer_s(cell: TransferCell) -> float:
    """Return the published time of a cell in s, or of one without any the longest beside it."""
    published = published_transfers()
    kind = (cell.condition, cell.congestion)
    beside = (seconds for one, seconds in published.items() if (one.condition, one.congestion) == kind)
    return published[cell] if cell in published else max(beside, default=_SPLIT_S)


def around_s(cells: Sequence[TransferCell], *, is_shaped: bool = False) -> float:
    """Return about how long it takes to build the tunnels of cells and to measure the bare link, in s.

    Args:
        is_shaped: As in `builds`.
    """
    groups = builds(cells, is_shaped=is_shaped)
    return sum(_BUILD_S + _PROOF_S * len({one.condition for one in group}) for group in groups)


def missing_cells(
    cells: Sequence[TransferCell], done: Collection[TransferCell], *, is_fresh: bool = False
) -> tuple[TransferCell, ...]:
    """Return the cells that a run has to measure: those that are not done, all of them where it is fresh."""
    return tuple(one for one in cells if is_fresh or one not in done)


def part_states(done: Collection[TransferCell], *, is_shaped: bool = False) -> tuple[PartState, ...]:
    """Return every part, and how much of it is measured.

    Args:
        done: Cells with an own time that are not to be measured again.
        is_shaped: As in `builds`.
    """
    states = []
    for part in PARTS:
        cells = cells_of(part)
        missing = missing_cells(cells, done)
        all_s, left_s = (predicted_s(some, is_shaped=is_shaped) for some in (cells, missing))
        states.append(PartState(part, cells, len(cells) - len(missing), all_s, left_s))
    return tuple(states)
