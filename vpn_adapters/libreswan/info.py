"""Static facts about IPsec by Libreswan around L2TPv3."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY
from vpn_adapters.shared.strongswan.protocol import DESIGN, NO_NAT

NAME = "libreswan"

INFO = SolutionInfo(
    name=NAME,
    title="IPsec with Libreswan",
    summary=mark(
        "IKEv2 by Libreswan and the kernel's ESP in transport mode, around L2TPv3 that carries Ethernet frames."
    ),
    space=Space.KERNEL,
    carrier=Carrier.ESP,
    security=FULL_SECURITY,
    files_per_site=2,
    keys_per_site=2,
    limitations=(
        mark("It can be compared but is never deployed: IPsec by strongSwan gives the same packets and is deployed."),
        mark(
            "When it starts and stops, it deletes every policy and state of IPsec in the kernel, so that it is "
            "measured only on hosts that have none."
        ),
        NO_NAT,
    ),
    sources=(
        "RFC 7296",
        "RFC 4303",
        "RFC 8221",
        "RFC 8247",
        "RFC 3931",
        "ipsec.conf(5) and ipsec-pluto(8) of Libreswan 5.2",
    ),
    design=(*DESIGN, NAME),
    routing=mark("Bridges learn hardware addresses; one L2TPv3 session and one transport-mode SA per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
"""The mesh: one configuration with a section for each peer, which has the peer's public key in it."""
