"""tinc 1.0 in switch mode: Ethernet frames in UDP datagrams between two daemons of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.tinc import census, discovery, identity, info, plan, suites


@dataclass(frozen=True, slots=True)
class TincAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return info.INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for tincd and for OpenSSL, whose names tinc takes."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return ciphers in CBC mode with a whole MAC, best first."""
        return suites.offered(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return every cipher and digest that OpenSSL lists on both hosts."""
        return census.options(facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how an RSA key is made."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request)


adapter = TincAdapter()
