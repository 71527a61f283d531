"""freelan 2 between two peers: FSCP with certificates, Ethernet frames in UDP datagrams.

Certificates are made on the hosts that use them, and each host accepts its peer's alone. The host route that freelan
leaves when it is killed is noted and removed. Must not read a private key, and must not use a configuration of the
host's own.
"""

from __future__ import annotations

from vpn_adapters.freelan import discovery, identity, info, plan, suites
from vpn_adapters.shared import certificates
from vpn_adapters.shared.modular import ModularAdapter

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    census=suites.census,
    identity=lambda request, side: identity.recipe(request.link, side),
    parse_identity=certificates.identity,
)
