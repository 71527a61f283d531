"""Frames of nodes behind gateways, protected by MACsec: from node to node, or in each LAN."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.domain.adapters import (
    Adapter,
    EndpointPlan,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    TunnelPlan,
    UpCheck,
)
from app.domain.commands import Command
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.node_protection import MachineProtection, ProtectedPlace
from app.domain.solutions import Suite
from app.domain.topology import Topology, node_addresses, node_mac
from vpn_adapters.macsec import identity, suites
from vpn_adapters.macsec.info import NAME
from vpn_adapters.macsec.plan import MACSEC_BYTES
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import NOT_FOR_NODES, PROTECT_LAN, PROTECT_NODES
from vpn_adapters.shared.modular import ModularAdapter

INTERFACE = "lansec"
"""Interface of a node with its address, above the cable."""

_STEP_S = 30.0
_SCRIPTS = {ProtectedPlace.NODES: "nodes-between.sh", ProtectedPlace.LANS: "nodes-lan.sh"}
_TITLES = {ProtectedPlace.NODES: PROTECT_NODES, ProtectedPlace.LANS: PROTECT_LAN}


def gateway_mac(side: Side) -> str:
    """Return the hardware address of a gateway's interface towards its node: locally administered."""
    return node_mac(side).replace(":00:00:", ":00:01:")


