"""Constant properties of PPP over SSH."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

NAME = "ppp-ssh"

INFO = SolutionInfo(
    name=NAME,
    title="PPP over SSH",
    summary=mark("pppd on both hosts, one SSH connection between them, and L2TPv3 inside to carry Ethernet frames."),
    space=Space.USER,
    carrier=Carrier.TCP,
    security=FULL_SECURITY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark(
            "It can be measured, for a plant that still has it, but is never deployed: WireGuard replaces it, or where "
            "only TCP passes, OpenSSH's own tap devices or OpenVPN."
        ),
        mark("One lost packet holds up every frame behind it, and TCP inside TCP slows down badly on lossy links."),
        mark("Each frame crosses three layers more than it needs: L2TPv3, PPP and a pseudo-terminal."),
        mark("The key that lets B in starts pppd as root on A."),
    ),
    sources=(
        "RFC 1661",
        "RFC 1662",
        "RFC 4251",
        "RFC 4253",
        "Honda et al.: Understanding TCP over TCP, SPIE 2005",
        "VPN PPP-SSH Mini-HOWTO, The Linux Documentation Project, 2001",
        "pppd(8) of ppp 2.4.9; ssh(1), sshd_config(5) of OpenSSH 9.2",
    ),
    design=("ppp-over-ssh", "SSH-2"),
    routing=mark("Bridges learn hardware addresses; one SSH connection and one L2TPv3 session per pair of sites."),
    mesh=MeshEffort(files=PerSite(1, 4), routes=PerSite(2, -2), keys=PerSite(2, 0)),
)
"""The mesh: sshd_config, authorized_keys, ssh_config, known_hosts, and one file of options for each call."""
