"""Constant properties of tinc 1.0."""

from __future__ import annotations

from app.domain.mesh import MeshEffort, PerSite
from app.domain.messages import mark
from app.domain.solutions import Carrier, SolutionInfo, Space
from vpn_adapters.shared.security import NO_FORWARD_SECRECY

NAME = "tinc"

INFO = SolutionInfo(
    name=NAME,
    title="tinc",
    summary=mark("tinc 1.0 in switch mode: daemons in user space pass Ethernet frames in UDP datagrams."),
    space=Space.USER,
    carrier=Carrier.UDP,
    security=NO_FORWARD_SECRECY,
    files_per_site=3,
    keys_per_site=2,
    limitations=(
        mark(
            "Packet keys are encrypted with RSA alone: a private key that leaks later makes recorded traffic readable."
        ),
        mark("tinc 1.0 falls back to TCP without a word where a cipher does not work; Tunnelmark checks for that."),
    ),
    sources=("tinc.conf(5), tincd(8) of tinc 1.0.36", "tinc manual, chapter Technical information"),
    design=("tinc-1.0-protocol",),
    routing=mark("The daemons learn hardware addresses like a switch and find each other's addresses by themselves."),
    mesh=MeshEffort(files=PerSite(0, 1), routes=PerSite(0, 1), keys=PerSite(0, 2)),
)
"""The mesh's figures are those of Khanvilkar and Khokhar 2004, Table 5: a site needs one other site's key only."""
