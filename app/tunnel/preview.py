"""Preview of a tunnel: every file and command on both hosts, before anything is changed, and for the report."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.adapters import EncapsulatedSecret, PlanStep, TunnelPlan
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.results import PlannedItem
from app.ssh.remote_line import shell_line
from app.tunnel.audit import undo_line
from app.tunnel.messages import (
    COMMAND_WITH_INPUT,
    DERIVE_SECRET,
    LOCK_AND_START_TIMER,
    PUBLIC_INPUT,
    ROLL_BACK_BY_HAND,
    SECRET_INPUT,
    SECRET_OF_HOST,
    UNDO_OF,
)
from app.tunnel.plan import plan_of, recipe_of
from app.tunnel.preflight import state_dir_of
from app.tunnel.request import DeployRequest


def preview(request: DeployRequest) -> tuple[PlannedItem, ...]:
    """Return what would be done on both hosts. Nothing is touched; what stands for keys is not valid for any program.

    Returns:
        Items in the order in which they are done, A's first, each command with its undo.

    Raises:
        InvalidPlan: The adapter cannot build this.
    """
    return configuration_of(request, plan_of(request))


def configuration_of(request: DeployRequest, plan: TunnelPlan) -> tuple[PlannedItem, ...]:
    """Return a plan for people; no secret is in it."""
    return tuple(item for side in Side for item in _side_items(request, plan, side))


def _side_items(request: DeployRequest, plan: TunnelPlan, side: Side) -> Iterator[PlannedItem]:
    own = plan.on(side)
    if not own.interface and not own.steps and not own.files:
        return
    state_dir = state_dir_of(request)
    yield PlannedItem(
        side.value,
        "command",
        LOCK_AND_START_TIMER(),
        f"mkdir -m 700 {state_dir} && sh {state_dir}/watch.sh &",
    )
    yield PlannedItem(side.value, "undo", ROLL_BACK_BY_HAND(), f"sh {state_dir}/undo.sh")
    for step in recipe_of(request, side).steps:
        yield from _step_items(side, step)
    for secret in recipe_of(request, side.other).shared:
        where = SECRET_OF_HOST(side=side.other.upper())
        yield PlannedItem(side.value, "file", secret.path, where)
    for derived, command in _derivations(request, side):
        line = COMMAND_WITH_INPUT(command=shell_line(command.argv), input=PUBLIC_INPUT())
        yield PlannedItem(side.value, "command", DERIVE_SECRET(secret=derived.title), line)
    for file in own.files:
        yield PlannedItem(side.value, "file", file.path, file.content.decode("utf-8", errors="replace"))
    for step in own.steps:
        yield from _step_items(side, step)


def _derivations(request: DeployRequest, side: Side) -> Iterator[tuple[EncapsulatedSecret, Command]]:
    """Yield what a side runs to derive secrets: from the other host's key, and from its own."""
    yield from ((one, one.encapsulate) for one in recipe_of(request, side.other).encapsulated)
    yield from ((one, one.decapsulate) for one in recipe_of(request, side).encapsulated)


def _step_items(side: Side, step: PlanStep) -> Iterator[PlannedItem]:
    yield PlannedItem(side.value, "command", step.title, _text(step.command))
    if step.undo is not None:
        yield PlannedItem(side.value, "undo", UNDO_OF(title=step.title), undo_line(step.undo))


def _text(command: Command) -> str:
    line = shell_line(command.argv)
    return COMMAND_WITH_INPUT(command=line, input=SECRET_INPUT()) if command.stdin is not None else line
