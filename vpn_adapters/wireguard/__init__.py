"""WireGuard carrying L2TPv3: Ethernet frames inside an encrypted layer-3 tunnel of the kernel."""

from __future__ import annotations

from vpn_adapters.shared import l2tpv3
from vpn_adapters.shared.wireguard.adapter import wireguard_adapter
from vpn_adapters.wireguard import info, plan

adapter = wireguard_adapter(info.INFO, l2tpv3.KERNEL_MODULES, plan.make)
