"""L2TPv2 by xl2tpd between two hosts: PPP in UDP datagrams without encryption, and L2TPv3 inside for Ethernet frames.

For comparison alone: marked as unprotected, never recommended and never deployed. Must not put the password on a
command line, and must not read or write files of the host's own PPP.
"""

from __future__ import annotations

from vpn_adapters.shared import discovering, ppp
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.security import NO_PROTECTION
from vpn_adapters.xl2tpd import discovery, info, plan

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=lambda a, b: (NO_PROTECTION,) if discovering.are_both_able(info.NAME, a, b) else (),
    plan=plan.make,
    identity=lambda request, side: ppp.recipe(request.link, side),
)
