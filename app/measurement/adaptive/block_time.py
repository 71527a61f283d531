"""Time for the blocks of a round, so that a budget holds more than one round."""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.probes.throughput import DIRECTION_OVERHEAD_S, OMIT_S
from app.ranking.sequential import LEAST_ROUNDS

FEWEST_CYCLES = 5
"""Undisturbed cycles of a round where the budget would hold fewer than three rounds with six. Source: our choice:
rounds tell more than cycles, since a tunnel differs from one set-up to the next."""

_CLEANUP_SHARE = 0.3
"""Clean-up as a share of what is measured of a round before its blocks. Source: practice labs."""


def transfer_s(candidates: int, seconds: int) -> float:
    """Return how long TCP of so many candidates takes in both directions."""
    return 2.0 * candidates * (seconds + OMIT_S + DIRECTION_OVERHEAD_S)


@dataclass(frozen=True, slots=True)
class GroupShare:
    """Part of a round that a group of tunnels is, since the groups of a round share its time.

    Attributes:
        begun: Groups of this round that are up or were, this one included.
        left: Groups of this round that are not finished, this one included.
    """

    begun: int = 1
    left: int = 1


@dataclass(frozen=True, slots=True)
class BlockTime:
    """Time when the blocks of a group begin.

    Attributes:
        left_s: Seconds of the budget that are left; infinite without one.
        before_s: Seconds of this round before (inspection, set-up, warm-up) over its groups that have begun. Each
            further group of this round and of later ones is taken to have as many.
        transfers_s: Seconds of TCP that follow in this round, for a group.
        number: Round, from 1.
        share: Groups of the round.
    """

    left_s: float
    before_s: float
    transfers_s: float
    number: int
    share: GroupShare = GroupShare()

    def most_s(self, cycle_s: float) -> float:
        """Return how long the blocks may take.

        As long as the budget holds three rounds, else two, else this one, of five cycles each at least. All groups are
        taken to be alike.

        Args:
            cycle_s: Seconds of a cycle.
        """
        if math.isinf(self.left_s):
            return math.inf
        share, cleanup_s = self.share, _CLEANUP_SHARE * self.before_s
        this_round_s = share.left * (self.transfers_s + cleanup_s) + (share.left - 1) * self.before_s
        for rounds in range(max(1, LEAST_ROUNDS + 1 - self.number), 0, -1):
            later = (rounds - 1) * (share.begun + share.left - 1)
            others_s = this_round_s + later * (self.before_s + cleanup_s)
            blocks_s = (self.left_s - others_s) / (share.left + later)
            if blocks_s >= FEWEST_CYCLES * cycle_s:
                return blocks_s
        return 0.0
