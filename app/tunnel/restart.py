"""Restart of a running tunnel's VPN on one host alone, while that of the other host keeps running.

All that the VPN has on a host is undone, newest step first, and done again from the same files and keys, as a
deployment's supervisor starts a tunnel again. Firewall tables that can be made at any time remain: a guard closes the
gap meanwhile. So does what was made before the VPN's first step (a condition of the link, settings of the host).

The journal is not changed, as in a switch: its entries undo what is there, however far the restart came.
"""

from __future__ import annotations

from app.domain.adapters import TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.tunnel.apply import ApplyLines, Building, run_apply
from app.tunnel.request import DeployRequest
from app.tunnel.switch import Repeated, Switcher, again_lines, repeated, take_undone, undo_limit_s, undo_lines


def restart_one(
    switcher: Switcher, request: DeployRequest, plan: TunnelPlan, side: Side, *, token: CancelToken
) -> None:
    """End the VPN on one host and start it again.

    Nothing waits for frames to cross, or for the peer, except steps that do so by themselves.

    Raises:
        TunnelDown, CommandFailed, DiskFull: It did not work; `restart_both` builds the tunnel again.
        ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
    """
    building = Building(request, plan, switcher.tunnels, switcher.member)
    ledger, steps = switcher.ledgers[side], _steps(switcher, building, side)
    files, again = again_lines(building, side, steps)
    # One script: the outage does not contain a round trip of SSH.
    lines = ["stop_orphans", *undo_lines(steps, ledger), *again]
    made = ApplyLines(files, lines, is_awaited=False, more_s=undo_limit_s(steps))
    run_apply(
        *(switcher.hosts[side], building, ledger, made),
        token=token,
        on_event=lambda words: take_undone(words, ledger),
    )


def restart_both(switcher: Switcher, request: DeployRequest, plan: TunnelPlan, *, token: CancelToken) -> str:
    """End the VPN on both hosts, start it again, and verify both sides like new ones.

    Returns:
        What both sides report as negotiated.

    Raises:
        TunnelDown, CommandFailed, DiskFull: It did not work.
        ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
    """
    building = Building(request, plan, switcher.tunnels, switcher.member)
    return switcher.repeat(building, {side: _steps(switcher, building, side) for side in Side}, token=token)


def _steps(switcher: Switcher, building: Building, side: Side) -> list[Repeated]:
    request, identities = building.request, switcher.identities
    own = request.adapter.plan(request.plan_request(identities[Side.A], identities[Side.B])).on(side).steps
    steps = building.plan.on(side).steps
    first = next((index for index, step in enumerate(steps) if step in own), len(steps))
    return repeated(building, side, [at for at, step in enumerate(steps) if at >= first and not step.is_repeatable])
