"""tinc 1.0 in switch mode: Ethernet frames in UDP datagrams between two daemons of our own.

Keys are made on the hosts; only public parts are exchanged. What was negotiated is asked of the daemon, because tinc
falls back to TCP in silence. Must not use a net of the host's own, and must not offer a cipher that one host lacks.
"""

from __future__ import annotations

from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.tinc import census, discovery, identity, info, plan, suites

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    census=census.options,
    identity=lambda request, side: identity.recipe(request.link, side),
    parse_identity=identity.parse,
)
