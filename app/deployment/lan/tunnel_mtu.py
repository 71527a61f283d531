"""MTU of a tunnel's interface between two gateways: with it no frame without VLAN tags is fragmented outside.

Only where neither host joins a LAN: devices of a LAN send 1514 bytes whatever this MTU is, and a bridge drops without a
word what is too large for one of its ports. A gateway itself knows the MTU of its interface, and tells senders whose
packets it routes.

Source: RFC 1191 and RFC 8201 (path MTU discovery), RFC 8200 section 5 (IPv6's least MTU), ip-link(8).
"""

from __future__ import annotations

from collections.abc import Mapping

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clamp import clamp_title, lan_command
from app.deployment.lan.messages import FITTED, MTU_TITLE
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan
from app.domain.frame_fit import frame_fit
from app.domain.hosts import Side
from app.domain.link import INNER_MTU_BYTES, Link
from app.domain.messages import code_of

LEAST_MTU_BYTES = 1280
"""IPv6 needs it, for what is routed through the tunnel. Source: RFC 8200 section 5; net/ipv6/addrconf.c."""


def fitted_mtu_bytes(plan: TunnelPlan, bridging: Mapping[Side, Bridging]) -> int | None:
    """Return the MTU with which no frame of a tunnel is fragmented outside; None where it keeps the MTU it has.

    Args:
        plan: What the VPN's adapter planned.
        bridging: What each end is joined with.
    """
    fit = frame_fit(plan.largest_unfragmented_frame_bytes, plan.inner_mtu_bytes)
    if bridging or fit is None or fit.packet_bytes < LEAST_MTU_BYTES:
        return None
    return fit.packet_bytes


def mtu_step(interface: str, mtu_bytes: int) -> PlanStep:
    """Return the step that sets the MTU, which goes after those that make the interface."""
    words = interface, str(mtu_bytes)
    return PlanStep(
        title=MTU_TITLE(interface=interface, mtu=mtu_bytes),
        command=lan_command("lan/tunnel-mtu.sh", *words),
        undo=lan_command("lan/tunnel-mtu-undo.sh", interface, str(INNER_MTU_BYTES)),
        health_check=lan_command("lan/tunnel-mtu-healthy.sh", *words),
    )


def fit_title(own: EndpointPlan, link: Link) -> str:
    """Return what fits one side of a plan to the path, MSS and MTU, as text; empty where nothing does."""
    clamp = clamp_title(own, link)
    mtu = next((step.title for step in own.steps if code_of(step.title) == MTU_TITLE.code), "")
    return FITTED(clamp=clamp, mtu=mtu) if mtu else clamp
