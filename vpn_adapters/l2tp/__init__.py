"""Unencrypted L2TPv3 over IP: Ethernet frames in IP packets, and nothing else. The layer-2 baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.firewall import Opening
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.link import Link
from app.domain.mesh import MeshEffort, PerSite
from app.domain.solutions import Carrier, SolutionInfo, Space, Suite
from vpn_adapters.shared import discovering, l2tpv3
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.unprotected import NO_PROTECTION, NO_SECURITY, UnprotectedAdapter

NAME = "l2tp"

_INFO = SolutionInfo(
    name=NAME,
    title="L2TPv3, unencrypted",
    summary="Ethernet frames in IP packets by the kernel, readable to all on the way: what tunnelling alone costs.",
    space=Space.NONE,
    carrier=Carrier.IP,
    security=NO_SECURITY,
    files_per_site=0,
    keys_per_site=0,
    is_unprotected=True,
    limitations=(
        "Everything inside can be read and forged by anyone on the path.",
        "It uses IP protocol 115, which network address translation usually does not pass.",
    ),
    sources=("RFC 3931", "RFC 4719", "ip-l2tp(8)"),
    routing="Bridges learn hardware addresses; one L2TPv3 session per pair of sites.",
    mesh=MeshEffort(files=PerSite(0, 0), routes=PerSite(2, -2), keys=PerSite(0, 0)),
)


@dataclass(frozen=True, slots=True)
class L2tpAdapter(UnprotectedAdapter):
    """A static L2TPv3 tunnel between the underlay's addresses."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return _INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for iproute2 and the kernel's modules."""
        return {
            "ip": discovering.query("ip", "-V"),
            "modules": discovering.modules_query(*l2tpv3.KERNEL_MODULES),
        }

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        missing = l2tpv3.missing_parts(outputs, NAME)
        return SolutionSupport(
            solution=NAME,
            is_available=not missing,
            version=discovering.iproute2_version(outputs),
            missing=missing,
        )

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return the one suite without anything in it, where both hosts can."""
        return (NO_PROTECTION,) if discovering.are_both_able(NAME, facts_a, facts_b) else ()

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return the tunnel's steps for both ends."""
        link = request.link
        return TunnelPlan(
            solution=NAME,
            suite=request.suite,
            a=_end(link, Side.A),
            b=_end(link, Side.B),
            probe_address_a=link.inner_ip(Side.A),
            probe_address_b=link.inner_ip(Side.B),
            inner_mtu_bytes=link.inner_mtu_bytes,
            overhead_bytes=l2tpv3.overhead_bytes(cookie_bytes=0),
            up_timeout_s=10.0,
            largest_unfragmented_frame_bytes=link.underlay_mtu_bytes - l2tpv3.packet_bytes(0, cookie_bytes=0),
            wire_filter=f"ip proto {l2tpv3.IP_PROTOCOL}",
            encapsulation=Encapsulation.L2TPV3,
        )


def _end(link: Link, side: Side) -> EndpointPlan:
    step = l2tpv3.create_step(link, side, (link.underlay(side), link.underlay(side.other)), seed=None)
    return EndpointPlan(
        files=(),
        steps=(step,),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        openings=(Opening("l2tp", 0, link.underlay(side.other)),),
        kernel_modules=l2tpv3.KERNEL_MODULES,
    )


adapter = L2tpAdapter()
