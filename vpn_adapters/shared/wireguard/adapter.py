"""The adapter of a VPN over WireGuard."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.adapters import PlanRequest, TunnelPlan
from app.domain.solutions import SolutionInfo
from vpn_adapters.shared.discovering import are_both_able
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.wireguard import discovery, identity
from vpn_adapters.shared.wireguard.protocol import SUITE


def wireguard_adapter(
    info: SolutionInfo, kernel_modules: tuple[str, ...], plan: Callable[[PlanRequest], TunnelPlan]
) -> ModularAdapter:
    """Return the adapter."""
    return ModularAdapter(
        info=info,
        commands=discovery.commands(*kernel_modules),
        parse_discovery=lambda outputs: discovery.parse(outputs, info.name, kernel_modules),
        suites=lambda facts_a, facts_b: (SUITE,) if are_both_able(info.name, facts_a, facts_b) else (),
        plan=plan,
        identity=lambda request, side: identity.recipe(request.link, side),
        parse_identity=identity.parse,
    )
