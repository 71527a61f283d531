"""The bare underlay: no tunnel at all, the reference for every other figure.

Its plan has neither files nor steps, and probes use the underlay's own addresses. It is available on every pair, and
marked as unprotected, so that it is never recommended. Must not change a host.
"""

from __future__ import annotations

from app.domain.adapters import EndpointPlan, PlanRequest, TunnelPlan
from app.domain.hosts import SolutionSupport
from app.domain.link import ETHERNET_HEADER_BYTES
from app.domain.messages import mark
from app.domain.solutions import BASELINE, Carrier, SolutionInfo, Space
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.security import NO_PROTECTION, NO_SECURITY

_INFO = SolutionInfo(
    name=BASELINE,
    title="Bare underlay",
    summary=mark("The path between the two hosts without any tunnel, as the reference for everything else."),
    space=Space.NONE,
    carrier=Carrier.NONE,
    security=NO_SECURITY,
    files_per_site=0,
    keys_per_site=0,
    is_unprotected=True,
    limitations=(mark("It joins nothing on layer 2 and protects nothing: it is only there to compare with."),),
    routing=mark("The hosts' own routes; nothing is joined."),
)


def _plan(request: PlanRequest) -> TunnelPlan:
    """Return a plan without files and steps; probes use the underlay's own addresses."""
    link = request.link
    end = EndpointPlan(files=(), steps=(), interface="")
    return TunnelPlan(
        solution=BASELINE,
        suite=request.suite,
        a=end,
        b=end,
        probe_address_a=link.underlay_a,
        probe_address_b=link.underlay_b,
        inner_mtu_bytes=link.underlay_mtu_bytes,
        overhead_bytes=0,
        largest_unfragmented_frame_bytes=link.underlay_mtu_bytes + ETHERNET_HEADER_BYTES,
    )


adapter = ModularAdapter(
    info=_INFO,
    commands={},
    parse_discovery=lambda _outputs: SolutionSupport(solution=BASELINE, is_available=True),
    suites=lambda _facts_a, _facts_b: (NO_PROTECTION,),
    plan=_plan,
)
