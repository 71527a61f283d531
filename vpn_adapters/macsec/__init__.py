"""MACsec over L2TPv3: each frame encrypted by the kernel, with keys that MKA agrees on or with static ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.macsec import discovery, identity, info, plan, suites


@dataclass(frozen=True, slots=True)
class MacsecAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return info.INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for iproute2, wpa_supplicant and the kernel's modules."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return ciphers of both hosts, with agreed keys before static ones."""
        return suites.offered(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return every cipher that `ip` lists on both hosts."""
        return suites.census(facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how A makes the secret that both ends share."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Return an empty identity: nothing of the secret is public."""
        del outputs
        return PublicIdentity()

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request)


adapter = MacsecAdapter()
