"""Constant properties of OpenVPN over UDP and over TCP."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

_SOURCES = ("openvpn(8) of OpenVPN 2.5.1 and 2.6.14", "https://community.openvpn.net/openvpn/wiki/SecurityOverview")
_MESH = MeshEffort(files=PerSite(1, -1), routes=PerSite(2, -2), keys=PerSite(1, 0))
"""Per peer a configuration with its certificate pinned, a tap interface and its place in the bridge; one own key."""


def _info(carrier: Carrier, summary: str, limitations: tuple[str, ...]) -> SolutionInfo:
    return SolutionInfo(
        name=f"openvpn-{carrier}",
        title=f"OpenVPN over {carrier.upper()}",
        summary=summary,
        space=Space.USER,
        carrier=carrier,
        security=FULL_SECURITY,
        files_per_site=3,
        keys_per_site=2,
        limitations=limitations,
        sources=_SOURCES,
        design=("openvpn-data-channel",),
        routing=mark("Bridges learn hardware addresses; one tap interface and one OpenVPN per pair of sites."),
        mesh=_MESH,
    )


INFOS: Mapping[Carrier, SolutionInfo] = {
    Carrier.UDP: _info(Carrier.UDP, mark("A TLS-keyed tunnel in user space, Ethernet frames in UDP datagrams."), ()),
    Carrier.TCP: _info(
        Carrier.TCP,
        mark("A TLS-keyed tunnel in user space, Ethernet frames in one TCP connection; passes where UDP does not."),
        (mark("One lost packet holds up every frame behind it, and TCP inside TCP slows down badly on lossy links."),),
    ),
}
