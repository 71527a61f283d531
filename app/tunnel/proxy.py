"""A performance-enhancing proxy on a gateway: it splits TCP connections inside or outside of a tunnel."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.link import MEASURING_PORTS, WORKLOAD_PORT_STEP, Link
from app.domain.script_files import bare_script
from app.domain.topology import ProxyPlace, Topology, node_addresses
from app.tunnel.messages import (
    PROXY_ON_BRIDGE,
    PROXY_WITHOUT_NODES,
    PROXY_WITHOUT_TCP,
    START_INNER_PROXY,
    START_OUTER_PROXY,
)
from app.tunnel.nodes import notes_dir

PROXY_SIDE = Side.B
"""Gateway that has the proxy: the sender's. Source: the satellite study's figures are of a download."""

_MARK = 0x746D
"""Mark of the proxy's own packets, which are not sent to it again. Source: our choice."""

_PROGRAM = bare_script("nodes/proxy.pl")
_UP = bare_script("nodes/proxy-up.sh")
_DOWN = bare_script("nodes/proxy-down.sh")
_STEP_S = 60.0


def proxy_log(link: Link) -> str:
    """Return the file on the gateway in which the proxy writes down each connection that it split."""
    return f"{link.run_dir}/proxy.log"


def why_no_proxy(plan: TunnelPlan, topology: Topology, place: ProxyPlace) -> str:
    """Return why a proxy cannot be had, as a sentence; empty where it can."""
    if place is ProxyPlace.NONE:
        return ""
    if topology is Topology.PAIR:
        return PROXY_WITHOUT_NODES()
    if topology is Topology.BRIDGED_NODES:
        return PROXY_ON_BRIDGE()
    if place is ProxyPlace.OUTSIDE and not any(protocol == "tcp" for protocol, _ in plan.a.listens):
        return PROXY_WITHOUT_TCP(solution=plan.solution)
    return ""


@dataclass(frozen=True, slots=True)
class ProxySteps:
    """Implements `PlanExtension`: a proxy on the sender's gateway.

    Inside, it is started after the nodes; outside, before the VPN, so that the tunnel's own connection goes through it.

    Attributes:
        topology: Routed nodes, which the plan has already.
        place: Where it splits connections.
        congestion: Congestion control that it sets for its sockets, as the kernel names it; empty for the host's.
    """

    topology: Topology
    place: ProxyPlace
    congestion: str = ""

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan with the proxy.

        Raises:
            InvalidPlan: No proxy can be had there; the message says why.
        """
        if self.place is ProxyPlace.NONE:
            return plan
        reason = why_no_proxy(plan, self.topology, self.place)
        if reason:
            raise InvalidPlan(reason)
        own = plan.on(PROXY_SIDE)
        inside = self.place is ProxyPlace.INSIDE
        chain, rule = ("prerouting", _nodes_rule(link)) if inside else ("output", _tunnel_rule(plan, link))
        step = _step(link, self.congestion, chain, rule)
        steps = (*own.steps, step) if inside else (step, *own.steps)
        program = FileToWrite(f"{link.run_dir}/proxy.pl", _PROGRAM.encode(), 0o600)
        changed: EndpointPlan = replace(own, files=(*own.files, program), steps=steps)
        return replace(plan, b=changed)


def _nodes_rule(link: Link) -> tuple[str, ...]:
    """Return the match of connections between the nodes to the ports of measurements."""
    networks = "{ " + ", ".join(node_addresses(link, Topology.ROUTED_NODES, side).network for side in Side) + " }"
    first = link.names.iperf_port
    ports = f"{{ {first}-{first + MEASURING_PORTS - 1} }}"
    return ("ip", "saddr", networks, "ip", "daddr", networks, "tcp", "dport", ports)


def _tunnel_rule(plan: TunnelPlan, link: Link) -> tuple[str, ...]:
    """Return the match of the tunnel's own connection."""
    ports = ", ".join(str(port) for protocol, port in plan.a.listens if protocol == "tcp")
    return ("ip", "daddr", link.underlay(PROXY_SIDE.other), "tcp", "dport", f"{{ {ports} }}")


def _step(link: Link, congestion: str, chain: str, rule: tuple[str, ...]) -> PlanStep:
    table = f"tunnelmark_proxy_{link.names.ethernet_interface}"
    port = str(link.names.iperf_port + WORKLOAD_PORT_STEP)
    notes = notes_dir(link, table)
    return PlanStep(
        title=START_INNER_PROXY() if chain == "prerouting" else START_OUTER_PROXY(),
        command=Command(
            shell_step_argv(_UP, notes, link.run_dir, port, str(_MARK), table, congestion, chain, *rule),
            timeout_s=_STEP_S,
            is_root=True,
        ),
        undo=Command(shell_step_argv(_DOWN, notes, f"{link.run_dir}/proxy.pl", table), timeout_s=_STEP_S, is_root=True),
    )
