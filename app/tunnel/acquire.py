"""Acquisition of a host in one round trip: take the lock, arm the rollback timer, inspect, make the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanStep
from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult
from app.domain.errors import CommandFailed, DiskFull, PairLocked, TunnelmarkError
from app.host.inspection import Inspection, LockInfo, parse_inspection, parse_lock
from app.host.remote_host import RemoteHost, printable, whole_seconds
from app.host.script_events import ScriptEvent, ScriptEventSink, find, parse_sections, text_after
from app.host.scripts import call, filled_script, one_line
from app.host.snapshots import SnapshotDepth
from app.ssh.remote_line import shell_line
from app.tunnel.audit import IDENTITY_NUMBER, PUBLIC_NUMBER, RUN_DIR_NUMBER, Ledger, Planned, numbered, undo_line
from app.tunnel.lock_owner import LET_GO, REMOVING, owner_key, owner_text
from app.tunnel.messages import (
    BEING_LOCKED,
    HOST_LOCKED,
    LEASE_RAN_OUT,
    LOCK_AND_ARM,
    MAKE_RUN_DIR,
    NO_SPACE_FOR_STEP,
    NO_SPACE_IN_FOLDER,
    NOT_BUILT,
    REMOVAL_RUNS,
    ROLLED_BACK_MEANWHILE,
    SCRIPT_ENDED,
    STEP_FAILED,
    STEP_TOO_SLOW,
    THE_START,
    TIMER_NOT_STARTED,
    UNDONE_BY_HAND,
    UNKNOWN_STEP,
    WAITS_FOR_CONFIRMATION,
)

BEGIN_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class AcquireRequest:
    """Inputs of the acquisition of one host.

    Attributes:
        run_dir: The folder of this work's running parts.
        recipe: What is done first: what is replaced is suspended, the key is made.
        peer: The other host's underlay address.
        paths: Paths of which to say whether they are there.
        asked: A small file whose first line is reported; empty to leave that out.
    """

    run_dir: str
    recipe: IdentityRecipe
    peer: str
    paths: tuple[str, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Acquired:
    """Outcome of the acquisition of one host.

    Attributes:
        inspection: The host's snapshot, with the lock taken and the rollback timer armed, before any other change.
        outputs: What the recipe's public commands printed.
    """

    inspection: Inspection
    outputs: Mapping[str, CommandResult]


class HostLocked(PairLocked):
    """A host is locked already.

    Args:
        lock: Who has it, as far as the host says.
    """

    def __init__(self, host: RemoteHost, lock: LockInfo | None) -> None:
        self.lock = lock
        if lock is None or not lock.is_complete:
            super().__init__(BEING_LOCKED(host=host.label))
            return
        context = {"owner": lock.owner, "age_s": str(lock.age_s), "host": host.label}
        if lock.owner_key == LET_GO and lock.left_s > 0:
            how = host.how_to_confirm(lock.left_s)
            super().__init__(WAITS_FOR_CONFIRMATION(host=host.label, owner=lock.owner, how=how), context=context)
            return
        form = REMOVAL_RUNS if lock.owner_key == REMOVING else HOST_LOCKED
        left_s = max(1, lock.left_s)
        super().__init__(form(host=host.label, owner=lock.owner, age_s=lock.age_s, left_s=left_s), context=context)


def step_line(planned: Planned, step: PlanStep, *, stdin_path: str = "/dev/null") -> str:
    """Return the script's line for one step."""
    return call(
        "step",
        planned.number,
        one_line(step.title),
        whole_seconds(step.command.timeout_s),
        whole_seconds(step.forward_retry_s) if step.forward_retry_s else "0",
        stdin_path,
        whole_seconds(planned.undo_timeout_s),
        planned.undo,
        *step.command.argv,
    )


def planned_step(number: str, step: PlanStep) -> Planned:
    """Return what the audit log and the journal need of one step."""
    undo_timeout_s = step.undo.timeout_s if step.undo is not None else 0.0
    return Planned(number, step.title, shell_line(step.command.argv), undo_line(step.undo), undo_timeout_s)


def begin(
    host: RemoteHost,
    tunnel: str,
    beginning: AcquireRequest,
    ledger: Ledger,
    *,
    lease_s: float,
    token: CancelToken,
    on_event: ScriptEventSink,
) -> Acquired:
    """Lock a host, arm its rollback timer, inspect it, make its key.

    Args:
        tunnel: The random id of this work.
        beginning: What is to be begun.
        ledger: Gets what was done.
        lease_s: For how long the host waits to hear of us, in seconds.
        token: Cancels it; must not be cancelled before the mark `armed` has come.
        on_event: Receives `armed` as soon as the rollback timer runs.

    Returns:
        The host's snapshot, and the output of the recipe's public commands.

    Raises:
        HostLocked: Another instance has locked the host.
        DiskFull: There is no space for our folder.
        CommandFailed: Something else went wrong.
    """
    lines, limits = recipe_lines(beginning.recipe, ledger)

    def take(words: tuple[str, ...]) -> None:
        on_event(words)
        _write_down(words, ledger, host)

    ledger.plan(run_dir_change(beginning.run_dir))
    events, result = host.run_with_events(
        filled_script("begin.sh", steps=lines),
        (
            host.state_dir,
            tunnel,
            whole_seconds(lease_s),
            owner_text(),
            owner_key(),
            beginning.run_dir,
            run_dir_change(beginning.run_dir).undo,
            beginning.peer,
            beginning.asked,
            *beginning.paths,
        ),
        word=tunnel,
        token=token,
        timeout_s=BEGIN_TIMEOUT_S + limits,
        on_event=take,
        is_armed=False,
    )
    sections = parse_sections(result.stdout, tunnel)
    if find(events, "failed", "locked") is not None:
        raise HostLocked(host, parse_lock(sections.get("lock", "")))
    if find(events, "finished") is None:
        raise begin_error(host, events, result, ledger)
    outputs = public_outputs(beginning.recipe, events)
    return Acquired(parse_inspection(sections, state_dir=host.state_dir, depth=SnapshotDepth.QUICK), outputs)


