"""Rollback of one host, and the check that it is as it was."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.cancel import CancelToken
from app.domain.errors import (
    Cancelled,
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    EnvironmentFault,
    HostUnreachable,
)
from app.domain.script_files import host_script
from app.host.inspection import MAX_INSPECTION_BYTES, inspect_host
from app.host.remote_host import RemoteHost, printable
from app.host.script_events import parse_script_events, parse_sections
from app.host.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots, parse_snapshot
from app.tunnel.audit import Ledger
from app.tunnel.messages import DISARM_AND_RELEASE, ROLLBACK_FAILED, ROLLBACK_TOO_SLOW, ROLLBACK_UNREPORTED

RECONNECT_S = 10.0
"""Time to keep trying to reach a host whose connection broke, in seconds."""
SETTLE_S = 3.0
"""Time limit for the kernel and ending daemons until a host is as before, in seconds."""
FINISH_MARGIN_S = 30.0
# Tunnelmark's own folder is there until it is let go.
_NOT_COMPARED = frozenset({"folder"})
# Programs start and end, and open sockets, on any living host; only those that name something of ours say anything.
_RESTLESS = ("The process ", "The socket ")


class RollbackState(StrEnum):
    """State of the rollback on one host."""

    DONE = "done"
    FAILED = "failed"
    GONE = "gone"
    """There was nothing of ours any more: the host's timer, its console or a restart did it."""
    OTHER = "other"
    """The folder belongs to another tunnel: ours is gone."""


@dataclass(frozen=True, slots=True)
class RollbackResult:
    """Outcome of the rollback of one host.

    Attributes:
        state: How it went.
        log: Output of the undo.
        ours: What is not as it was and names something of this tunnel, as sentences.
        others: What else is not as it was: on a live host, others may have changed it meanwhile.
    """

    state: RollbackState
    log: str
    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def reconnect(host: RemoteHost, *, token: CancelToken, within_s: float | None = None) -> None:
    """Connect again, trying for some seconds.

    Args:
        within_s: For how long, in seconds; None for RECONNECT_S.

    Raises:
        HostUnreachable, ConnectionLost, DeadlineExceeded: The host was not reached.
        AuthenticationFailed, HostKeyChanged: The host does not let us in.
    """
    until = time.monotonic() + (RECONNECT_S if within_s is None else within_s)
    while True:
        try:
            host.session.reconnect(token=token)
        except (HostUnreachable, ConnectionLost, DeadlineExceeded):
            if time.monotonic() >= until:
                raise
            token.sleep(0.5)
        else:
            return


def roll_back(
    host: RemoteHost,
    tunnel: str,
    before: HostSnapshot | None,
    ledger: Ledger,
    *,
    token: CancelToken,
    words: Sequence[str] = (),
    undo_limit_s: float | None = None,
) -> RollbackResult:
    """Undo everything on one host, release it, and compare it with what it was; reconnect if needed.

    Args:
        tunnel: The random id of this work.
        before: Its snapshot from before; None to leave the comparison out.
        ledger: Gets what was done.
        token: With a deadline of its own.
        words: Names, paths and addresses of this tunnel.
        undo_limit_s: How long the undo may take, in seconds; None for what the ledger's changes may take.

    Raises:
        EnvironmentFault: The host could not be reached or did not do it in time.
    """
    if not host.session.is_connected:
        reconnect(host, token=token)
    limit_s = ledger.undo_limit_s() if undo_limit_s is None else undo_limit_s
    try:
        undone, after = _finish(host, tunnel, ledger, limit_s, token=token)
    except ConnectionLost:
        reconnect(host, token=token)
        undone, after = _finish(host, tunnel, ledger, limit_s, token=token)
    if before is None:
        return undone
    ours, others = _differences(host, before, after, words, token=token)
    return RollbackResult(undone.state, undone.log, ours, others)


def _finish(
    host: RemoteHost, tunnel: str, ledger: Ledger, limit_s: float, *, token: CancelToken
) -> tuple[RollbackResult, HostSnapshot]:
    result = host.run_script(
        host_script("finish.sh"),
        (host.state_dir, tunnel),
        token=token,
        timeout_s=limit_s + FINISH_MARGIN_S,
        max_output_bytes=MAX_INSPECTION_BYTES,
    )
    events = parse_script_events(result.stdout, tunnel)
    outcome = next((event.words[1] for event in events if event.words[0] == "undo" and len(event.words) == 2), None)
    if outcome is None:
        raise CommandFailed(
            ROLLBACK_UNREPORTED(host=host.label, command=host.console_command),
            context={"host": host.label, "stderr": printable(result.stderr, limit=1000)},
        )
    log = printable(next((event.text for event in events if event.words == ("text", "undo")), ""))
    report_undone(log, ledger)
    if outcome == "0":
        ledger.write(DISARM_AND_RELEASE(), f"rm -rf {host.state_dir}", 0)
    states = {"gone": RollbackState.GONE, "other": RollbackState.OTHER, "0": RollbackState.DONE}
    snapshot = parse_snapshot(
        parse_sections(result.stdout, tunnel), state_dir=host.state_dir, depth=SnapshotDepth.QUICK
    )
    return RollbackResult(states.get(outcome, RollbackState.FAILED), log), snapshot


def report_undone(log: str, ledger: Ledger) -> None:
    """Write down in the audit log what an undo on a host reported."""
    for match in re.finditer(r"^(?:taken back|FAILED with (?P<status>\d+)) (?P<number>\d{4}) ", log, re.MULTILINE):
        ledger.undone(match["number"], int(match["status"] or 0))
    for match in re.finditer(r"^    warning: (?P<text>.+)$", log, re.MULTILINE):
        ledger.warn(match["text"])


def _differences(
    host: RemoteHost, before: HostSnapshot, after: HostSnapshot, words: Sequence[str], *, token: CancelToken
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Compare, for some seconds where something of ours is left: the kernel removes some things belatedly."""
    until = time.monotonic() + SETTLE_S
    while True:
        differences = compare_snapshots(before, after, except_parts=_NOT_COMPARED)
        ours = tuple(text for text in differences if _is_ours(text, words))
        if not ours or time.monotonic() >= until:
            return ours, tuple(text for text in differences if text not in ours and not text.startswith(_RESTLESS))
        token.sleep(0.2)
        after = inspect_host(host, token=token).snapshot


def _is_ours(difference: str, words: Sequence[str]) -> bool:
    """Return whether a difference names something of ours.

    Any user's command line may name an interface or an address (a probe, an engineer at work): of processes, only
    those count that name a path of ours.
    """
    if difference.startswith("The process "):
        words = [word for word in words if word.startswith("/")]
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", difference) for word in words if word)


def in_time(error: BaseException, host: RemoteHost, seconds: float) -> EnvironmentFault:
    """Return the error of a clean-up that its own deadline stopped, or the error itself."""
    if isinstance(error, Cancelled):
        return DeadlineExceeded(ROLLBACK_TOO_SLOW(host=host.label, seconds=seconds))
    if isinstance(error, EnvironmentFault):
        return error
    return CommandFailed(ROLLBACK_FAILED(host=host.label, why=error))
