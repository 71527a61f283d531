"""Constant properties of PPTP."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import UNAUTHENTICATED

NAME = "pptp"

INFO = SolutionInfo(
    name=NAME,
    title="PPTP",
    summary=mark("PPP with MPPE in GRE packets, a VPN of 1996, with L2TPv3 inside to carry Ethernet frames."),
    space=Space.KERNEL,
    carrier=Carrier.IP,
    # MS-CHAPv2 authenticates the login alone; MPPE encrypts with RC4, and no packet is authenticated.
    security=UNAUTHENTICATED,
    files_per_site=2,
    keys_per_site=1,
    limitations=(
        mark(
            "It can be measured, for a plant that still has it, but is never deployed: WireGuard, IPsec or OpenVPN "
            "replaces it."
        ),
        mark("A recorded login gives away the keys of all packets, by one search of DES's keys."),
        mark("No packet is authenticated, and RC4 lets single bits be flipped on purpose."),
        mark("It needs TCP port 1723 and GRE (IP protocol 47), which network address translation often does not pass."),
    ),
    sources=(
        "RFC 2637",
        "RFC 2759",
        "RFC 3078",
        "RFC 7465",
        "Marlinspike, Hulton: Divide and Conquer, DEF CON 20, 2012",
        "Schneier, Mudge: Cryptanalysis of PPTP, ACM CCS 1998",
        "pppd(8) of ppp 2.4.9; pptpd.conf(5) of pptpd 1.4.0; pptp(8) of pptp-linux 1.10.0",
    ),
    design=("pptp",),
    routing=mark("Bridges learn hardware addresses; one call of PPTP and one L2TPv3 session per pair of sites."),
    mesh=MeshEffort(files=PerSite(1, 1), routes=PerSite(2, -2), keys=PerSite(1, -1)),
)
"""The mesh: one file of options for the server and one for each call; a session and a bridge's line for each."""
