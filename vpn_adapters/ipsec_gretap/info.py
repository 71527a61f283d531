"""Facts about GRE with Ethernet over IPsec."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY
from vpn_adapters.shared.strongswan.protocol import DESIGN, NO_NAT, PPK_LIMITATION

NAME = "ipsec-gretap"

INFO = SolutionInfo(
    name=NAME,
    title="IPsec with GRE",
    summary=mark(
        "IKEv2 by strongSwan and the kernel's ESP in transport mode, around GRE that carries Ethernet frames."
    ),
    space=Space.KERNEL,
    carrier=Carrier.ESP,
    security=FULL_SECURITY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark(
            "GRE has no protection itself: only the firewall table keeps frames from going on in clear without IPsec."
        ),
        NO_NAT,
        PPK_LIMITATION,
        mark("Between the same two addresses the hosts can have no other GRE tunnel that IPsec does not protect."),
    ),
    sources=(
        "RFC 7296",
        "RFC 4303",
        "RFC 8221",
        "RFC 8247",
        "RFC 2784",
        "RFC 2890",
        "swanctl.conf(5) of strongSwan 6.0.1",
    ),
    design=DESIGN,
    routing=mark("Bridges learn hardware addresses; one GRE interface and one transport-mode SA per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 2), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
