"""Building one side of a tunnel: files, steps, checks."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import EndpointPlan, TunnelPlan, UpCheck
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite
from app.domain.errors import Bug, TunnelDown
from app.domain.hosts import Side, ToolFlavour
from app.host.remote_host import RemoteHost, new_id, printable, whole_seconds
from app.host.script_events import ScriptEvent, ScriptEventSink, find, text_after
from app.host.scripts import call, call_with_deadline, extended_pattern, filled_script
from app.ssh.remote_line import shell_line
from app.ssh.upload import upload_error, upload_script
from app.tunnel.acquire import planned_step, step_line
from app.tunnel.apply_errors import build_error
from app.tunnel.audit import CHECK_NUMBER, CROSS_NUMBER, FILE_NUMBER, STEP_NUMBER, Ledger, Planned, numbered
from app.tunnel.messages import OTHER_THAN_REQUESTED, UNDO_WITH_STDIN, WRITE_FILE
from app.tunnel.preflight import used_interfaces
from app.tunnel.request import DeployRequest

APPLY_MARGIN_S = 30.0
SETTLE_S = 1.0
"""Time limit for a program to log the rest of what it negotiated, in seconds."""


@dataclass(frozen=True, slots=True)
class Building:
    """Inputs of a build on one host.

    Attributes:
        request: The requested tunnel.
        plan: Made with both public identities.
        tunnels: The random id of this work on each host.
        member: Which of several tunnels that are built side by side it is; None for the only one.
    """

    request: DeployRequest
    plan: TunnelPlan
    tunnels: Mapping[Side, str]
    member: int | None = None

    def numbered(self, number: int) -> str:
        """Return a number of this tunnel as the journal writes it."""
        return numbered(number, self.member)

    def arguments(self, host: RemoteHost) -> tuple[str, ...]:
        """Return the first arguments of every script that works on this tunnel on a host."""
        members = () if self.member is None else (str(self.member),)
        return (host.state_dir, self.tunnels[host.side], *members)


def apply(
    host: RemoteHost, building: Building, ledger: Ledger, *, token: CancelToken, on_event: ScriptEventSink
) -> tuple[ScriptEvent, ...]:
    """Run the steps on one host and wait until its side is up and frames cross.

    Args:
        building: What is to be built.
        ledger: Gets what was done.
        on_event: Gets `built` as soon as the last change has been made.

    Returns:
        The script's events.

    Raises:
        CommandFailed, DiskFull, TunnelDown, PreflightRefused: It did not work; nothing has been undone yet.
    """
    own = building.plan.on(host.side)
    files = _files(host, building, own, ledger)
    steps = [
        *(call("must_be_absent", name) for name in used_interfaces(building.request, own)),
        *_place_lines(building, own, ledger),
        *_step_lines(building, own, ledger),
    ]
    return run_apply(host, building, ledger, ApplyLines(files, steps), token=token, on_event=on_event)


@dataclass(frozen=True, slots=True)
class ApplyLines:
    """Parts of a script that builds one side, in this order, before it waits for the side to be up.

    Attributes:
        files: Files in the tunnel's own folder.
        steps: Lines that make the changes.
        is_awaited: Whether the script waits for the side afterwards.
        more_s: Time that lines other than the plan's steps may take, in s.
    """

    files: Sequence[FileToWrite]
    steps: Sequence[str]
    is_awaited: bool = True
    more_s: float = 0.0


def run_apply(
    host: RemoteHost,
    building: Building,
    ledger: Ledger,
    lines: ApplyLines,
    *,
    token: CancelToken,
    on_event: ScriptEventSink,
) -> tuple[ScriptEvent, ...]:
    """Run a script that builds one side, or builds it again; see `apply`."""
    own = building.plan.on(host.side)
    report = new_id()

    def take(words: tuple[str, ...]) -> None:
        on_event(words)
        ledger.take_event(words)
        if words == ("written",):
            _written(building, own, ledger)

    events, result = host.run_with_events(
        filled_script(
            "apply.sh",
            files=[upload_script(lines.files, report).decode()] if lines.files else [],
            steps=lines.steps,
            checks=_check_lines(building, host.side) if lines.is_awaited else [],
        ),
        building.arguments(host),
        word=building.tunnels[host.side],
        token=token,
        timeout_s=_limit_s(building, own) + lines.more_s,
        on_event=take,
    )
    if find(events, "failed", "files") is not None:
        raise upload_error(lines.files, result.stderr, report, host.label)
    if find(events, "finished") is None:
        raise build_error(host, building.plan, dict(_numbered_checks(building, own)), events, result, ledger)
    return events


def negotiated_text(
    host: RemoteHost, building: Building, events: tuple[ScriptEvent, ...], *, token: CancelToken
) -> str:
    """Return what one side reports as negotiated.

    The host matches a pattern as far as its grep can; if that matched too much too early, it is asked again.

    Raises:
        TunnelDown: It differs from the request.
    """
    own = building.plan.on(host.side)
    texts = {
        number: text_after(events, "check", number, name="stdout") for number, _ in _numbered_checks(building, own)
    }
    for number, check in _numbered_checks(building, own):
        until = time.monotonic() + SETTLE_S
        while check.stdout_pattern and not re.search(check.stdout_pattern, texts[number]):
            if time.monotonic() >= until:
                raise TunnelDown(
                    OTHER_THAN_REQUESTED(host=host.label, check=check.title),
                    context={"host": host.label, "output": printable(texts[number], limit=2000)},
                )
            token.sleep(0.1)
            texts[number] = host.session.run(check.command, token=token).stdout
    return printable(texts[_negotiated_number(building, own)], limit=2000) if own.negotiated is not None else ""


def negotiated_on_both(
    hosts: Mapping[Side, RemoteHost],
    building: Building,
    events: Mapping[Side, tuple[ScriptEvent, ...]],
    *,
    token: CancelToken,
) -> str:
    """Return what both sides report as negotiated, a line for each that reports anything; see `negotiated_text`."""
    texts = {side: negotiated_text(host, building, events[side], token=token) for side, host in hosts.items()}
    return "\n".join(f"{hosts[side].label}: {text}" for side, text in texts.items() if text)


def _files(host: RemoteHost, building: Building, own: EndpointPlan, ledger: Ledger) -> list[FileToWrite]:
    """Return what is written into the tunnel's own folder: the plan's files, those for elsewhere, and steps' stdin."""
    run_dir = building.request.link.run_dir
    files = list(own.files)
    for index, file in enumerate(files):
        if not is_inside(file.path, run_dir):
            files[index] = FileToWrite(_staged(run_dir, index), file.content, 0o600)
        else:
            ledger.plan(
                Planned(
                    building.numbered(FILE_NUMBER + index), WRITE_FILE(path=file.path), f"cat > {file.path}", "", 0.0
                )
            )
    for index, step in enumerate(own.steps):
        if step.command.stdin is not None:
            files.append(FileToWrite(stdin_path(run_dir, index), step.command.stdin, 0o600))
        if step.undo is not None and step.undo.stdin is not None:
            raise Bug(UNDO_WITH_STDIN(host=host.label, step=step.title))
    return files


