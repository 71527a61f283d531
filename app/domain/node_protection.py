"""Protection of frames on the way to and from nodes behind gateways, by what adapters offer besides tunnels."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.hosts import HostFacts
from app.domain.link import Link
from app.domain.solutions import Suite


class ProtectedPlace(StrEnum):
    """Section of the way between two nodes on which their frames are protected, besides by a tunnel."""

    NOWHERE = "nowhere"
    NODES = "nodes"  # from node to node: gateways relay what they cannot read
    LANS = "lans"  # in each LAN, between a node and its own gateway


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

    def extend(self, plan: TunnelPlan, link: Link, suite: Suite, place: ProtectedPlace, /) -> TunnelPlan:
        """Return a plan with protected nodes, from one that an adapter of `around` made, with bridged nodes.

        Raises:
            InvalidPlan: The suite cannot be used for nodes.
        """
        ...
