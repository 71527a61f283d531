"""PPTP between two hosts: PPP with MPPE in GRE packets, and L2TPv3 inside for Ethernet frames.

For comparison alone: no suite of it is ever deployed. Must not put the password on a command line, and must not read or
write files of the host's own PPP.
"""

from __future__ import annotations

from app.domain.solutions import Suite
from vpn_adapters.pptp import discovery, info, plan
from vpn_adapters.shared import discovering, ppp
from vpn_adapters.shared.modular import ModularAdapter

SUITE = Suite(
    name="mppe-128",
    title="MPPE-128, MS-CHAPv2",
    algorithms=("MPPE-128", "MS-CHAPv2"),
    is_default=True,
)
"""The best that pppd has; it is insecure. Source: pppd(8) of ppp 2.4.9, require-mppe-128."""

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=lambda a, b: (SUITE,) if discovering.are_both_able(info.NAME, a, b) else (),
    plan=plan.make,
    identity=lambda request, side: ppp.recipe(request.link, side),
)