def _written(building: Building, own: EndpointPlan, ledger: Ledger) -> None:
    for index, file in enumerate(own.files):
        if is_inside(file.path, building.request.link.run_dir):
            ledger.done(building.numbered(FILE_NUMBER + index), 0)


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path lies below a folder."""
    return path.startswith(f"{folder}/")


def _staged(run_dir: str, index: int) -> str:
    return f"{run_dir}/.file-{index}"


def stdin_path(run_dir: str, index: int) -> str:
    """Return where what a step reads from its stdin waits for it."""
    return f"{run_dir}/.stdin-{index}"


def _place_lines(building: Building, own: EndpointPlan, ledger: Ledger) -> list[str]:
    """Files outside the tunnel's folder are written down in the journal before they are put in place."""
    lines: list[str] = []
    run_dir = building.request.link.run_dir
    for index, file in enumerate(own.files):
        if is_inside(file.path, run_dir):
            continue
        number, staged, mode = building.numbered(FILE_NUMBER + index), _staged(run_dir, index), f"{file.mode:04o}"
        undo = shell_line(["rm", "-f", "--", file.path])
        ledger.plan(Planned(number, WRITE_FILE(path=file.path), f"cat > {file.path}", undo, 10.0))
        lines.append(call("place", number, staged, mode, file.path, undo))
    return lines


