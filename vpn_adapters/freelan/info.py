"""Constant properties of freelan."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

NAME = "freelan"

INFO = SolutionInfo(
    name=NAME,
    title="freelan 2",
    summary=mark("A peer-to-peer tunnel in user space, Ethernet frames in UDP datagrams of its own protocol, FSCP."),
    space=Space.USER,
    carrier=Carrier.UDP,
    security=FULL_SECURITY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark("FSCP is freelan's own protocol and hardly reviewed; Debian has dropped freelan after Debian 11."),
        mark("Frames that arrive out of order are dropped like lost ones."),
        mark(
            "After one end was killed the other ignores its return for half a minute, until the old session "
            "has run out."
        ),
        mark("It sets a host route to its peer, which remains when it is killed; Tunnelmark removes it."),
    ),
    sources=(
        "freelan 2.2: freelan --help, freelan.cfg, CERTIFICATES.HOWTO",
        "https://github.com/freelan-developers/freelan, libs/fscp/fscp.txt",
    ),
    design=("FSCP",),
    routing=mark("A switch learns hardware addresses; every site keeps a session with every other."),
    mesh=MeshEffort(files=PerSite(1, 2), routes=PerSite(0, 1), keys=PerSite(1, 1)),
)
"""Files: freelan.cfg, the site's own certificate and the certificate of each peer. Routes: one switch (tap and bridge)
for all peers. Keys: the site's own private one and the public one of every site."""
