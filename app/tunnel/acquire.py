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
        survey: The host's snapshot, with the lock taken and the rollback timer armed, before any other change.
        outputs: What the recipe's public commands printed.
    """

    survey: Inspection
    outputs: Mapping[str, CommandResult]


class HostLocked(PairLocked):
    """A host is locked already.

    Args:
        lock: Who has it, as far as the host says.
    """

    def __init__(self, end: RemoteHost, lock: LockInfo | None) -> None:
        self.lock = lock
        if lock is None or not lock.is_complete:
            super().__init__(f"Another Tunnelmark is just locking {end.label}.", hint="Try again in a minute.")
            return
        if lock.owner_key == LET_GO and lock.left_s > 0:
            super().__init__(
                f"What {lock.owner} has deployed on {end.label} waits for a confirmation.",
                hint=f"{end.how_to_confirm(lock.left_s)} Then try again.",
                context={"owner": lock.owner, "age_s": str(lock.age_s), "host": end.label},
            )
            return
        left_s = max(1, lock.left_s)
        if_dead = f"If it died, the host rolls back within {left_s} s; then try again."
        if lock.owner_key == REMOVING:
            if_dead = f"If it was broken off, this works in {left_s} s."
        super().__init__(
            f"{lock.owner} has been working on {end.label} for {lock.age_s} s.",
            hint=f"Wait until it has finished. {if_dead}",
            context={"owner": lock.owner, "age_s": str(lock.age_s), "host": end.label},
        )


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
    end: RemoteHost,
    tunnel: str,
    beginning: AcquireRequest,
    ledger: Ledger,
    *,
    lease_s: float,
    token: CancelToken,
    on_mark: ScriptEventSink,
) -> Acquired:
    """Lock a host, arm its rollback timer, inspect it, make its key.

    Args:
        tunnel: The random id of this work.
        beginning: What is to be begun.
        ledger: Gets what was done.
        lease_s: For how long the host waits to hear of us, in seconds.
        token: Cancels it; must not be cancelled before the mark `armed` has come.
        on_mark: Receives `armed` as soon as the rollback timer runs.

    Returns:
        The host's snapshot, and the output of the recipe's public commands.

    Raises:
        HostLocked: Another instance has locked the host.
        DiskFull: There is no space for our folder.
        CommandFailed: Something else went wrong.
    """
    lines, limits = recipe_lines(beginning.recipe, ledger)

    def take(words: tuple[str, ...]) -> None:
        on_mark(words)
        _write_down(words, ledger, end)

    ledger.plan(run_dir_change(beginning.run_dir))
    marks, result = end.run_with_events(
        filled_script("begin.sh", steps=lines),
        (
            end.state_dir,
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
        on_mark=take,
        is_armed=False,
    )
    sections = parse_sections(result.stdout, tunnel)
    if find(marks, "failed", "locked") is not None:
        raise HostLocked(end, parse_lock(sections.get("lock", "")))
    if find(marks, "finished") is None:
        raise begin_error(end, marks, result, ledger)
    outputs = public_outputs(beginning.recipe, marks)
    return Acquired(parse_inspection(sections, state_dir=end.state_dir, depth=SnapshotDepth.QUICK), outputs)


def run_dir_change(run_dir: str, member: int | None = None) -> Planned:
    """Return what the audit log and the journal need of a tunnel's folder; see `numbered`."""
    remove = shell_line(["rm", "-rf", "--", run_dir])
    number = numbered(RUN_DIR_NUMBER, member)
    return Planned(number, "Make the tunnel's own folder", f"mkdir {run_dir}", remove, 30.0)


