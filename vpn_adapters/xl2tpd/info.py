"""Constant properties of L2TPv2 without IPsec."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import NO_SECURITY

NAME = "xl2tpd"

INFO = SolutionInfo(
    name=NAME,
    title="L2TPv2, unencrypted",
    summary=mark("PPP in UDP datagrams by xl2tpd and the kernel, with L2TPv3 inside to carry Ethernet frames."),
    space=Space.NONE,
    carrier=Carrier.UDP,
    security=NO_SECURITY,
    files_per_site=2,
    keys_per_site=1,
    is_unprotected=True,
    limitations=(
        mark("Everything inside can be read and forged by anyone on the path."),
        mark("Its login by CHAP keeps strangers from calling, and protects no packet."),
        mark(
            "It can be measured, for a plant that still has it, but is never deployed: WireGuard, IPsec or OpenVPN "
            "replaces it."
        ),
    ),
    sources=("RFC 2661", "RFC 3193 section 1", "xl2tpd.conf(5) of xl2tpd 1.3.18", "pppd(8) of ppp 2.4.9"),
    design=("l2tpv2",),
    routing=mark("Bridges learn hardware addresses; one call of L2TP and one L2TPv3 session per pair of sites."),
    mesh=MeshEffort(files=PerSite(1, 1), routes=PerSite(2, -2), keys=PerSite(1, -1)),
)
"""The mesh: one configuration with a section and one file of options for each call; a session and a bridge's line."""