def _around(carrier: Adapter, place: ProtectedPlace) -> Adapter:
    """Return a tunnel's own adapter, with the secrets of nodes' frames beside its keys."""

    def roomy(request: PlanRequest) -> PlanRequest:
        """Return a request for a tunnel that carries frames with MACsec's overhead, where it has to."""
        if place is not ProtectedPlace.NODES:
            return request
        link = request.link
        return replace(request, link=replace(link, inner_mtu_bytes=link.inner_mtu_bytes + MACSEC_BYTES))

    def recipe(request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return the tunnel's recipe with a secret: of both nodes, made on A; of a LAN, made for that side alone."""
        own = carrier.identity(roomy(request), side)
        is_shared = place is ProtectedPlace.NODES
        more = identity.recipe(request.link, side if is_shared else Side.A)
        shared = more.shared if is_shared else ()
        return replace(own, steps=(*own.steps, *more.steps), shared=(*own.shared, *shared))

    return ModularAdapter(
        info=carrier.info,
        commands=carrier.discovery(),
        parse_discovery=carrier.parse_discovery,
        suites=carrier.suites,
        plan=lambda request: carrier.plan(roomy(request)),
        census=carrier.census,
        identity=recipe,
        parse_identity=carrier.parse_identity,
    )


@dataclass(frozen=True, slots=True)
class MacsecNodes:
    """Implements `NodeProtection` with static keys, new ones for each tunnel. Source of the way: ip-macsec(8)."""

    solution: str = NAME
    interface: str = INTERFACE

    def suite(self, facts_a: HostFacts, facts_b: HostFacts, name: str, /) -> Suite | None:
        """Return a suite with static keys; None where one of the hosts does not have it, or it is not for nodes."""
        offered = suites.offered(facts_a, facts_b)
        return next((one for one in offered if one.name == name and _is_for_nodes(one)), None)

    def around(self, carrier: Adapter, place: ProtectedPlace, /) -> Adapter:
        """Return a tunnel's adapter with what the place needs."""
        return carrier if place is ProtectedPlace.NOWHERE else _around(carrier, place)

    def extend(
        self, plan: TunnelPlan, link: Link, suite: Suite, place: ProtectedPlace, lans: Mapping[Side, str], /
    ) -> TunnelPlan:
        """Return a plan with protected nodes, or with the gateways' part where the nodes are machines."""
        if place is ProtectedPlace.NOWHERE:
            return plan
        if not _is_for_nodes(suite):
            raise InvalidPlan(NOT_FOR_NODES(suite=suite.title))
        if lans:
            a, b = (_gateway(plan.on(side), link, suite, place, (side, lans[side])) for side in Side)
        else:
            a, b = (_endpoint(plan.on(side), link, suite, place, side) for side in Side)
        whole = plan.largest_unfragmented_frame_bytes
        if place is ProtectedPlace.NODES and whole is not None:
            whole -= MACSEC_BYTES
        return replace(plan, a=a, b=b, inner_mtu_bytes=link.inner_mtu_bytes, largest_unfragmented_frame_bytes=whole)

    def machine(
        self, link: Link, suite: Suite, place: ProtectedPlace, side: Side, interface: str, /
    ) -> MachineProtection:
        """Return the part of a node that is a machine: it has the secret of its gateway."""
        if place is ProtectedPlace.NOWHERE:
            return MachineProtection()
        if place is ProtectedPlace.LANS:
            peer, ways = gateway_mac(side), ("to-gateway", "to-node")
        else:
            peer, ways = node_mac(side.other), (f"{side}-to-{side.other}", f"{side.other}-to-{side}")
        node = node_addresses(link, Topology.BRIDGED_NODES, side)
        arguments = *_common(link, suite), interface, INTERFACE, node.node, node_mac(side), peer, *ways
        title, made = _TITLES[place](node=node.node_ip), (INTERFACE, interface, link)
        step = _split_step(title, "nodes-machine.sh", arguments, made)
        return MachineProtection((step,), identity.recipe(link, Side.A).shared)


def _is_for_nodes(suite: Suite) -> bool:
    """Whether the suite has static keys and ordinary packet numbers: measurements of minutes need no others."""
    settings = suite.settings
    return settings.get(suites.KEYS) == suites.STATIC_KEYS and "-xpn-" not in settings[suites.CIPHER]


def _endpoint(own: EndpointPlan, link: Link, suite: Suite, place: ProtectedPlace, side: Side) -> EndpointPlan:
    step = _step(own.interface, link, suite, place, side)
    space = node_addresses(link, Topology.BRIDGED_NODES, side).namespace
    checks = [_up_check(suite, ("ip", "-n", space, "macsec", "show", INTERFACE))]
    if place is ProtectedPlace.LANS:
        checks.append(_up_check(suite, ("ip", "macsec", "show", _upper(link))))
    return replace(own, steps=(*own.steps, step), up_checks=(*own.up_checks, *checks))


def _gateway(
    own: EndpointPlan, link: Link, suite: Suite, place: ProtectedPlace, cable: tuple[Side, str]
) -> EndpointPlan:
    """Return a gateway's plan where its node is a machine; `cable` is the side and its interface towards the node."""
    side, lan = cable
    if place is ProtectedPlace.NODES:
        return own  # it relays what it cannot read
    node = node_addresses(link, Topology.BRIDGED_NODES, side)
    arguments = *_common(link, suite), lan, _upper(link), gateway_mac(side), node_mac(side), own.interface
    title = _TITLES[place](node=node.node_ip)
    step = _split_step(title, "nodes-gateway.sh", arguments, (_upper(link), lan, link))
    check = _up_check(suite, ("ip", "macsec", "show", _upper(link)))
    return replace(own, steps=(*own.steps, step), up_checks=(*own.up_checks, check))


def _split_step(title: str, script: str, arguments: tuple[str, ...], made: tuple[str, str, Link]) -> PlanStep:
    """Return the step of a gateway or of a machine; `made` is the interface that it makes, on which, for which link."""
    name, lower, link = made
    return PlanStep(
        title=title,
        command=root_script("macsec", script, *arguments, timeout_s=_STEP_S),
        undo=root_script("macsec", "nodes-machine-remove.sh", name, lower, _table(link), timeout_s=_STEP_S),
    )


def _common(link: Link, suite: Suite) -> tuple[str, ...]:
    """Return the first arguments of each script that protects."""
    cipher = suite.settings[suites.CIPHER]
    return link.run_dir, _table(link), cipher, str(link.inner_mtu_bytes), str(int(cipher[-3:]) // 4)


def _table(link: Link) -> str:
    return f"{link.names.guard_table}_lan"


def _step(bridge: str, link: Link, suite: Suite, place: ProtectedPlace, side: Side) -> PlanStep:
    node = node_addresses(link, Topology.BRIDGED_NODES, side)
    is_lan = place is ProtectedPlace.LANS
    common = (*_common(link, suite), node.namespace, INTERFACE, node.node)
    own = node_mac(side)
    more: tuple[str, ...]
    if is_lan:
        more = (own, node.namespace, _upper(link), gateway_mac(side), bridge)
    else:
        more = (own, node_mac(side.other), f"{side}-to-{side.other}", f"{side.other}-to-{side}")
    made_here = (_upper(link), _table(link)) if is_lan else ("", "")
    removal = (node.namespace, INTERFACE, node.namespace, *made_here)
    return PlanStep(
        title=_TITLES[place](node=node.node_ip),
        command=root_script("macsec", _SCRIPTS[place], *common, *more, timeout_s=_STEP_S),
        undo=root_script("macsec", "nodes-remove.sh", *removal, timeout_s=_STEP_S),
    )


def _upper(link: Link) -> str:
    """Return the name of a gateway's interface above the cable."""
    return f"{link.names.ethernet_interface}lan"


def _up_check(suite: Suite, argv: tuple[str, ...]) -> UpCheck:
    shown = re.escape(suite.settings[suites.SHOWN])
    return UpCheck(
        title=mark("What the kernel encrypts nodes' frames with"),
        command=Command(argv, timeout_s=5.0, is_root=True),
        stdout_pattern=rf"(?s)validate strict [^\n]*encrypt on .*cipher suite: {shown},.*RXSC: [0-9a-f]+, state on",
    )


protection = MacsecNodes()
