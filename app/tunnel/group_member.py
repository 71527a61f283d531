"""One of several tunnels that are built side by side within one transaction: prepared, and rolled back alone."""

from __future__ import annotations

from app.domain.cancel import CancelToken
from app.domain.errors import Bug, CleanupFailed
from app.domain.hosts import Side
from app.domain.script_files import host_script
from app.host.parallel import deadline_token, on_both, on_both_to_the_end
from app.host.remote_host import RemoteHost, printable
from app.host.script_events import find, parse_script_events
from app.host.scripts import filled_script
from app.tunnel.acquire import Acquired, begin_error, public_outputs, recipe_lines, run_dir_change
from app.tunnel.audit import Ledger
from app.tunnel.build import TunnelBuild
from app.tunnel.messages import GROUP_ROLLED_BACK, MEMBER_LEFT, MEMBER_NOT_ROLLED_BACK, NO_MEMBER
from app.tunnel.plan import recipe_of
from app.tunnel.rollback import FINISH_MARGIN_S, report_undone

PREPARE_MARGIN_S = 30.0
ROLLBACK_S = 60.0
"""Time limit for rolling back one tunnel on both hosts, in seconds, where it does not keep them busy."""


def member_of(build: TunnelBuild) -> int:
    """Return which of several tunnels a build is.

    Raises:
        Bug: It is the only one of its transaction.
    """
    if build.member is None:
        raise Bug(NO_MEMBER())
    return build.member


def prepare(build: TunnelBuild, *, token: CancelToken) -> dict[Side, Acquired]:
    """Make a tunnel's folder and key on both hosts, which are locked already.

    Returns:
        The hosts' snapshots before any tunnel was built, and the keys' public parts.

    Raises:
        CommandFailed, DiskFull: It did not work.
        ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
    """
    return on_both(lambda side, child: _prepare_host(build, side, child), token=token)


def _prepare_host(build: TunnelBuild, side: Side, token: CancelToken) -> Acquired:
    work, member = build.work, member_of(build)
    host, ledger, tunnel = work.hosts[side], work.ledgers[side], work.ids[side]
    recipe = recipe_of(build.request, side)
    folder = run_dir_change(build.request.link.run_dir, member)
    ledger.plan(folder)
    lines, limit_s = recipe_lines(recipe, ledger, member)
    events, result = host.run_with_events(
        filled_script("prepare.sh", steps=lines),
        (host.state_dir, tunnel, str(member), build.request.link.run_dir, folder.undo, folder.number),
        word=tunnel,
        token=token,
        timeout_s=PREPARE_MARGIN_S + limit_s,
        on_event=ledger.take_event,
    )
    if find(events, "finished") is None:
        raise begin_error(host, events, result, ledger)
    return Acquired(work.inspections[side], public_outputs(recipe, events, member))


def roll_back_member(build: TunnelBuild) -> None:
    """Undo all that was changed on both hosts for one tunnel; the others remain up.

    Raises:
        CleanupFailed: A host could not be reached, or not all of it could be undone.
    """
    work, member = build.work, member_of(build)
    with deadline_token(ROLLBACK_S + work.busy_s) as token:
        _, failures = on_both_to_the_end(
            lambda side, child: _undo(work.hosts[side], work.ids[side], member, work.ledgers[side], token=child),
            token=token,
        )
    for side, error in failures.items():
        if isinstance(error, CleanupFailed):
            raise error
        raise CleanupFailed(
            MEMBER_NOT_ROLLED_BACK(host=work.hosts[side].label, why=error), context={"host": work.hosts[side].label}
        ) from error


def _undo(host: RemoteHost, tunnel: str, member: int, ledger: Ledger, *, token: CancelToken) -> None:
    limit_s = ledger.undo_limit_s(str(member)) + FINISH_MARGIN_S
    result = host.run_script(
        host_script("undo-member.sh"), (host.state_dir, tunnel, str(member)), token=token, timeout_s=limit_s
    )
    events = parse_script_events(result.stdout, tunnel)
    log = printable(next((event.text for event in events if event.words == ("text", "undo")), ""))
    report_undone(log, ledger)
    if find(events, "undone", "3") is not None:
        raise CleanupFailed(GROUP_ROLLED_BACK(host=host.label), context={"host": host.label})
    if find(events, "undone", "0") is None:
        raise CleanupFailed(
            MEMBER_LEFT(host=host.label, command=host.console_command),
            context={"host": host.label, "log": log or printable(result.stderr, limit=1000)},
        )
