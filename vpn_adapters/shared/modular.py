"""An adapter made of functions, each verb in a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.domain.adapters import EndpointPlan, IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite


@dataclass(frozen=True, slots=True, eq=False)
class ModularAdapter:
    """Implements `app.domain.adapters.Adapter`, where its functions are described; `commands` is what to discover."""

    info: SolutionInfo
    commands: Mapping[str, Command]
    parse_discovery: Callable[[Mapping[str, CommandResult]], SolutionSupport]
    suites: Callable[[HostFacts, HostFacts], tuple[Suite, ...]]
    plan: Callable[[PlanRequest], TunnelPlan]
    census: Callable[[HostFacts, HostFacts], tuple[CensusOption, ...]] = lambda _a, _b: ()
    identity: Callable[[PlanRequest, Side], IdentityRecipe] = lambda _request, _side: IdentityRecipe()
    parse_identity: Callable[[Mapping[str, CommandResult]], PublicIdentity] = lambda _outputs: PublicIdentity()

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
