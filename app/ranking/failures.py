"""Failed attempts that are a candidate's own fault: its tunnel did not come up, went down, or carried nothing more."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.errors import TunnelDown
from app.domain.events import Stage
from app.domain.messages import code_of
from app.domain.results import Attempt, AttemptStatus
from app.domain.solutions import BASELINE
from app.probes.messages import NO_REPLY_WITHIN, REPLIES_STOPPED

SILENT = frozenset(form.code for form in (NO_REPLY_WITHIN, REPLIES_STOPPED))
"""Codes of probes that failed because their tunnel carried nothing, or nothing any more."""

HOST_ENDED = frozenset(
    {
        "tunnel.lease-gone",
        "tunnel.lease-ending",
        "tunnel.lease-late",
        "tunnel.lease-not-renewed",
        "tunnel.lease-ran-out",
        "tunnel.rolled-back-meanwhile",
        "tunnel.undone-by-hand",
    }
)
"""Codes of tunnels that a host took down because its lease ran out, or by hand."""

_MEASURING = (Stage.LATENCY, Stage.THROUGHPUT, Stage.WORKLOAD)
"""Stages in which a tunnel is up and nothing is done to it."""


def own_failures(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """Return the attempts that failed because of their tunnel, not of a host or the connection to it."""
    return tuple(one for one in attempts if one.status is AttemptStatus.FAILED and (_is_down(one) or _is_silent(one)))


def silent_rounds(attempts: Iterable[Attempt]) -> tuple[int, ...]:
    """Return the rounds whose tunnel stopped carrying frames while it was measured."""
    failed = own_failures(attempts)
    return tuple(one.key.round for one in failed if _is_silent(one) or one.stage in _MEASURING)


def _is_down(attempt: Attempt) -> bool:
    is_down = attempt.reason == TunnelDown.reason and attempt.key.solution != BASELINE
    return is_down and code_of(attempt.message) not in HOST_ENDED


def _is_silent(attempt: Attempt) -> bool:
    return code_of(attempt.message) in SILENT
