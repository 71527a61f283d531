"""Constant properties of OpenSSH's tap forwarding."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

NAME = "ssh"

INFO = SolutionInfo(
    name=NAME,
    title="OpenSSH tap forwarding",
    summary=mark("An sshd of its own and a client join two tap devices, Ethernet frames in one TCP connection."),
    space=Space.USER,
    carrier=Carrier.TCP,
    security=FULL_SECURITY,
    files_per_site=2,
    keys_per_site=2,
    limitations=(
        mark("One lost packet holds up every frame behind it, and TCP inside TCP slows down badly on lossy links."),
        mark("Client and server run as root for as long as the tunnel is up."),
    ),
    sources=(
        "RFC 4251",
        "RFC 4253",
        "ssh(1), sshd_config(5) of OpenSSH 8.4 and 10.0",
        "OpenSSH: PROTOCOL, section 2.3",
    ),
    design=("SSH-2",),
    routing=mark("Bridges learn hardware addresses; one connection and one pair of tap devices per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 4), routes=PerSite(2, -2), keys=PerSite(2, 0)),
)
"""Files: sshd_config, authorized_keys, ssh_config and known_hosts, since in a full mesh a site is server and client.
Keys: a host key and a client key of its own, and both of each peer."""
