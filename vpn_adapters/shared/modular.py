"""An adapter made of functions, each verb in a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.domain.adapters import EndpointPlan, IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite


def _no_options(_facts_a: HostFacts, _facts_b: HostFacts) -> tuple[CensusOption, ...]:
    return ()


def _no_key(_request: PlanRequest, _side: Side) -> IdentityRecipe:
    return IdentityRecipe()


def _nothing_public(_outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    return PublicIdentity()


@dataclass(frozen=True, slots=True, eq=False)
class ModularAdapter:
    """Implements `app.domain.adapters.Adapter`, where its functions are described; `commands` is what to discover."""

    info: SolutionInfo
    commands: Mapping[str, Command]
    parse_discovery: Callable[[Mapping[str, CommandResult]], SolutionSupport]
    suites: Callable[[HostFacts, HostFacts], tuple[Suite, ...]]
    plan: Callable[[PlanRequest], TunnelPlan]
    census: Callable[[HostFacts, HostFacts], tuple[CensusOption, ...]] = _no_options
    identity: Callable[[PlanRequest, Side], IdentityRecipe] = _no_key
    parse_identity: Callable[[Mapping[str, CommandResult]], PublicIdentity] = _nothing_public

    def discovery(self) -> Mapping[str, Command]:
        """Return the commands."""
        return self.commands


def tunnel(
    request: PlanRequest, solution: str, end: Callable[[PlanRequest, Side], EndpointPlan], *, overhead_bytes: int | None
) -> TunnelPlan:
    """Return the plan of a tunnel whose probes use the inner addresses; the rest is added with `replace`."""
    link = request.link
    return TunnelPlan(
        solution=solution,
        suite=request.suite,
        a=end(request, Side.A),
        b=end(request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=overhead_bytes,
    )
