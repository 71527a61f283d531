"""PPTP between two hosts: PPP with MPPE in GRE packets, and L2TPv3 inside for Ethernet frames.

For comparison alone: no suite of it is ever deployed. Must not put the password on a command line, and must not read or
write files of the host's own PPP.
"""

from __future__ import annotations

from vpn_adapters.pptp import discovery, info, plan, suites
from vpn_adapters.shared import ppp
from vpn_adapters.shared.modular import ModularAdapter

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    identity=lambda request, side: ppp.recipe(request.link, side),
)
