"""One node behind each gateway of a tunnel: steps that make it, with their undo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, Link
from app.domain.script_files import bare_script
from app.domain.topology import Topology, node_addresses, node_mac
from app.tunnel.messages import BARE_LINK_BRIDGED, MAKE_NODE_BEHIND, MAKE_NODE_ON_BRIDGE

_ROUTED = bare_script("nodes/routed.sh")
_BRIDGED = bare_script("nodes/bridged.sh")
_REMOVE = bare_script("nodes/remove.sh")
_STEP_S = 60.0
"""Time limit of a step in seconds; on a busy computer a gateway took 20 s for one."""


def notes_dir(link: Link, name: str) -> str:
    """Return where a host keeps what it made of a node: not in the tunnel's own folder.

    That one is removed even where an undo fails, which would then find nothing to undo when it is tried again.
    """
    return f"{link.run_dir.rpartition('/')[0]}/nodes/{name}"


def node_mtu_bytes(plan: TunnelPlan) -> int:
    """Return the MTU of nodes with which no frame is cut into two packets on the underlay."""
    whole = plan.largest_unfragmented_frame_bytes
    return plan.inner_mtu_bytes if whole is None else min(plan.inner_mtu_bytes, whole - ETHERNET_HEADER_BYTES)


@dataclass(frozen=True, slots=True)
class NodeSteps:
    """Implements `PlanExtension`: nodes behind both gateways, made after the VPN's last step.

    Attributes:
        topology: Routed or bridged nodes.
    """

    topology: Topology

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan with nodes.

        Raises:
            InvalidPlan: The bare link joins no networks, so that nothing can be bridged.
        """
        if self.topology is Topology.PAIR:
            return plan
        return replace(plan, a=self._endpoint(plan, link, Side.A), b=self._endpoint(plan, link, Side.B))

    def _endpoint(self, plan: TunnelPlan, link: Link, side: Side) -> EndpointPlan:
        own = plan.on(side)
        if self.topology is Topology.ROUTED_NODES:
            return replace(own, steps=(*own.steps, _routed_step(plan, link, side)))
        if not own.interface:
            raise InvalidPlan(BARE_LINK_BRIDGED())
        bridge = f"{link.names.ethernet_interface}br"
        return replace(own, steps=(*own.steps, _bridged_step(plan, link, side, bridge)), interface=bridge)


def _routed_step(plan: TunnelPlan, link: Link, side: Side) -> PlanStep:
    node = node_addresses(link, Topology.ROUTED_NODES, side)
    peer = node_addresses(link, Topology.ROUTED_NODES, side.other)
    arguments = (
        *(node.namespace, node.gateway, node.node, str(node_mtu_bytes(plan))),
        *(peer.network, plan.probe_address(side.other), plan.on(side).interface, notes_dir(link, node.namespace)),
    )
    return _step(MAKE_NODE_BEHIND(node=node.node_ip), _ROUTED, arguments, node.namespace, link)


def _bridged_step(plan: TunnelPlan, link: Link, side: Side, bridge: str) -> PlanStep:
    node = node_addresses(link, Topology.BRIDGED_NODES, side)
    arguments = (
        *(node.namespace, bridge, node.node, str(plan.inner_mtu_bytes)),
        *(plan.on(side).interface, link.inner(side), notes_dir(link, node.namespace), node_mac(side)),
    )
    return _step(MAKE_NODE_ON_BRIDGE(node=node.node_ip, bridge=bridge), _BRIDGED, arguments, node.namespace, link)


def _step(title: str, script: str, arguments: tuple[str, ...], namespace: str, link: Link) -> PlanStep:
    return PlanStep(
        title=title,
        command=Command(shell_step_argv(script, *arguments), timeout_s=_STEP_S, is_root=True),
        undo=Command(shell_step_argv(_REMOVE, namespace, notes_dir(link, namespace)), timeout_s=_STEP_S, is_root=True),
    )
