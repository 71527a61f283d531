"""One node behind each gateway of a tunnel: steps that make it on the gateway, with their undo.

A node is a network namespace on the gateway, or a machine of its own behind one of the gateway's interfaces. Of a
machine these are the gateway's steps; its own are in `app.tunnel.node_machines`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import Command
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, Link
from app.domain.script_files import bare_script
from app.domain.topology import Topology, node_addresses, node_mac
from app.tunnel.host_settings import setting_step, settings_folder
from app.tunnel.messages import (
    BARE_LINK_BRIDGED,
    BRIDGE_NODE_MACHINE,
    FORWARD_FROM_LAN,
    MAKE_NODE_BEHIND,
    MAKE_NODE_ON_BRIDGE,
    ROUTE_NODE_MACHINE,
    TAKE_UP_LAN,
)

_ROUTED = bare_script("nodes/routed.sh")
_BRIDGED = bare_script("nodes/bridged.sh")
_REMOVE = bare_script("nodes/remove.sh")
_LAN_ON = bare_script("nodes/lan-on.sh")
_LAN_OFF = bare_script("nodes/lan-off.sh")
_ROUTED_LAN = bare_script("nodes/routed-lan.sh")
_BRIDGED_LAN = bare_script("nodes/bridged-lan.sh")
_MACHINE_REMOVE = bare_script("nodes/machine-remove.sh")
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
        lans: The gateways' interfaces towards nodes that are machines, by side; empty for namespaces.
        is_gro_off: Whether these interfaces join no packets of machines: gateways shape those that no VPN carries.
    """

    topology: Topology
    lans: Mapping[Side, str] = field(default_factory=dict)
    is_gro_off: bool = False

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
            lan = self.lans.get(side, "")
            steps = _routed_lan_steps(plan, link, side, lan, is_gro_off=self.is_gro_off) if lan else ()
            return replace(own, steps=(*own.steps, *(steps or (_routed_step(plan, link, side),))))
        if not own.interface:
            raise InvalidPlan(BARE_LINK_BRIDGED())
        bridge = f"{link.names.ethernet_interface}br"
        steps = _bridged_lan_steps(plan, link, side, (self.lans[side], bridge)) if self.lans else ()
        steps = steps or (_bridged_step(plan, link, side, bridge),)
        return replace(own, steps=(*own.steps, *steps), interface=bridge)


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


def lan_step(link: Link, interface: str, mtu_bytes: int, *, is_gro_off: bool = False) -> PlanStep:
    """Return the step that takes up an interface between a gateway and a node, for both of them.

    Args:
        mtu_bytes: MTU that it must have at least; 0 where it gets one later.
        is_gro_off: Whether it joins no packets.
    """
    folder, user = settings_folder(link)
    words = folder, user, interface, str(mtu_bytes), *(("single",) if is_gro_off else ())
    return PlanStep(
        title=TAKE_UP_LAN(interface=interface),
        command=Command(shell_step_argv(_LAN_ON, *words), timeout_s=_STEP_S, is_root=True),
        undo=Command(shell_step_argv(_LAN_OFF, folder, user, interface), timeout_s=_STEP_S, is_root=True),
    )


def machine_step(title: str, script: str, arguments: tuple[str, ...], notes: str) -> PlanStep:
    """Return a step that makes addresses or routes for a machine; the script's last argument is NOTES."""
    return PlanStep(
        title=title,
        command=Command(shell_step_argv(script, *arguments, notes), timeout_s=_STEP_S, is_root=True),
        undo=Command(shell_step_argv(_MACHINE_REMOVE, notes), timeout_s=_STEP_S, is_root=True),
    )


def _routed_lan_steps(plan: TunnelPlan, link: Link, side: Side, lan: str, *, is_gro_off: bool) -> tuple[PlanStep, ...]:
    node = node_addresses(link, Topology.ROUTED_NODES, side)
    peer = node_addresses(link, Topology.ROUTED_NODES, side.other)
    arguments = lan, node.gateway, peer.network, plan.probe_address(side.other), plan.on(side).interface
    title = ROUTE_NODE_MACHINE(node=node.node_ip, interface=lan)
    return (
        lan_step(link, lan, node_mtu_bytes(plan), is_gro_off=is_gro_off),
        setting_step(FORWARD_FROM_LAN(interface=lan), link, f"/proc/sys/net/ipv4/conf/{lan}/forwarding", "1"),
        machine_step(title, _ROUTED_LAN, arguments, notes_dir(link, node.namespace)),
    )


def _bridged_lan_steps(plan: TunnelPlan, link: Link, side: Side, names: tuple[str, str]) -> tuple[PlanStep, ...]:
    """Return steps that bridge a gateway's interface; `names` are those of the interface and the bridge."""
    lan, bridge = names
    node = node_addresses(link, Topology.BRIDGED_NODES, side)
    arguments = lan, bridge, plan.on(side).interface, link.inner(side), str(plan.inner_mtu_bytes)
    title = BRIDGE_NODE_MACHINE(interface=lan, bridge=bridge)
    return (
        lan_step(link, lan, 0),
        machine_step(title, _BRIDGED_LAN, arguments, notes_dir(link, node.namespace)),
    )