def run_dir_change(run_dir: str, member: int | None = None) -> Planned:
    """Return what the audit log and the journal need of a tunnel's folder; see `numbered`."""
    remove = shell_line(["rm", "-rf", "--", run_dir])
    number = numbered(RUN_DIR_NUMBER, member)
    return Planned(number, MAKE_RUN_DIR(), f"mkdir {run_dir}", remove, 30.0)


def public_outputs(
    recipe: IdentityRecipe, events: tuple[ScriptEvent, ...], member: int | None = None
) -> dict[str, CommandResult]:
    """Return what a recipe's public commands printed, by name."""
    return {
        name: _public_result(events, numbered(PUBLIC_NUMBER + index, member), command.argv)
        for index, (name, command) in enumerate(recipe.public.items())
    }


def recipe_lines(recipe: IdentityRecipe, ledger: Ledger, member: int | None = None) -> tuple[list[str], float]:
    """Return the script's lines for a recipe, and how long they may take at most, in seconds; see `numbered`."""
    lines: list[str] = []
    limits = 0.0
    for index, step in enumerate(recipe.steps):
        planned = planned_step(numbered(IDENTITY_NUMBER + index, member), step)
        ledger.plan(planned)
        lines.append(step_line(planned, step))
        limits += step.command.timeout_s + step.forward_retry_s
    for index, command in enumerate(recipe.public.values()):
        number = numbered(PUBLIC_NUMBER + index, member)
        lines.append(call("print", number, whole_seconds(command.timeout_s), *command.argv))
        limits += command.timeout_s
    return lines, limits


def _write_down(words: tuple[str, ...], ledger: Ledger, host: RemoteHost) -> None:
    if words[0] == "armed":
        ledger.write(LOCK_AND_ARM(), f"mkdir {host.state_dir}", 0)
    elif words[0] == "identity":
        ledger.done(numbered(RUN_DIR_NUMBER), 0)
    ledger.take_event(words)


def _public_result(events: tuple[ScriptEvent, ...], number: str, argv: tuple[str, ...]) -> CommandResult:
    event = find(events, "print", number)
    status = int(event.words[2]) if event is not None and len(event.words) == 3 else None
    return CommandResult(
        argv=argv,
        exit_status=status,
        stdout=text_after(events, "print", number, name="stdout"),
        stderr=text_after(events, "print", number, name="stderr"),
        duration_s=0.0,
    )


def begin_error(
    host: RemoteHost, events: tuple[ScriptEvent, ...], result: CommandResult, ledger: Ledger
) -> TunnelmarkError:
    """Return why a script did not finish."""
    failed = find(events, "failed")
    words = failed.words[1:] if failed is not None else ("unknown",)
    context = {"host": host.label}
    if words[0] in ("disk", "journal") or "No space left" in " ".join(words):
        return DiskFull(NO_SPACE_IN_FOLDER(folder=host.state_dir, host=host.label), context=context)
    if words[0] == "step":
        return step_error(host, events, words[1], ledger)
    if words[0] == "timer":
        return CommandFailed(TIMER_NOT_STARTED(host=host.label), context=context)
    if words[0] == "taken-back":
        return _rolled_back(host, words[1:])
    if words[0] == "unknown":
        after = " ".join(events[-1].words) if events else THE_START()
        return CommandFailed(
            SCRIPT_ENDED(host=host.label, status=result.exit_status, after=after),
            context={**context, "stderr": printable(result.stderr, limit=1000)},
        )
    output = printable(" ".join(words[1:]) or result.stderr, limit=500)
    return CommandFailed(
        NOT_BUILT(host=host.label, what=words[0], output=output),
        context={**context, "exit_status": str(result.exit_status)},
    )


def _rolled_back(host: RemoteHost, by: tuple[str, ...]) -> CommandFailed:
    match by:
        case ("timer",):
            message = LEASE_RAN_OUT(host=host.label)
        case ("somebody",):
            message = UNDONE_BY_HAND(host=host.label, command=host.console_command)
        case _:
            message = ROLLED_BACK_MEANWHILE(host=host.label)
    return CommandFailed(message, context={"host": host.label})


def step_error(host: RemoteHost, events: tuple[ScriptEvent, ...], number: str, ledger: Ledger) -> TunnelmarkError:
    """Return the error of a failed step, with its program's output."""
    planned = ledger.planned.get(number)
    event = find(events, "step", number)
    status = event.words[2] if event is not None and len(event.words) == 3 else "?"
    output = printable(text_after(events, "step", number, name="output"), limit=4000)
    what = planned.title if planned is not None else UNKNOWN_STEP()
    context = {"host": host.label, "exit_status": status, "output": output}
    if "No space left on device" in output:
        return DiskFull(NO_SPACE_FOR_STEP(host=host.label, step=what), context=context)
    form = STEP_TOO_SLOW if status in ("124", "143") else STEP_FAILED
    last_line = output.rpartition("\n")[2]
    return CommandFailed(form(host=host.label, status=status, step=what, output=last_line), context=context)
