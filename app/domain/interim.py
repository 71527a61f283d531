"""Interim results of an adaptive comparison, one after each round."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.ranking import Ratio


class CandidateState(StrEnum):
    """State of a candidate after a round."""

    OPEN = "open"  # measured in the next round
    DECIDED = "decided"  # each of its pairs is decided, or within the margin
    FAILED = "failed"  # not measured any more


class StopReason(StrEnum):
    """Reason why an adaptive comparison ends."""

    ORDER_KNOWN = "order-known"
    GOOD_ENOUGH = "good-enough"
    BUDGET = "budget"
    ROUNDS = "rounds"
    NOTHING_LEFT = "nothing-left"


@dataclass(frozen=True, slots=True)
class InterimCandidate:
    """One candidate in an interim result.

    Attributes:
        solution: Solution's name.
        suite: Suite's name.
        ratio: Its latency over that of the fastest, with the interval of this round; None without a figure.
        state: Whether it is measured on.
        why: Why it left, as a sentence; empty while it is open.
    """

    solution: str
    suite: str
    ratio: Ratio | None
    state: CandidateState
    why: str = ""


@dataclass(frozen=True, slots=True)
class InterimResult:
    """Interim result after a round.

    Attributes:
        round: Rounds that are complete.
        candidates: All candidates but the baseline, fastest first; references without cryptography last.
        stop: Why the comparison ends here; None if it goes on.
        left_s: Predicted seconds until it is decided or the budget ends; 0 where it ends here.
        sentence: The same for people, with the pair that takes longest.
    """

    round: int
    candidates: tuple[InterimCandidate, ...]
    stop: StopReason | None
    left_s: float
    sentence: str = ""
