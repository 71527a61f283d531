"""Differences between candidates that are compared anew after each round, while measuring goes on.

Tests after every round find a difference sooner or later, even between equals. So each interim result spends a part of
the probability of a false difference, and a pair that is decided remains so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.ranking.differences import Difference, Differences, differences

SPENDING = (0.01, 0.015, 0.01, 0.005, 0.005, 0.0025, 0.0025)
"""Probability of a false difference that the results after rounds 2 to 8 may spend; they sum to 5 %.

Source: our choice; Lan, DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983).
"""

MOST_ROUNDS = len(SPENDING) + 1
"""Rounds after which nothing is left to spend."""

MARGIN_LOG = math.log(1.10)
"""Candidates within 10 % of each other need not be distinguished, on the logarithmic scale. Source: our choice."""

PAIR_ERRORS = 2.0
"""Standard errors that must fit between a difference and the margin for a pair to be within it. Source: our choice."""

BEST_ERRORS = 3.0
"""Standard errors that must fit for the pairs of the best candidate, on which advice rests. Source: our choice."""

LEAST_ROUNDS = 3
"""Rounds that must hold both of a pair before it can be within the margin: two may agree by chance. Source: our
choice."""


def sequential_differences(series: Sequence[Mapping[int, float]]) -> Differences:
    """Compare all candidates after each round, as far as rounds were measured.

    Args:
        series: One mapping of round to positive latency in ms per candidate, none of them empty. A candidate that left
            early lacks the later rounds.

    Returns:
        The differences by all rounds; a pair differs if it did after any round. Intervals are those of `differences` by
        all rounds, at 5 %, without regard to how much of it was spent.
    """
    found = differences(series)
    decided: set[tuple[int, int]] = set()
    last = min(MOST_ROUNDS, max((max(one) for one in series), default=0))
    for number, significance in enumerate(SPENDING[: max(0, last - 1)], start=2):
        seen = [{round_: value for round_, value in one.items() if round_ <= number} for one in series]
        known = [i for i, one in enumerate(seen) if one]
        if len(known) < 2:
            continue
        part = differences([seen[i] for i in known], significance)
        for faster, slower in part.decided:
            pair = known[faster], known[slower]
            if pair[::-1] not in decided:
                decided.add(pair)
    return replace(found, decided=frozenset(decided))


def rounds_needed(found: Differences, pair: tuple[int, int], rounds: int, *, is_advice: bool = False) -> int | None:
    """Return how many rounds in all would probably decide a pair; an error shrinks with the root of their number.

    Args:
        found: All differences.
        pair: Positions; for advice the first is the best.
        rounds: Rounds so far.
        is_advice: Whether it is to be shown that the first is faster, or at most 10 % slower than the other. That it is
            slower, beyond chance, decides nothing then.

    Returns:
        Whichever comes first: that the two differ by what a later round may spend, or that they are within the margin;
        None if `MOST_ROUNDS` are too few for either.
    """
    difference = found.between(*pair)
    if not math.isfinite(difference.half_width):
        needed = rounds + max(1, LEAST_ROUNDS - difference.rounds)
        return needed if needed <= MOST_ROUNDS else None
    open_pairs = max(1, len(found.pairs) - len(found.decided))
    return next(
        (
            number
            for number in range(rounds + 1, MOST_ROUNDS + 1)
            if _may_differ(difference, number - rounds, SPENDING[number - 2] / open_pairs, is_advice=is_advice)
            or _may_be_alike(difference, number - rounds, is_advice=is_advice)
        ),
        None,
    )


def _may_differ(pair: Difference, more: int, significance: float, *, is_advice: bool) -> bool:
    """Return whether a difference of this size would be beyond chance after so many more rounds."""
    from scipy.special import stdtrit

    if is_advice and pair.log_ratio > 0:
        return False
    quantile = float(stdtrit(pair.freedom + more, 1 - significance / 2))
    return abs(pair.log_ratio) > quantile * _error_after(pair, more)


def _may_be_alike(pair: Difference, more: int, *, is_advice: bool) -> bool:
    """Return whether a difference of this size would be within the margin after so many more rounds."""
    errors, size = (BEST_ERRORS, pair.log_ratio) if is_advice else (PAIR_ERRORS, abs(pair.log_ratio))
    return pair.rounds + more >= LEAST_ROUNDS and size + errors * _error_after(pair, more) < MARGIN_LOG


def _error_after(pair: Difference, more: int) -> float:
    return pair.error * math.sqrt(pair.rounds / (pair.rounds + more))


def is_within_margin(found: Differences, first: int, second: int) -> bool:
    """Return whether two candidates are within 10 % of each other with some certainty.

    Args:
        found: All differences.
        first: Position of one.
        second: Position of the other.
    """
    pair = found.between(first, second)
    return pair.rounds >= LEAST_ROUNDS and abs(pair.log_ratio) + PAIR_ERRORS * pair.error < MARGIN_LOG


def is_at_most_margin_slower(found: Differences, best: int, other: int) -> bool:
    """Return whether the best is at most 10 % slower than another candidate, with some certainty."""
    pair = found.between(best, other)
    return pair.rounds >= LEAST_ROUNDS and pair.log_ratio + BEST_ERRORS * pair.error < MARGIN_LOG
