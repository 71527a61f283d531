"""Unencrypted L2TPv3 over IP: Ethernet frames in IP packets, the cost of tunnelling alone.

Static tunnel and session of the kernel, with the ids of the link. Marked as unprotected: it is measured for
comparison, and never recommended. Must not be taken for a protection, and must not use another tunnel's ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, TunnelPlan
from app.domain.commands import CommandResult
from app.domain.firewall import Opening
from app.domain.hosts import Side, SolutionSupport
from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared import discovering, l2tpv3
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import ModularAdapter, tunnel
from vpn_adapters.shared.security import NO_PROTECTION, NO_SECURITY

NAME = "l2tp"

_INFO = SolutionInfo(
    name=NAME,
    title="L2TPv3, unencrypted",
    summary=mark(
        "Ethernet frames in IP packets by the kernel, readable to all on the way: what tunnelling alone costs."
    ),
    space=Space.NONE,
    carrier=Carrier.IP,
    security=NO_SECURITY,
    files_per_site=0,
    keys_per_site=0,
    is_unprotected=True,
    limitations=(
        mark("Everything inside can be read and forged by anyone on the path."),
        mark("It uses IP protocol 115, which network address translation usually does not pass."),
    ),
    sources=("RFC 3931", "RFC 4719", "ip-l2tp(8)"),
    routing=mark("Bridges learn hardware addresses; one L2TPv3 session per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 0), routes=PerSite(2, -2), keys=PerSite(0, 0)),
)


def _parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    missing = discovering.missing_kernel_parts(outputs, l2tpv3.KERNEL_MODULES, NAME)
    version = discovering.iproute2_version(outputs)
    return SolutionSupport(solution=NAME, is_available=not missing, version=version, missing=missing)


def _plan(request: PlanRequest) -> TunnelPlan:
    """Return a static L2TPv3 tunnel between the underlay's addresses."""
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=l2tpv3.overhead_bytes(cookie_bytes=0)),
        up_timeout_s=10.0,
        largest_unfragmented_frame_bytes=request.link.underlay_mtu_bytes - l2tpv3.packet_bytes(0, cookie_bytes=0),
        outer_filter=f"ip proto {l2tpv3.IP_PROTOCOL}",
        encapsulation=Encapsulation.L2TPV3,
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    step = l2tpv3.create_step(link, side, (link.underlay(side), link.underlay(side.other)), seed=None)
    return EndpointPlan(
        files=(),
        steps=(step,),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        openings=(Opening("l2tp", 0, link.underlay(side.other)),),
        kernel_modules=l2tpv3.KERNEL_MODULES,
    )


adapter = ModularAdapter(
    info=_INFO,
    commands={
        "ip": discovering.query("ip", "-V"),
        "modules": discovering.modules_query(*l2tpv3.KERNEL_MODULES),
    },
    parse_discovery=_parse,
    suites=lambda facts_a, facts_b: (NO_PROTECTION,) if discovering.are_both_able(NAME, facts_a, facts_b) else (),
    plan=_plan,
)
