"""WireGuard carrying VXLAN: Ethernet frames inside an encrypted layer-3 tunnel of the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, Setting, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.shared import vxlan
from vpn_adapters.shared.discovering import are_both_able
from vpn_adapters.shared.wireguard import discovery, identity
from vpn_adapters.shared.wireguard.protocol import SUITE
from vpn_adapters.wireguard_vxlan import info, plan


@dataclass(frozen=True, slots=True)
class WireguardVxlanAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """Facts about the solution."""
        return info.INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for the tools and the kernel's modules."""
        return discovery.commands(*vxlan.KERNEL_MODULES)

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs, info.NAME, vxlan.missing_parts(outputs, info.NAME))

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return the protocol's only suite, where both hosts can."""
        return (SUITE,) if are_both_able(info.NAME, facts_a, facts_b) else ()

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:  # noqa: ARG002
        """Return nothing: there is nothing to choose."""
        return ()

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how a key is made."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return the steps for both hosts."""
        return plan.make(request)

    def parse_config(self, text: str) -> Sequence[Setting]:
        """Return nothing: files of WireGuard are read by the adapter of that name."""
        del text
        return ()


adapter = WireguardVxlanAdapter()
