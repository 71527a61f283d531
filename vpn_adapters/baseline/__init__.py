"""The bare underlay: no tunnel at all. What every other figure is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import EndpointPlan, PlanRequest, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, SolutionSupport
from app.domain.link import ETHERNET_HEADER_BYTES
from app.domain.solutions import Carrier, SolutionInfo, Space, Suite
from vpn_adapters.shared.unprotected import NO_PROTECTION, NO_SECURITY, UnprotectedAdapter

NAME = "baseline"

_INFO = SolutionInfo(
    name=NAME,
    title="Bare underlay",
    summary="The path between the two hosts without any tunnel, as the reference for everything else.",
    space=Space.NONE,
    carrier=Carrier.NONE,
    security=NO_SECURITY,
    files_per_site=0,
    keys_per_site=0,
    is_unprotected=True,
    limitations=("It joins nothing on layer 2 and protects nothing: it is only there to compare with.",),
    routing="The hosts' own routes; nothing is joined.",
)


@dataclass(frozen=True, slots=True)
class BaselineAdapter(UnprotectedAdapter):
    """Plans nothing; probes use the underlay's own addresses."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return _INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return no commands: nothing is needed."""
        return {}

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Return that it is always available."""
        del outputs
        return SolutionSupport(solution=NAME, is_available=True)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return the one suite without anything in it."""
        del facts_a, facts_b
        return (NO_PROTECTION,)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return a plan without files and steps."""
        link = request.link
        end = EndpointPlan(files=(), steps=(), interface="")
        return TunnelPlan(
            solution=NAME,
            suite=request.suite,
            a=end,
            b=end,
            probe_address_a=link.underlay_a,
            probe_address_b=link.underlay_b,
            inner_mtu_bytes=link.underlay_mtu_bytes,
            overhead_bytes=0,
            largest_unfragmented_frame_bytes=link.underlay_mtu_bytes + ETHERNET_HEADER_BYTES,
        )


adapter = BaselineAdapter()
