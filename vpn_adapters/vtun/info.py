"""Constant properties of VTun."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import UNAUTHENTICATED
from vpn_adapters.shared.vtund import limitations

NAME = "vtun"

INFO = SolutionInfo(
    name=NAME,
    title="VTun",
    summary=mark("A daemon of 1998 passes Ethernet frames in UDP datagrams, with a key made of one password."),
    space=Space.USER,
    carrier=Carrier.UDP,
    # The client proves that it has the password, the server proves nothing, and no packet is authenticated.
    security=UNAUTHENTICATED,
    files_per_site=1,
    keys_per_site=1,
    limitations=(
        limitations.NEVER_DEPLOYED,
        limitations.NO_AUTHENTICATION,
        limitations.SERVER_NAMES_CIPHER,
        limitations.MD5_KEY,
        limitations.NOT_DEVELOPED,
    ),
    sources=(
        "vtund(8), vtund.conf(5) of VTun 3.0.4",
        "VTun 3.0.4: auth.c, lfd_encrypt.c, netlib.c",
        "Gutmann: Linux's answer to MS-PPTP, 2003",
    ),
    design=("vtun",),
    routing=mark("Bridges learn hardware addresses; one session and one tap interface per pair of sites."),
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(1, -1), keys=PerSite(1, -1)),
)
"""The mesh: one file with a session and a password for each peer; one tap interface of a bridge for each."""