def _step_lines(building: Building, own: EndpointPlan, ledger: Ledger) -> list[str]:
    lines: list[str] = []
    for index, step in enumerate(own.steps):
        planned = planned_step(building.numbered(STEP_NUMBER + index), step)
        ledger.plan(planned)
        if step.command.stdin is None:
            lines.append(step_line(planned, step))
        else:
            path = stdin_path(building.request.link.run_dir, index)
            lines += [step_line(planned, step, stdin_path=path), shell_line(["rm", "-f", "--", path])]
    return lines


def _numbered_checks(building: Building, own: EndpointPlan) -> list[tuple[str, UpCheck]]:
    checks = [(building.numbered(CHECK_NUMBER + index), check) for index, check in enumerate(own.up_checks)]
    if own.negotiated is not None:
        checks.append((_negotiated_number(building, own), own.negotiated))
    return checks


def _negotiated_number(building: Building, own: EndpointPlan) -> str:
    return building.numbered(CHECK_NUMBER + len(own.up_checks))


def _check_lines(building: Building, side: Side) -> list[str]:
    """First the program's own word that it is up, then frames across, then what was negotiated."""
    own = building.plan.on(side)
    lines = [call("set_deadline", whole_seconds(building.plan.up_timeout_s))]
    if own.log_paths:  # there are daemons, whose end is noticed at once
        lines.append(call("expect_daemons"))
    if own.fatal_log_pattern:
        lines.append(call("hopeless_at", own.fatal_log_pattern, *own.log_paths))
    checks = [_check_line(number, check) for number, check in _numbered_checks(building, own)]
    negotiated = [checks.pop()] if own.negotiated is not None else []
    return [*lines, *checks, *_cross_lines(building, side), *negotiated]


def _check_line(number: str, check: UpCheck) -> str:
    return call_with_deadline("check", number, extended_pattern(check.stdout_pattern), *check.command.argv)


def _cross_lines(building: Building, side: Side) -> list[str]:
    own = building.plan.on(side)
    if not own.interface:
        return []
    peer = building.plan.probe_address(side.other)
    ping = ping_once(building.request, side, own.interface, peer)
    return [call_with_deadline("cross", building.numbered(CROSS_NUMBER), own.interface, peer, *ping)]


def ping_once(request: DeployRequest, side: Side, interface: str, address: str, wait_s: float = 0.5) -> tuple[str, ...]:
    """Return a command that succeeds if an address answers soon.

    Args:
        request: Says which ping the host has.
        side: The host.
        interface: By which it is sent.
        address: Who is to answer.
        wait_s: How long an answer may take; BusyBox waits for whole seconds.

    Source: ping(8) of iputils 20240905 (-W takes fractions since s20200821); BusyBox 1.35 ping takes whole seconds.
    """
    tool = request.facts(side).tools.get("ping")
    is_iputils = tool is not None and tool.flavour is ToolFlavour.IPUTILS
    wait = ("-n", "-W", f"{wait_s:g}") if is_iputils else ("-W", str(math.ceil(wait_s)))
    return ("ping", "-c", "1", *wait, "-I", interface, address)


def _limit_s(building: Building, own: EndpointPlan) -> float:
    steps_s = sum(step.command.timeout_s + step.forward_retry_s for step in own.steps)
    checks_s = sum(check.command.timeout_s for _, check in _numbered_checks(building, own))
    return steps_s + checks_s + building.plan.up_timeout_s + APPLY_MARGIN_S
