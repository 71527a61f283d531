"""The adapter of a VPN over WireGuard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, MissingPart, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.shared.discovering import are_both_able
from vpn_adapters.shared.wireguard import discovery, identity
from vpn_adapters.shared.wireguard.protocol import SUITE


@dataclass(frozen=True, slots=True)
class WireguardAdapter:
    """Puts the parts together that VPNs over WireGuard have in common.

    Attributes:
        info: Facts about the VPN.
        kernel_modules: Modules of what carries Ethernet frames inside.
        missing: Finds in a host's answers what is missing for it; gets the name of the VPN, too.
        make_plan: Makes files and steps for both hosts.
    """

    info: SolutionInfo
    kernel_modules: tuple[str, ...]
    missing: Callable[[Mapping[str, CommandResult], str], tuple[MissingPart, ...]]
    make_plan: Callable[[PlanRequest], TunnelPlan]

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for the tools and the kernel's modules."""
        return discovery.commands(*self.kernel_modules)

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs, self.info.name, self.missing(outputs, self.info.name))

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return the protocol's only suite, where both hosts can."""
        return (SUITE,) if are_both_able(self.info.name, facts_a, facts_b) else ()

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:  # noqa: ARG002
        """Return nothing: the protocol has no other suite."""
        return ()

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return the steps that make a key."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both hosts."""
        return self.make_plan(request)
