"""freelan 2 between two peers: FSCP with certificates, Ethernet frames in UDP datagrams."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.freelan import discovery, identity, plan, suites
from vpn_adapters.freelan.info import INFO


class FreelanAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for the program, its library and the package index."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return the suites with a curve that standards have, strongest first."""
        return suites.offered(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return every cipher suite with every curve."""
        return suites.census(facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how key and certificate are made."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the certificate."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request)


adapter = FreelanAdapter()