def public_outputs(
    recipe: IdentityRecipe, marks: tuple[ScriptEvent, ...], member: int | None = None
) -> dict[str, CommandResult]:
    """Return what a recipe's public commands printed, by name."""
    return {
        name: _public_result(marks, numbered(PUBLIC_NUMBER + index, member), command.argv)
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


def _write_down(words: tuple[str, ...], ledger: Ledger, end: RemoteHost) -> None:
    if words[0] == "armed":
        ledger.write("Lock the host and arm its timer", f"mkdir {end.state_dir}", 0)
    elif words[0] == "identity":
        ledger.done(numbered(RUN_DIR_NUMBER), 0)
    ledger.take_mark(words)


def _public_result(marks: tuple[ScriptEvent, ...], number: str, argv: tuple[str, ...]) -> CommandResult:
    mark = find(marks, "print", number)
    status = int(mark.words[2]) if mark is not None and len(mark.words) == 3 else None
    return CommandResult(
        argv=argv,
        exit_status=status,
        stdout=text_after(marks, "print", number, name="stdout"),
        stderr=text_after(marks, "print", number, name="stderr"),
        duration_s=0.0,
    )


def begin_error(
    end: RemoteHost, marks: tuple[ScriptEvent, ...], result: CommandResult, ledger: Ledger
) -> TunnelmarkError:
    """Say why a script did not finish."""
    failed = find(marks, "failed")
    words = failed.words[1:] if failed is not None else ("unknown",)
    context = {"host": end.label}
    if words[0] in ("disk", "journal") or "No space left" in " ".join(words):
        return DiskFull(
            f"There is no space left in {end.state_dir} on {end.label}.",
            hint="Nothing of the tunnel has been left there. Free some space and try again.",
            context=context,
        )
    if words[0] == "step":
        return step_error(end, marks, words[1], ledger)
    if words[0] == "timer":
        return CommandFailed(
            f"The rollback timer of {end.label} could not be started, so nothing was changed.",
            hint="Is the host out of memory or processes?",
            context=context,
        )
    if words[0] == "taken-back":
        return _taken_back(end, words[1:])
    if words[0] == "unknown":
        after = " ".join(marks[-1].words) if marks else "the start"
        return CommandFailed(
            f"What builds the tunnel on {end.label} ended with status {result.exit_status} after `{after}`.",
            hint="Was it killed, or is the host out of memory?",
            context={**context, "stderr": printable(result.stderr, limit=1000)},
        )
    said = printable(" ".join(words[1:]) or result.stderr, limit=500)
    return CommandFailed(
        f"The tunnel could not be built on {end.label} ({words[0]}). {said}".strip(),
        context={**context, "exit_status": str(result.exit_status)},
    )


def _taken_back(end: RemoteHost, by: tuple[str, ...]) -> CommandFailed:
    match by:
        case ("timer",):
            message = f"The lease of {end.label} ran out, and it rolled back while the tunnel was built."
            hint = (
                "The host had not heard from Tunnelmark in time: this computer slept or was too busy, or the "
                "connection stalled. Try again."
            )
        case ("somebody",):
            message = f"The undo was run by hand on {end.label} while the tunnel was built."
            hint = f"Ask who is at its console ({end.console_command}), then try again."
        case _:
            message = f"{end.label} rolled back while the tunnel was built."
            hint = "Its undo was run by hand, or its lease ran out because this computer was too slow. Try again."
    return CommandFailed(message, hint=hint, context={"host": end.label})


def step_error(end: RemoteHost, marks: tuple[ScriptEvent, ...], number: str, ledger: Ledger) -> TunnelmarkError:
    """Return the error of a failed step, with its program's output."""
    planned = ledger.planned.get(number)
    mark = find(marks, "step", number)
    status = mark.words[2] if mark is not None and len(mark.words) == 3 else "?"
    output = printable(text_after(marks, "step", number, name="output"), limit=4000)
    what = planned.title if planned is not None else "A step"
    context = {"host": end.label, "exit_status": status, "output": output}
    if "No space left on device" in output:
        return DiskFull(f"There is no space left on {end.label}: {what}.", hint="Free some space.", context=context)
    last_line = output.rpartition("\n")[2]
    timed_out = " It took too long and was stopped." if status in ("124", "143") else ""
    return CommandFailed(
        f"A step failed on {end.label} with exit status {status}: {what}.{timed_out} {last_line}".strip(),
        hint="The host has rolled back. The program's output is in the details.",
        context=context,
    )
