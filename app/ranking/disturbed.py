"""Candidates that a busy host kept from being recommended, and that may be better than the one that is."""

from __future__ import annotations

from app.domain.ranking import AdviceKind, BarrierReason
from app.ranking.candidates import Contender
from app.ranking.choice import Choice, Compared, state_of
from app.ranking.gates import busy_gate
from app.ranking.proofs import failed_proofs
from app.wording.numbers import listed


def disturbed_rivals(compared: Compared, choice: Choice) -> tuple[Contender, ...]:
    """Return the candidates that only a busy host bars, and of which the figures do not say that they are slower.

    Load seldom disturbs all candidates alike: if it happens to bar the fastest ones, a slow one is left to choose.
    """
    best = next(i for i, one in enumerate(compared.contenders) if one is choice.best)
    return tuple(
        one
        for i, one in enumerate(compared.contenders)
        if _is_disturbed(one) and state_of(compared, best, i) is AdviceKind.NOT_DECIDED
    )


def disturbed_obstacle(rivals: tuple[Contender, ...], best: Contender) -> str:
    """Return why nothing is recommended, after "Nothing can be recommended:"."""
    gate = busy_gate(rivals[0].result.gates)
    names = listed([one.title for one in rivals])
    words = f" ({gate.words} with {rivals[0].title})" if gate is not None else ""
    return (
        f"the hosts were too busy while {names} {'was' if len(rivals) == 1 else 'were'} measured{words}, which may be "
        f"faster than {best.title}; end other work there, then measure again"
    )


def _is_disturbed(one: Contender) -> bool:
    barrier = one.result.barrier
    is_busy = barrier is not None and barrier.reason is BarrierReason.GATE
    return is_busy and one.candidate.verdict.is_deployable and not failed_proofs(one)
