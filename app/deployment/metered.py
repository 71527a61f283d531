"""Warnings of a metered deployment: what of it sends often all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.deployment.choice import DeploymentChoice
from app.deployment.lan.guard import guard_table
from app.deployment.messages import LOOP_GUARD_SENDS, VPN_SENDS_OFTEN
from app.domain.deployment import DeploymentObstacle
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest


def metered_warnings(choice: DeploymentChoice, request: DeployRequest) -> Iterator[DeploymentObstacle]:
    """Yield what costs data while a metered tunnel is idle; nothing of a wired one."""
    if request.keepalive is not Keepalive.METERED:
        return
    plan, as_wired = plan_of(request), plan_of(replace(request, keepalive=Keepalive.WIRED))
    if all(plan.on(side) == as_wired.on(side) for side in Side):
        what = VPN_SENDS_OFTEN(title=choice.title)
        yield DeploymentObstacle(None, what, what.hint, is_blocking=False)
    table = guard_table(request.link)
    if any(table in step.command.argv for side in Side for step in plan.on(side).steps):
        yield DeploymentObstacle(None, LOOP_GUARD_SENDS(), "", is_blocking=False)
