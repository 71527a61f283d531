"""Protection of a suite against a later quantum computer."""

from __future__ import annotations

from app.domain.solutions import SolutionInfo, Suite
from app.domain.verdicts import PostQuantum
from app.policy.names import find_rows

_BEST_FIRST = (PostQuantum.HYBRID, PostQuantum.SYMMETRIC)


def post_quantum(suite: Suite, info: SolutionInfo) -> PostQuantum:
    """Return the best of what a suite's algorithms and its solution's design do for its keys.

    One of them is enough: a hybrid exchange or a pre-shared secret holds whatever the rest of the exchange is.

    Args:
        info: The solution it belongs to; one without cryptography has no keys.
    """
    if info.is_unprotected:
        return PostQuantum.NONE
    found = {row.post_quantum for name in (*suite.algorithms, *info.design) for row in find_rows(name)}
    return next((one for one in _BEST_FIRST if one in found), PostQuantum.NONE)
