"""Repeats of disturbed attempts in a comparison of fixed rounds: three at most, shared by all candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.domain.errors import (
    CleanupFailed,
    CommandFailed,
    ConnectionLost,
    HostUnreachable,
    ProbeFailed,
    TunnelDown,
    TunnelmarkError,
)
from app.domain.gates import Gate, GateVerdict
from app.domain.results import Attempt, AttemptKey, AttemptStatus
from app.domain.solutions import BASELINE
from app.measurement.messages import REPEAT_ENDED_EARLY, REPEAT_NOT_ENDED
from app.ranking.failures import SILENT
from app.ranking.gates import MOST_REPEATS, gates_of, spread_of
from app.tunnel.messages import KEY_UNREAD, NOT_DERIVED, STEP_FAILED, STEP_NOT_UNDONE, STEP_TOO_SLOW

_NOT_BUILT = frozenset(form.code for form in (STEP_FAILED, STEP_TOO_SLOW, STEP_NOT_UNDONE, KEY_UNREAD, NOT_DERIVED))
"""Codes of commands that failed because its tunnel could not be built; others are of the host or the connection."""


class Repeats:
    """Disturbed attempts of a comparison, and how often they were measured again.

    Args:
        done: Attempts that are stored. They are not repeated any more, and their repeats count.

    Attributes:
        number: Repeats so far.
    """

    def __init__(self, done: Sequence[Attempt]) -> None:
        self.number = sum(one.repeats for one in done)
        self._attempts = {one.key.position: one for one in done}
        self._disturbed: dict[int, Attempt] = {}

    def earlier(self, key: AttemptKey) -> Attempt | None:
        """Return the disturbed attempt that is to be repeated; None where none is."""
        return self._disturbed.get(key.position)

    def due(self, attempt: Attempt) -> Gate | None:
        """Return the first gate because of which an attempt is to be measured again; None where none asks for it."""
        if attempt.status is not AttemptStatus.COMPLETED or self.number >= MOST_REPEATS:
            return None
        known = {**self._attempts, attempt.key.position: attempt}.values()
        candidate = (attempt.key.solution, attempt.key.suite)
        bare = _spreads([one for one in known if one.key.solution == BASELINE])
        own = _spreads([one for one in known if (one.key.solution, one.key.suite) == candidate])
        gates = gates_of(attempt, bare_spread=min(bare, default=None), least_spread=min(own) if len(own) > 1 else None)
        return next((gate for gate in gates if gate.verdict is GateVerdict.REPEAT), None)

    def begin(self, attempt: Attempt) -> Attempt:
        """Keep a disturbed attempt, in case its repeat does not complete; return it as it is stored until that ends."""
        self.number += 1
        self._disturbed[attempt.key.position] = attempt
        return _not_repeated(attempt, REPEAT_NOT_ENDED())

    def left(self, key: AttemptKey, why: str) -> Attempt | None:
        """Return the disturbed attempt whose repeat is not made, with that doubt; None where there is none."""
        earlier = self._disturbed.get(key.position)
        return None if earlier is None else _not_repeated(earlier, why)

    def kept(self, attempt: Attempt, error: TunnelmarkError | None) -> Attempt:
        """Return which attempt counts: of a repeat that did not complete, the disturbed one before it.

        A repeat that failed by the candidate's own fault counts itself: busy hosts are no reason to hide the fault.
        Where a host could not be restored, or its rollback not be seen, the attempt that counts says so.

        Args:
            error: The error that ended the attempt; None where it completed, or the user ended it.
        """
        earlier = self._disturbed.get(attempt.key.position)
        has_failed = attempt.status is not AttemptStatus.COMPLETED
        if earlier is not None and has_failed and not _is_of_candidate(attempt.key, error):
            attempt = _not_repeated(earlier, attempt.message)
            if isinstance(error, CleanupFailed | ConnectionLost | HostUnreachable):
                attempt = replace(attempt, reason=error.reason, message=error.sentence())
        self._attempts[attempt.key.position] = attempt
        return attempt


def _is_of_candidate(key: AttemptKey, error: TunnelmarkError | None) -> bool:
    """Return whether an error is the candidate's own, not a host's. The bare link has no fault of its own."""
    if error is None or key.solution == BASELINE or "lost" in error.context:
        return False
    if isinstance(error, CommandFailed):
        return error.code in _NOT_BUILT
    if isinstance(error, ProbeFailed):
        return error.code in SILENT
    return isinstance(error, TunnelDown)


def _not_repeated(attempt: Attempt, why: str) -> Attempt:
    """Return a disturbed attempt whose repeat counts, though it did not complete, with that doubt."""
    return replace(attempt, repeats=attempt.repeats + 1, doubts=(*attempt.doubts, REPEAT_ENDED_EARLY(why=why)))


def _spreads(attempts: Sequence[Attempt]) -> list[float]:
    """Return the spreads of those attempts that completed, as far as they are known."""
    found = [spread_of(one) for one in attempts if one.status is AttemptStatus.COMPLETED]
    return [spread for spread in found if spread is not None]
