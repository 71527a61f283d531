"""OpenVPN with a tap device between two peers, over UDP or TCP: two solutions of one program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import Carrier, CensusOption, SolutionInfo, Suite
from vpn_adapters.openvpn import census, discovery, identity, info, plan, suites


@dataclass(frozen=True, slots=True)
class OpenvpnAdapter:
    """Puts the verbs together; each has a module of its own.

    Attributes:
        carrier: UDP or TCP.
    """

    carrier: Carrier

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return info.INFOS[self.carrier]

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for the program and its library. The same for both carriers."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs, self.info.name)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return authenticated ciphers that both hosts list, best for their CPUs first."""
        return suites.offered(self.info.name, facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return every cipher and digest that both hosts list, and `none`."""
        return census.options(self.info.name, facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how key and certificate are made."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the certificate and take its fingerprint."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(self.carrier, request)


udp_adapter = OpenvpnAdapter(Carrier.UDP)
tcp_adapter = OpenvpnAdapter(Carrier.TCP)
