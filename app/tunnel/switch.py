"""Change of a running tunnel's suite in place.

On both hosts at the same time: what depends on the suite is undone, newest first; once both have done so, the new
files are written, what depends on the suite is done again, and the side is verified like a new one. Neither side
starts before the other has stopped: a new client that met the old server would wait a minute for its answers. The
journal is not changed meanwhile: its entries undo the new suite as they would have undone the old one, so that a
host that loses contact in the middle rolls back as usual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.adapters import PlanStep, PublicIdentity, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.host.parallel import on_both
from app.host.remote_host import RemoteHost, whole_seconds
from app.host.script_events import ScriptEvent, find
from app.host.scripts import call, filled_script
from app.ssh.remote_line import shell_line
from app.tunnel.acquire import planned_step, step_line
from app.tunnel.apply import (
    ApplyLines,
    Building,
    is_inside,
    negotiated_on_both,
    run_apply,
    stdin_path,
)
from app.tunnel.apply_errors import build_error
from app.tunnel.audit import STEP_NUMBER, Ledger, Planned
from app.tunnel.messages import (
    NOTHING_REPEATABLE,
    OTHER_FILES,
    OTHER_KEY,
    OTHER_PORTS,
    OTHER_STEPS,
    SECRET_OF_ONE_SUITE,
)
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest

BACK_MARGIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Repeated:
    """A step that is undone and done again.

    Attributes:
        index: Its place among the steps of its side.
        planned: Its entry in the ledger.
        step: The step.
    """

    index: int
    planned: Planned
    step: PlanStep


@dataclass(frozen=True, slots=True)
class Switcher:
    """Inputs of a switch, from the transaction that built the tunnel.

    Attributes:
        hosts: The hosts.
        tunnels: The random id of this work on each host.
        ledgers: Get what was done.
        identities: The keys' public parts, which do not change.
        member: Which of several tunnels that are up side by side it is; None for the only one.
    """

    hosts: Mapping[Side, RemoteHost]
    tunnels: Mapping[Side, str]
    ledgers: Mapping[Side, Ledger]
    identities: Mapping[Side, PublicIdentity]
    member: int | None = None

    def process_tag(self, side: Side) -> str:
        """Return what every process of the tunnel on one host has in its environment."""
        if self.member is None:
            return f"TUNNELMARK_TUNNEL={self.tunnels[side]}"
        return f"TUNNELMARK_MEMBER={self.tunnels[side]}-{self.member}"

    def plan(self, request: DeployRequest) -> TunnelPlan:
        """Return the plan of another suite with the keys that are there."""
        return plan_of(request, self.identities[Side.A], self.identities[Side.B])

    def switch(self, request: DeployRequest, plan: TunnelPlan, *, token: CancelToken) -> str:
        """Switch both sides.

        Args:
            request: With the new suite.
            plan: For it.
            token: Cancels it; the tunnel then has neither suite, and can be switched again or rolled back.

        Returns:
            What both sides report as negotiated.

        Raises:
            TunnelDown, CommandFailed, DiskFull: It did not work; the same holds.
        """
        building = Building(request, plan, self.tunnels, self.member)

        return self.repeat(building, {side: _per_suite(building, side) for side in Side}, token=token)

    def repeat(self, building: Building, steps: Mapping[Side, Sequence[Repeated]], *, token: CancelToken) -> str:
        """Undo steps on both sides, do them again, and verify both sides like new ones; see `switch`."""

        def back(side: Side, child: CancelToken) -> None:
            undo_steps(self.hosts[side], building, self.ledgers[side], steps[side], token=child)

        def work(side: Side, child: CancelToken) -> tuple[ScriptEvent, ...]:
            return rebuild(self.hosts[side], building, self.ledgers[side], steps[side], token=child)

        on_both(back, token=token)
        events = on_both(work, token=token)
        return negotiated_on_both(self.hosts, building, events, token=token)


def undo_steps(
    host: RemoteHost, building: Building, ledger: Ledger, steps: Sequence[Repeated], *, token: CancelToken
) -> None:
    """Undo steps on one side, newest first; see `Switcher.switch`."""
    script = filled_script("undo-suite.sh", steps=undo_lines(steps, ledger))
    word, limit_s = building.tunnels[host.side], BACK_MARGIN_S + undo_limit_s(steps)
    events, result = host.run_with_events(script, building.arguments(host), word=word, token=token, timeout_s=limit_s)
    for event in events:
        take_undone(event.words, ledger)
    if find(events, "finished") is None:
        raise build_error(host, building.plan, {}, events, result, ledger)


def undo_lines(steps: Sequence[Repeated], ledger: Ledger) -> list[str]:
    """Return the lines that undo steps, newest first."""
    lines: list[str] = []
    for one in steps:
        ledger.plan(one.planned)
        undo = one.step.undo
        if undo is not None:
            lines.insert(0, call("undo_step", one.planned.number, whole_seconds(undo.timeout_s), *undo.argv))
    return lines


def undo_limit_s(steps: Sequence[Repeated]) -> float:
    """Return how long undoing steps may take at most, in s."""
    return sum(one.step.undo.timeout_s for one in steps if one.step.undo is not None)


def take_undone(words: Sequence[str], ledger: Ledger) -> None:
    """Write down that a step was undone, where a script reports that."""
    if words[0] == "back" and len(words) == 3 and words[2].isdecimal():
        ledger.undone(words[1], int(words[2]))


def rebuild(
    host: RemoteHost,
    building: Building,
    ledger: Ledger,
    steps: Sequence[Repeated],
    *,
    token: CancelToken,
) -> tuple[ScriptEvent, ...]:
    """Do steps again on one side; see `Switcher.switch`."""
    files, lines = again_lines(building, host.side, steps)
    return run_apply(host, building, ledger, ApplyLines(files, lines), token=token, on_event=lambda _words: None)


def again_lines(building: Building, side: Side, steps: Sequence[Repeated]) -> tuple[list[FileToWrite], list[str]]:
    """Return the files that are written, and the lines that do steps again."""
    own, run_dir = building.plan.on(side), building.request.link.run_dir
    files = [file for file in own.files if is_inside(file.path, run_dir)]
    lines: list[str] = []
    for one in steps:
        lines += _again(one.planned, one.step, stdin_path(run_dir, one.index), files)
    return files, lines


def why_not_switch(old: DeployRequest, old_plan: TunnelPlan, new: DeployRequest, new_plan: TunnelPlan) -> str:
    """Return why a running tunnel cannot get another suite, as a sentence; empty where it can.

    Args:
        old: The request that the tunnel was built from.
        old_plan: The running tunnel's plan.
        new: The same with the new suite.
    """
    for side in Side:
        label = old.label(side)
        own, other = old_plan.on(side), new_plan.on(side)
        if own.interface != other.interface or sorted(own.listens) != sorted(other.listens):
            return OTHER_PORTS(host=label)
        if not any(step.depends_on_suite for step in own.steps):
            return NOTHING_REPEATABLE(host=label)
        if [_fixed(step) for step in own.steps] != [_fixed(step) for step in other.steps]:
            return OTHER_STEPS(host=label)
        if [_outline(old, file) for file in own.files] != [_outline(new, file) for file in other.files]:
            return OTHER_FILES(host=label)
        recipe = old.adapter.identity(old.plan_request(), side)
        if recipe.shared or recipe.encapsulated:
            return SECRET_OF_ONE_SUITE()
        if recipe != new.adapter.identity(new.plan_request(), side):
            return OTHER_KEY(host=label)
    return ""


def _fixed(step: PlanStep) -> tuple[object, ...]:
    """Return what must be the same for both suites: of what is done again, only its undo."""
    return (True, step.undo) if step.depends_on_suite else (False, step)


def _outline(request: DeployRequest, file: FileToWrite) -> tuple[object, ...]:
    """Return what must be the same of a file. One outside of the tunnel's own folder is never written over."""
    if is_inside(file.path, request.link.run_dir):
        return file.path, file.mode
    return file.path, file.mode, file.content


def _per_suite(building: Building, side: Side) -> list[Repeated]:
    steps = building.plan.on(side).steps
    return repeated(building, side, [index for index, step in enumerate(steps) if step.depends_on_suite])


def repeated(building: Building, side: Side, indexes: Sequence[int]) -> list[Repeated]:
    """Return the steps at some places of one side, with their entries in the ledger."""
    steps = building.plan.on(side).steps
    return [
        Repeated(index, planned_step(building.numbered(STEP_NUMBER + index), steps[index]), steps[index])
        for index in indexes
    ]


def _again(planned: Planned, step: PlanStep, path: str, files: list[FileToWrite]) -> list[str]:
    """Return the lines that do a step again; its entry in the journal is there already, so none is written."""
    unwritten = replace(planned, undo="")
    if step.command.stdin is None:
        return [step_line(unwritten, step)]
    files.append(FileToWrite(path, step.command.stdin, 0o600))
    return [step_line(unwritten, step, stdin_path=path), shell_line(["rm", "-f", "--", path])]
