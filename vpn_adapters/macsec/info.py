"""Constant properties of MACsec over L2TPv3."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import NO_FORWARD_SECRECY

NAME = "macsec"

INFO = SolutionInfo(
    name=NAME,
    title="MACsec over L2TPv3",
    summary=mark("Each Ethernet frame encrypted by the kernel's MACsec, and carried by L2TPv3."),
    space=Space.KERNEL,
    carrier=Carrier.IP,
    security=NO_FORWARD_SECRECY,
    files_per_site=1,
    keys_per_site=1,
    limitations=(
        mark("Both hosts hold the same secret, and an attacker who gets it later can read what was recorded before."),
        mark("Static keys are never renewed: without extended packet numbers, traffic stops after 4 billion frames."),
        mark(
            "An attacker on the path can see the hardware addresses of both gateways' interfaces and forge "
            "L2TPv3 headers."
        ),
        mark("It uses IP protocol 115, which network address translation usually does not pass."),
    ),
    sources=(
        "IEEE 802.1AE-2018",
        "IEEE 802.1X-2020 section 9 (MKA)",
        "RFC 3931",
        "ip-macsec(8)",
        "wpa_supplicant.conf(5)",
    ),
    routing=mark("Bridges learn hardware addresses; one L2TPv3 session and one MACsec interface per pair of sites."),
    mesh=MeshEffort(files=PerSite(1, -1), routes=PerSite(3, -3), keys=PerSite(1, -1)),
)
