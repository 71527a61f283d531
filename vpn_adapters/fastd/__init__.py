"""fastd between two peers: Ethernet frames in UDP datagrams, keys agreed on by FHMQV-C on Curve25519.

Secrets are made on the hosts that use them, and each host knows its peer's public key alone. Only one side calls: two
handshakes that cross leave the sides with different keys. Must not put a secret on a command line, and must not use a
configuration of the host's own.
"""

from __future__ import annotations

from vpn_adapters.fastd import discovery, identity, info, plan, suites
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
