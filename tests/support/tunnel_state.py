"""Whether a tunnel that a test built is still up."""

from __future__ import annotations

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import EnvironmentFault
from app.domain.hosts import Side
from app.host.parallel import on_both
from app.tunnel import ActiveTunnel
from app.tunnel.apply import ping_once

_ANSWER_S = 5.0


def still_up(tunnel: ActiveTunnel) -> bool:
    """Ask both hosts whether a tunnel answers; False also where a host cannot be asked.

    An answer may take seconds on a busy computer, where a comparison would not wait for it.
    """

    def is_end_up(side: Side, token: CancelToken) -> bool:
        own = tunnel.plan.on(side)
        commands = [check.command for check in own.up_checks]
        if own.interface:
            ping = ping_once(tunnel._request, side, own.interface, tunnel.plan.probe_address(side.other), _ANSWER_S)
            commands.append(Command(ping, timeout_s=_ANSWER_S + 30.0, is_root=True))
        results = tunnel._hosts[side].session.run_batch(commands, token=token, should_stop_at_failure=True)
        return all(result.is_ok for result in results)

    if tunnel.lost:
        return False
    try:
        return all(on_both(is_end_up, token=CancelToken()).values())
    except EnvironmentFault:
        return False
