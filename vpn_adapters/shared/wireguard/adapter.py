"""The adapter of a VPN over WireGuard."""

from __future__ import annotations

from functools import partial

from app.domain.solutions import SolutionInfo
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.wireguard import discovery, identity, plan
from vpn_adapters.shared.wireguard.plan import Inside
from vpn_adapters.shared.wireguard.protocol import offered


def wireguard_adapter(info: SolutionInfo, inside: Inside) -> ModularAdapter:
    """Return the adapter of a VPN whose packets inside are these."""
    return ModularAdapter(
        info=info,
        commands=discovery.commands(*inside.kernel_modules),
        parse_discovery=lambda outputs: discovery.parse(outputs, info.name, inside.kernel_modules),
        suites=partial(offered, info.name),
        plan=partial(plan.make, inside),
        identity=identity.recipe,
        parse_identity=identity.parse,
    )
