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
class BlockTime:
    """Time when the blocks of a round begin.

    Attributes:
        left_s: Seconds of the budget that are left; infinite without one.
        before_s: Seconds of this round before, which each further round has again: inspection, set-up, warm-up.
        transfers_s: Seconds of TCP that follow in this round.
        number: Round, from 1.
    """

    left_s: float
    before_s: float
    transfers_s: float
    number: int

    def most_s(self, cycle_s: float) -> float:
        """Return how long the blocks may take.

        As long as the budget holds three rounds, else two, else this one, of five cycles each at least.

        Args:
            cycle_s: Seconds of a cycle.
        """
        if math.isinf(self.left_s):
            return math.inf
        cleanup_s = _CLEANUP_SHARE * self.before_s
        for rounds in range(max(1, LEAST_ROUNDS + 1 - self.number), 0, -1):
            others_s = self.transfers_s + cleanup_s + (rounds - 1) * (self.before_s + cleanup_s)
            blocks_s = (self.left_s - others_s) / rounds
            if blocks_s >= FEWEST_CYCLES * cycle_s:
                return blocks_s
        return 0.0
