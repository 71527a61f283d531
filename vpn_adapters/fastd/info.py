"""Constant properties of fastd."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import FULL_SECURITY

NAME = "fastd"

INFO = SolutionInfo(
    name=NAME,
    title="fastd",
    summary=mark("A small daemon in user space, made for community networks, passes Ethernet frames in UDP datagrams."),
    space=Space.USER,
    carrier=Carrier.UDP,
    security=FULL_SECURITY,
    files_per_site=2,
    keys_per_site=2,
    limitations=(
        mark("Its handshake is used by no other program and hardly reviewed; no guideline lists its fast ciphers."),
        mark(
            "A host that was restarted within 15 seconds of the last handshake is ignored by its peer until they are "
            "over, and sometimes for as long again."
        ),
        mark(
            "Before version 23, a forged packet makes the side that is called send a handshake several times as large "
            "(CVE-2025-24356): let only the peer's address reach its port."
        ),
    ),
    sources=(
        "fastd(1) of fastd 21, 22 and 23",
        "https://fastd.readthedocs.io/, chapters on configuration, methods and FHMQV-C",
    ),
    design=("ec25519-fhmqvc",),
    routing=mark("The daemon learns hardware addresses like a switch; every site keeps a session with every other."),
    mesh=MeshEffort(files=PerSite(0, 2), routes=PerSite(0, 1), keys=PerSite(1, 0)),
)
"""The mesh: one configuration with all peers in it and the site's secret; one bridge; the site's own secret and the
public key of each of its peers."""
