"""IPsec by strongSwan around L2TPv3: Ethernet frames in packets that the kernel encrypts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, Setting, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.ipsec import discovery, identity, info, plan, suites
from vpn_adapters.ipsec.swanctl_reader import parse as read_settings


@dataclass(frozen=True, slots=True)
class IpsecAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return info.INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for strongSwan's programs and plugins, and for the kernel's modules."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return AEADs, with the strongest negotiation that both hosts can."""
        return suites.offered(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return all that ESP can be asked for, by a table of ours."""
        return suites.census(facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how a key is made."""
        return identity.recipe(request, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request)

    def parse_config(self, text: str) -> Sequence[Setting]:
        """Read a file in the format of swanctl.conf(5)."""
        return read_settings(text)


adapter = IpsecAdapter()
