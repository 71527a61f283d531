"""WireGuard carrying VXLAN: Ethernet frames inside an encrypted layer-3 tunnel of the kernel."""

from __future__ import annotations

from vpn_adapters.shared import vxlan
from vpn_adapters.shared.wireguard.adapter import wireguard_adapter
from vpn_adapters.wireguard_vxlan import info, plan

adapter = wireguard_adapter(info.INFO, vxlan.KERNEL_MODULES, plan.make)
