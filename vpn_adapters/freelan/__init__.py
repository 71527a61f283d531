"""freelan 2 between two peers: FSCP with certificates, Ethernet frames in UDP datagrams."""

from __future__ import annotations

from vpn_adapters.freelan import discovery, identity, info, plan, suites
from vpn_adapters.shared.modular import ModularAdapter

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    census=suites.census,
    identity=lambda request, side: identity.recipe(request.link, side),
    parse_identity=identity.parse,
)
