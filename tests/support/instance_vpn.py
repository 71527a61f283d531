"""A made-up VPN of which several tunnels can be up side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import PlanRequest, PlanStep, TunnelPlan
from app.domain.hosts import Side
from support.made_up_vpn import MadeUpVpn, daemon_step, link_step, step


@dataclass
class InstanceVpn(MadeUpVpn):
    """A made-up VPN that goes by the names of its link; `last` is one more step on B, `start` starts another daemon."""

    last: PlanStep | None = None
    start: str = ""
    port: int | None = None

    def plan(self, request: PlanRequest) -> TunnelPlan:
        names = request.link.names
        run_dir = request.link.run_dir
        daemon = daemon_step(run_dir, self.start) if self.start else daemon_step(run_dir)
        own = (link_step(names.ethernet_interface), daemon)
        more = (self.last,) if self.last is not None else ()
        steps = {Side.A: own, Side.B: (*own, *more)}
        own_vpn = MadeUpVpn(
            interface=names.ethernet_interface,
            steps=steps,
            up_checks=self.up_checks,
            up_timeout_s=self.up_timeout_s,
        )
        made = own_vpn.plan(request)
        listens = (("udp", self.port or names.udp_port),)
        return replace(made, a=replace(made.a, listens=listens), b=replace(made.b, listens=listens))


def failing_vpn() -> InstanceVpn:
    """Return one whose last step on B fails."""
    return InstanceVpn(last=step("Fail", "echo went wrong; exit 7", "true"))
