"""Static facts about IPsec around L2TPv3."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY
from vpn_adapters.shared.strongswan.protocol import DESIGN, NO_NAT, PPK_LIMITATION

NAME = "ipsec"

INFO = SolutionInfo(
    name=NAME,
    title="IPsec with L2TPv3",
    summary=mark(
        "IKEv2 by strongSwan and the kernel's ESP in transport mode, around L2TPv3 that carries Ethernet frames."
    ),
    space=Space.KERNEL,
    carrier=Carrier.ESP,
    security=FULL_SECURITY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark(
            "L2TPv3 has no protection itself: only the firewall table keeps frames from going on in clear "
            "without IPsec."
        ),
        NO_NAT,
        PPK_LIMITATION,
    ),
    sources=("RFC 7296", "RFC 4303", "RFC 8221", "RFC 8247", "RFC 3931", "swanctl.conf(5) of strongSwan 6.0.1"),
    design=DESIGN,
    routing=mark("Bridges learn hardware addresses; one L2TPv3 session and one transport-mode SA per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 2), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
