"""Constant properties of PPP over TLS by stunnel."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

NAME = "stunnel"

INFO = SolutionInfo(
    name=NAME,
    title="stunnel with PPP",
    summary=mark("pppd on both hosts, one TLS connection by stunnel, and L2TPv3 inside to carry Ethernet frames."),
    space=Space.USER,
    carrier=Carrier.TCP,
    security=FULL_SECURITY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark(
            "It can be measured, for a plant that still has it, but is never deployed: WireGuard replaces it, or where "
            "only TCP passes, OpenVPN."
        ),
        mark("One lost packet holds up every frame behind it, and TCP inside TCP slows down badly on lossy links."),
        mark("Each frame crosses three layers more than it needs: L2TPv3, PPP and a pseudo-terminal."),
        mark("stunnel and pppd run as root for as long as the tunnel is up."),
    ),
    sources=(
        "RFC 1661",
        "RFC 1662",
        "RFC 8446",
        "Honda et al.: Understanding TCP over TCP, SPIE 2005",
        "stunnel(8) of stunnel 5.68; pppd(8) of ppp 2.4.9",
    ),
    design=("ppp-over-tls",),
    routing=mark("Bridges learn hardware addresses; one TLS connection and one L2TPv3 session per pair of sites."),
    mesh=MeshEffort(files=PerSite(3, -3), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
"""The mesh: per peer a configuration, its certificate and a file of options; one own key."""
