"""The adapter of a VPN over IPsec by strongSwan."""

from __future__ import annotations

from functools import partial

from app.domain.solutions import SolutionInfo
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.strongswan import discovery, identity, plan, suites
from vpn_adapters.shared.strongswan.payload import Payload


def strongswan_adapter(info: SolutionInfo, payload: Payload) -> ModularAdapter:
    """Return the adapter of a VPN whose packets hold this payload."""
    return ModularAdapter(
        info=info,
        commands=discovery.commands(payload),
        parse_discovery=lambda outputs: discovery.parse(outputs, payload),
        suites=partial(suites.offered, payload.solution),
        plan=lambda request: plan.make(request, payload),
        census=partial(suites.census, payload.solution),
        identity=identity.recipe,
        parse_identity=identity.parse,
    )
