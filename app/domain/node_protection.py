"""Protection of frames on the way to and from nodes behind gateways, by what adapters offer besides tunnels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from app.domain.adapters import Adapter, PlanStep, SharedSecret, TunnelPlan
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.solutions import Suite


class ProtectedPlace(StrEnum):
    """Section of the way between two nodes on which their frames are protected, besides by a tunnel."""

    NOWHERE = "nowhere"
    NODES = "nodes"  # from node to node: gateways relay what they cannot read
    LANS = "lans"  # in each LAN, between a node and its own gateway


@dataclass(frozen=True, slots=True)
class MachineProtection:
    """Protection of the frames of a node that is a machine of its own, on that machine.

    Attributes:
        steps: Steps on it, once it has the node's address.
        secrets: Secrets that its gateway has already and that it gets before.
    """

    steps: tuple[PlanStep, ...] = ()
    secrets: tuple[SharedSecret, ...] = ()


class NodeProtection(Protocol):
    """Frames of bridged nodes, protected by a solution. Nothing of it is a tunnel's own."""

    @property
    def solution(self) -> str:
        """Name of the solution."""
        ...

    @property
    def interface(self) -> str:
        """Interface with the node's address, in its namespace: what is seen there has passed the protection."""
        ...

    def suite(self, facts_a: HostFacts, facts_b: HostFacts, name: str, /) -> Suite | None:
        """Return the suite of that name; None where one of the hosts does not have it."""
        ...

    def around(self, carrier: Adapter, place: ProtectedPlace, /) -> Adapter:
        """Return the adapter of a tunnel with the secrets of a protection, and with room for its overhead."""
        ...

    def extend(
        self, plan: TunnelPlan, link: Link, suite: Suite, place: ProtectedPlace, lans: Mapping[Side, str], /
    ) -> TunnelPlan:
        """Return a plan with protected nodes, from one that an adapter of `around` made, with bridged nodes.

        `lans` are the gateways' interfaces towards nodes that are machines; empty for namespaces. Of machines it is the
        gateways' part.

        Raises:
            InvalidPlan: The suite cannot be used for nodes.
        """
        ...

    def machine(
        self, link: Link, suite: Suite, place: ProtectedPlace, side: Side, interface: str, /
    ) -> MachineProtection:
        """Return the part of a node that is a machine, with its interface towards the gateway."""
        ...
