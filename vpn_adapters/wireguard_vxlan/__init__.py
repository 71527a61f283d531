"""WireGuard carrying VXLAN: Ethernet frames inside an encrypted layer-3 tunnel of the kernel."""

from __future__ import annotations

from vpn_adapters.shared import vxlan
from vpn_adapters.shared.wireguard.adapter import WireguardAdapter
from vpn_adapters.wireguard_vxlan import info, plan

adapter = WireguardAdapter(info.INFO, vxlan.KERNEL_MODULES, vxlan.missing_parts, plan.make)
