"""WireGuard carrying VXLAN: Ethernet frames inside an encrypted layer-3 tunnel of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.adapters import Setting
from vpn_adapters.shared import vxlan
from vpn_adapters.shared.wireguard.adapter import WireguardAdapter
from vpn_adapters.wireguard_vxlan import info, plan


def _read_nothing(text: str) -> Sequence[Setting]:
    """Return nothing: files of WireGuard are read by the adapter `wireguard`."""
    del text
    return ()


adapter = WireguardAdapter(info.INFO, vxlan.KERNEL_MODULES, vxlan.missing_parts, plan.make, _read_nothing)
