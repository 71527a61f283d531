"""An adapter around another one, for what is added to its plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.adapters import Adapter, IdentityRecipe, PlanRequest, PublicIdentity, Setting, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite


@dataclass(frozen=True)
class WrappedAdapter:
    """Implements `Adapter` as another one does; a subclass changes identities or plans.

    Attributes:
        inner: The VPN's own adapter, or another wrapped one.
    """

    inner: Adapter

    @property
    def info(self) -> SolutionInfo:
        """As the VPN's own."""
        return self.inner.info

    def discovery(self) -> Mapping[str, Command]:
        """As the VPN's own."""
        return self.inner.discovery()

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """As the VPN's own."""
        return self.inner.parse_discovery(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """As the VPN's own."""
        return self.inner.suites(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """As the VPN's own."""
        return self.inner.census(facts_a, facts_b)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """As the VPN's own."""
        return self.inner.parse_identity(outputs)

    def parse_config(self, text: str) -> Sequence[Setting]:
        """As the VPN's own."""
        return self.inner.parse_config(text)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """As the VPN's own."""
        return self.inner.identity(request, side)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """As the VPN's own."""
        return self.inner.plan(request)
