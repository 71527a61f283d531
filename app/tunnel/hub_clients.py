"""Clients of a hub: namespaces on B with addresses that A reaches through B, made with their undo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.hubs import (
    MAX_CLIENTS,
    client_bridge,
    client_prefix,
    clients_gateway,
    clients_network,
    first_client,
    outage_program,
)
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.tunnel.messages import MAKE_HUB_CLIENTS, ROUTE_TO_CLIENTS, TOO_MANY_CLIENTS
from app.tunnel.nodes import notes_dir

_MAKE = bare_script("nodes/clients.sh")
_REMOVE = bare_script("nodes/clients-remove.sh")
_ROUTE = bare_script("nodes/route.sh")
_OUTAGE = bare_script("nodes/outage.pl")
_UNROUTE = bare_script("nodes/route-remove.sh")
_STEP_S, _EACH_S = 30.0, 2.0
"""Time limit of a step in seconds, and for each client in addition."""


@dataclass(frozen=True, slots=True)
class HubClients:
    """Implements `PlanExtension`: namespaces for clients on B, and A's route to them, before the VPN's first step.

    Attributes:
        count: Number of clients.
    """

    count: int

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan with clients.

        Raises:
            InvalidPlan: There are more than their network has addresses for.
        """
        if not 0 < self.count <= MAX_CLIENTS:
            raise InvalidPlan(TOO_MANY_CLIENTS(count=self.count, limit=MAX_CLIENTS))
        route, make = self._route(link), self._clients(link)
        program = FileToWrite(outage_program(link), _OUTAGE.encode(), 0o600)
        return replace(
            plan,
            a=replace(plan.a, steps=(route, *plan.a.steps)),
            b=replace(plan.b, steps=(make, *plan.b.steps), files=(*plan.b.files, program)),
        )

    def _route(self, link: Link) -> PlanStep:
        words = clients_network(link), link.underlay(Side.B), notes_dir(link, client_bridge(link))
        return _step(ROUTE_TO_CLIENTS(network=words[0]), _ROUTE, words, (_UNROUTE, *words), _STEP_S)

    def _clients(self, link: Link) -> PlanStep:
        bridge = client_bridge(link)
        notes = notes_dir(link, bridge)
        words = (
            *(client_prefix(link), str(self.count), bridge, clients_gateway(link), first_client(link)),
            *(str(link.underlay_mtu_bytes), link.underlay(Side.A), notes),
        )
        title = MAKE_HUB_CLIENTS(count=self.count)
        return _step(title, _MAKE, words, (_REMOVE, bridge, notes), _STEP_S + _EACH_S * self.count)


def _step(title: str, script: str, words: tuple[str, ...], undo: tuple[str, ...], limit_s: float) -> PlanStep:
    return PlanStep(
        title=title,
        command=Command(shell_step_argv(script, *words), timeout_s=limit_s, is_root=True),
        undo=Command(shell_step_argv(*undo), timeout_s=limit_s, is_root=True),
    )
