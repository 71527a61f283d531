"""Restart of a provisional deployment from its boot bundle, as its hosts will start it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_dir, boot_bundle_files
from app.deployment.messages import STEP_START_AGAIN, STEP_TAKE_DOWN
from app.domain.adapters import PlanStep, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.host.parallel import on_both
from app.host.script_events import ScriptEvent
from app.tunnel.acquire import planned_step, step_line
from app.tunnel.apply import ApplyLines, Building, negotiated_on_both, run_apply
from app.tunnel.request import DeployRequest
from app.tunnel.transaction import Transaction

STOP_NUMBER, RESTART_NUMBER = "0700", "0701"
RESTART_MARGIN_S = 30.0


def restart_from_bundle(
    work: Transaction, request: DeployRequest, plan: TunnelPlan, deployment_id: str, slot: str, *, token: CancelToken
) -> str:
    """Write the boot bundles, stop both sides with them, then start both, and wait until they are up.

    Args:
        plan: Its plan, with both public keys.

    Returns:
        What both sides report as negotiated.

    Raises:
        CommandFailed, DiskFull, TunnelDown: It did not work; the hosts must be rolled back.
    """
    # Its files are there already, and are not written a second time.
    own = replace(plan, a=replace(plan.a, files=()), b=replace(plan.b, files=()))
    building = Building(request, own, work.ids)
    folder = boot_bundle_dir(work.hosts[Side.A].state_dir)

    def stop(side: Side, child: CancelToken) -> None:
        # What cannot be stopped, starting will report.
        bundle = BootBundleRequest(request, plan, side, deployment_id, slot, work.ids[side])
        step = _step(plan, side, STEP_TAKE_DOWN(), ("sh", f"{folder}/lasting.sh", "halt"))
        _run(work, building, side, STOP_NUMBER, step, boot_bundle_files(bundle, folder), token=child)

    def start(side: Side, child: CancelToken) -> tuple[ScriptEvent, ...]:
        title = STEP_START_AGAIN()
        step = _step(plan, side, title, ("sh", f"{folder}/lasting.sh", "restart"))
        return _run(work, building, side, RESTART_NUMBER, step, (), token=child)

    # Neither side may connect to what is about to stop on the other one.
    on_both(stop, token=token)
    with work.timed("connect"):
        events = on_both(start, token=token)
    return negotiated_on_both(work.hosts, building, events, token=token)


def _step(plan: TunnelPlan, side: Side, title: str, argv: tuple[str, ...]) -> PlanStep:
    steps = plan.on(side).steps
    undos_s = sum(step.undo.timeout_s for step in steps if step.undo is not None)
    limit_s = undos_s + sum(step.command.timeout_s for step in steps) + RESTART_MARGIN_S
    return PlanStep(title, Command(argv, timeout_s=limit_s, is_root=True), None)


def _run(
    work: Transaction,
    building: Building,
    side: Side,
    number: str,
    step: PlanStep,
    files: Sequence[FileToWrite],
    *,
    token: CancelToken,
) -> tuple[ScriptEvent, ...]:
    planned = planned_step(number, step)
    work.ledgers[side].plan(planned)
    lines = ApplyLines(files, [step_line(planned, step)], is_awaited=number == RESTART_NUMBER)
    return run_apply(work.hosts[side], building, work.ledgers[side], lines, token=token, on_event=lambda _words: None)
