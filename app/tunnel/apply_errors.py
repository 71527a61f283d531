"""Why one end of a tunnel could not be built, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import TunnelPlan, UpCheck
from app.domain.commands import CommandResult
from app.domain.errors import CommandFailed, HopelessTunnel, PreflightRefused, TunnelDown, TunnelmarkError
from app.host.remote_host import RemoteHost, printable
from app.host.script_events import ScriptEvent, find, text_after
from app.tunnel.acquire import begin_error, step_error
from app.tunnel.audit import Ledger

MAX_CHARACTERS = 2000


class NotUpInTime(TunnelDown):
    """The tunnel did not come up before its deadline, and no log line excludes that it would have later."""


def build_error(
    end: RemoteHost,
    plan: TunnelPlan,
    checks: Mapping[str, UpCheck],
    marks: tuple[ScriptEvent, ...],
    result: CommandResult,
    ledger: Ledger,
) -> TunnelmarkError:
    """Return why a script that builds one side did not finish.

    Args:
        plan: What was to be built.
        checks: By number.
        result: How it ended.
        ledger: The changes by number.
    """
    failed = find(marks, "failed")
    words = failed.words[1:] if failed is not None else ("unknown",)
    match words[0]:
        case "step":
            return step_error(end, marks, words[1], ledger)
        case "back":
            return _not_taken_back(end, marks, words[1], ledger)
        case "exists":
            return PreflightRefused(
                f"{words[1]} appeared on {end.label} just before it was to be made.",
                hint="Something else on the host uses that name. It was left alone.",
                context={"host": end.label},
            )
        case "died" | "hopeless" | "check" | "cross":
            return _not_up(end, plan, checks, marks, words)
        case _:
            return begin_error(end, marks, result, ledger)


def _not_taken_back(end: RemoteHost, marks: tuple[ScriptEvent, ...], number: str, ledger: Ledger) -> CommandFailed:
    planned = ledger.planned.get(number)
    return CommandFailed(
        f"On {end.label}, this could not be undone to do it again: {planned.title if planned else number}.",
        context={"host": end.label, "output": _output(marks, "back", number)},
    )


def _not_up(
    end: RemoteHost,
    plan: TunnelPlan,
    checks: Mapping[str, UpCheck],
    marks: tuple[ScriptEvent, ...],
    words: tuple[str, ...],
) -> TunnelDown:
    if words[0] == "died":
        return TunnelDown(
            f"The program on {end.label} ended by itself before the tunnel was up.",
            hint="Its last words are in the details.",
            context={"host": end.label, "output": _output(marks, "died")},
        )
    if words[0] == "hopeless":
        return HopelessTunnel(
            f"The program on {end.label} says why frames will never cross this tunnel.",
            hint="Its words are in the details. Choose another suite.",
            context={"host": end.label, "output": _output(marks)},
        )
    if words[0] == "check":
        number = words[1]
        said = text_after(marks, "check", number, name="stdout") + text_after(marks, "check", number, name="stderr")
        return NotUpInTime(
            f"The tunnel did not come up on {end.label} within {plan.up_timeout_s:g} s. "
            f"Not seen: {checks[number].title}.",
            hint="Does a firewall between the hosts drop its packets? The daemon's log is in the details.",
            context={"host": end.label, "output": printable(said, limit=MAX_CHARACTERS)},
        )
    return NotUpInTime(
        f"The tunnel is up on {end.label}, but frames to {plan.probe_address(end.side.other)} do not cross.",
        hint="Does a firewall drop them? The daemon's log is in the details.",
        context={"host": end.label, "output": _output(marks)},
    )


def _output(marks: tuple[ScriptEvent, ...], *words: str) -> str:
    return printable(text_after(marks, *words, name="output"), limit=MAX_CHARACTERS)
