"""Facts about VXLAN over WireGuard."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY
from vpn_adapters.shared.wireguard.protocol import KEM_LIMITATION, LIMITATION

NAME = "wireguard-vxlan"

INFO = SolutionInfo(
    name=NAME,
    title="WireGuard with VXLAN",
    summary=mark("The kernel's WireGuard, with VXLAN inside to carry Ethernet frames."),
    space=Space.KERNEL,
    carrier=Carrier.UDP,
    security=FULL_SECURITY,
    files_per_site=0,
    keys_per_site=2,
    limitations=(
        LIMITATION,
        KEM_LIMITATION,
        mark(
            "VXLAN takes packets from any address: only the firewall table keeps out what did not come "
            "through WireGuard."
        ),
    ),
    sources=("https://www.wireguard.com/papers/wireguard.pdf", "wg(8)", "RFC 7348", "ip-link(8)"),
    routing=mark(
        "Bridges learn hardware addresses; a WireGuard interface per site, a VXLAN interface per pair of sites."
    ),
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
