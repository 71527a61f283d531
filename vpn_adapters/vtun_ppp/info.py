"""Constant properties of PPP over VTun."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import UNAUTHENTICATED
from vpn_adapters.shared.vtund import limitations

NAME = "vtun-ppp"

INFO = SolutionInfo(
    name=NAME,
    title="VTun with PPP",
    summary=mark("pppd on both hosts, a session of VTun between them, and L2TPv3 inside to carry Ethernet frames."),
    space=Space.USER,
    carrier=Carrier.UDP,
    # The client proves that it has the password, the server proves nothing, and no packet is authenticated.
    security=UNAUTHENTICATED,
    files_per_site=2,
    keys_per_site=1,
    limitations=(
        limitations.NEVER_DEPLOYED,
        limitations.NO_AUTHENTICATION,
        limitations.SERVER_NAMES_CIPHER,
        limitations.MD5_KEY,
        mark("Each frame crosses three layers more than it needs: L2TPv3, PPP and a pseudo-terminal."),
        limitations.NOT_DEVELOPED,
    ),
    sources=(
        "RFC 1661",
        "RFC 1662",
        "vtund(8), vtund.conf(5) of VTun 3.0.4; pppd(8) of ppp 2.4.9",
        "VTun 3.0.4: auth.c, lfd_encrypt.c, netlib.c",
        "Gutmann: Linux's answer to MS-PPTP, 2003",
    ),
    design=("ppp-over-vtun",),
    routing=mark("Bridges learn hardware addresses; one session of VTun and one of L2TPv3 per pair of sites."),
    mesh=MeshEffort(files=PerSite(1, 0), routes=PerSite(2, -2), keys=PerSite(1, -1)),
)
"""The mesh: one file of sessions and one of options for each peer; a session and a bridge's line for each."""
