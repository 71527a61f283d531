"""PPP over TLS between two hosts: pppd on both, one TLS connection by stunnel, and L2TPv3 inside for Ethernet frames.

For comparison alone: no suite of it is ever deployed. Each host knows the other's certificate, and nothing else. Must
not touch a stunnel of the host's own, and must not read or write files of its PPP.
"""

from __future__ import annotations

from vpn_adapters.shared import certificates
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.stunnel import discovery, info, plan, suites

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    identity=lambda request, side: certificates.tls_recipe(request.link, side, plan.STEM),
    parse_identity=certificates.identity,
)
