"""Static facts about WireGuard."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY
from vpn_adapters.shared.wireguard.protocol import KEM_LIMITATION, LIMITATION

NAME = "wireguard"

INFO = SolutionInfo(
    name=NAME,
    title="WireGuard with L2TPv3",
    summary=mark("The kernel's WireGuard, with L2TPv3 inside to carry Ethernet frames."),
    space=Space.KERNEL,
    carrier=Carrier.UDP,
    security=FULL_SECURITY,
    files_per_site=0,
    keys_per_site=2,
    limitations=(LIMITATION, KEM_LIMITATION),
    sources=("https://www.wireguard.com/papers/wireguard.pdf", "wg(8)", "RFC 3931"),
    routing=mark(
        "Bridges learn hardware addresses; one WireGuard interface per site, one L2TPv3 session per pair of sites."
    ),
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(2, -2), keys=PerSite(1, 0)),
)
