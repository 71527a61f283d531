"""WireGuard carrying VXLAN: Ethernet frames inside an encrypted layer-3 tunnel of the kernel.

What is WireGuard's is in `shared.wireguard`; here are the VXLAN interface and the guard that drops what did not come
through the tunnel. Must not touch an interface of the host's own, and must not learn peers by multicast.
"""

from __future__ import annotations

from app.domain.adapters import Encapsulation
from app.domain.firewall import Opening
from vpn_adapters.shared import guards, vxlan
from vpn_adapters.shared.wireguard.adapter import wireguard_adapter
from vpn_adapters.shared.wireguard.plan import Inside
from vpn_adapters.wireguard_vxlan.info import INFO, NAME

adapter = wireguard_adapter(
    INFO,
    Inside(
        solution=NAME,
        encapsulation=Encapsulation.VXLAN,
        kernel_modules=vxlan.KERNEL_MODULES,
        packet_bytes=vxlan.packet_bytes,
        guard=guards.vxlan_step,
        session=lambda request, side: vxlan.create_step(request.link, side, request.link.names.wireguard_interface),
        opening=lambda link, side: Opening(
            "udp", link.names.udp_port, link.carrier(side.other), link.names.wireguard_interface
        ),
    ),
)
