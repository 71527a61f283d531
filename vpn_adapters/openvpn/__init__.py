"""OpenVPN with a tap device between two peers, over UDP or TCP: two solutions of one program.

Server on A, client on B; each pins its peer's certificate, and the client takes nothing that the server pushes.
Ciphers and digests are those that both programs list. Must not write an option that the host's version does not know.
"""

from __future__ import annotations

from functools import partial

from app.domain.solutions import Carrier
from vpn_adapters.openvpn import census, discovery, identity, info, plan, suites
from vpn_adapters.shared.modular import ModularAdapter


def _adapter(carrier: Carrier) -> ModularAdapter:
    own = info.INFOS[carrier]
    return ModularAdapter(
        info=own,
        commands=discovery.COMMANDS,
        parse_discovery=lambda outputs: discovery.parse(outputs, own.name),
        suites=partial(suites.offered, own.name),
        plan=partial(plan.make, carrier),
        census=partial(census.options, own.name),
        identity=lambda request, side: identity.recipe(request.link, side),
        parse_identity=identity.parse,
    )


udp_adapter = _adapter(Carrier.UDP)
tcp_adapter = _adapter(Carrier.TCP)
