"""Errors of building one side of a tunnel."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import TunnelPlan, UpCheck
from app.domain.commands import CommandResult
from app.domain.errors import CommandFailed, PreflightRefused, TunnelCannotComeUp, TunnelDown, TunnelmarkError
from app.host.remote_host import RemoteHost, printable
from app.host.script_events import ScriptEvent, find, text_after
from app.tunnel.acquire import begin_error, step_error
from app.tunnel.audit import Ledger
from app.tunnel.messages import (
    FRAMES_NOT_CROSSING,
    INTERFACE_APPEARED,
    NEVER_UP,
    PROGRAM_ENDED,
    STEP_NOT_UNDONE,
    UP_TOO_LATE,
)

MAX_CHARACTERS = 2000


class NotUpInTime(TunnelDown):
    """The tunnel did not come up before its deadline, and no log line excludes that it would have later."""


def build_error(
    host: RemoteHost,
    plan: TunnelPlan,
    checks: Mapping[str, UpCheck],
    events: tuple[ScriptEvent, ...],
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
    failed = find(events, "failed")
    words = failed.words[1:] if failed is not None else ("unknown",)
    match words[0]:
        case "step":
            return step_error(host, events, words[1], ledger)
        case "back":
            return _not_undone(host, events, words[1], ledger)
        case "exists":
            return PreflightRefused(INTERFACE_APPEARED(name=words[1], host=host.label), context={"host": host.label})
        case "died" | "hopeless" | "check" | "cross":
            return _not_up(host, plan, checks, events, words)
        case _:
            return begin_error(host, events, result, ledger)


def _not_undone(host: RemoteHost, events: tuple[ScriptEvent, ...], number: str, ledger: Ledger) -> CommandFailed:
    planned = ledger.planned.get(number)
    return CommandFailed(
        STEP_NOT_UNDONE(host=host.label, step=planned.title if planned else number),
        context={"host": host.label, "output": _output(events, "back", number)},
    )


def _not_up(
    host: RemoteHost,
    plan: TunnelPlan,
    checks: Mapping[str, UpCheck],
    events: tuple[ScriptEvent, ...],
    words: tuple[str, ...],
) -> TunnelDown:
    if words[0] == "died":
        return TunnelDown(
            PROGRAM_ENDED(host=host.label), context={"host": host.label, "output": _output(events, "died")}
        )
    if words[0] == "hopeless":
        return TunnelCannotComeUp(NEVER_UP(host=host.label), context={"host": host.label, "output": _output(events)})
    if words[0] == "check":
        number = words[1]
        output = text_after(events, "check", number, name="stdout") + text_after(events, "check", number, name="stderr")
        return NotUpInTime(
            UP_TOO_LATE(host=host.label, seconds=plan.up_timeout_s, check=checks[number].title),
            context={"host": host.label, "output": printable(output, limit=MAX_CHARACTERS)},
        )
    return NotUpInTime(
        FRAMES_NOT_CROSSING(host=host.label, peer=plan.probe_address(host.side.other)),
        context={"host": host.label, "output": _output(events)},
    )


def _output(events: tuple[ScriptEvent, ...], *words: str) -> str:
    return printable(text_after(events, *words, name="output"), limit=MAX_CHARACTERS)
