"""WireGuard carrying L2TPv3: Ethernet frames inside an encrypted layer-3 tunnel of the kernel.

What is WireGuard's is in `shared.wireguard`; here are the L2TPv3 session with its cookies, and the guard that drops
what did not come through the tunnel. Reads wg-quick's files for the linter. Must not touch an interface of the host's
own.
"""

from __future__ import annotations

from app.domain.adapters import Encapsulation, PlanRequest, PlanStep
from app.domain.firewall import Opening
from app.domain.hosts import Side
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.rendering import public_value
from vpn_adapters.shared.wireguard.adapter import wireguard_adapter
from vpn_adapters.shared.wireguard.identity import PUBLIC_KEY
from vpn_adapters.shared.wireguard.plan import Inside
from vpn_adapters.wireguard.info import INFO, NAME


def _session(request: PlanRequest, side: Side) -> PlanStep:
    ends = request.link.carrier(side), request.link.carrier(side.other)
    keys = tuple(public_value(request.identity(end), PUBLIC_KEY, end) for end in Side)
    return l2tpv3.create_step(request.link, side, ends, l2tpv3.CookieSeed(words=keys))


INSIDE = Inside(
    solution=NAME,
    encapsulation=Encapsulation.L2TPV3,
    kernel_modules=l2tpv3.KERNEL_MODULES,
    packet_bytes=l2tpv3.packet_bytes,
    guard=guards.interface_step,
    session=_session,
    opening=lambda link, side: Opening("l2tp", 0, link.carrier(side.other), link.names.wireguard_interface),
)
adapter = wireguard_adapter(INFO, INSIDE)
