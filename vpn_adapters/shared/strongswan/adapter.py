"""The adapter of a VPN over IPsec by strongSwan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.shared.strongswan import discovery, identity, plan, suites
from vpn_adapters.shared.strongswan.payload import Payload


@dataclass(frozen=True, slots=True)
class StrongswanAdapter:
    """Puts the verbs together; each has a module of its own.

    Attributes:
        info: What is always true of it.
        payload: The packets inside.
    """

    info: SolutionInfo
    payload: Payload

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for strongSwan's programs and plugins, and for the kernel's modules."""
        return discovery.commands(self.payload)

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs, self.payload)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return AEADs, with the strongest negotiation that both hosts can."""
        return suites.offered(self.payload.solution, facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return all that ESP can be asked for, by a table of ours."""
        return suites.census(self.payload.solution, facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how a key is made."""
        return identity.recipe(request, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request, self.payload)
