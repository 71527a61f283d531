"""A hub of IPsec with many clients."""

from __future__ import annotations

from vpn_adapters.ipsec import adapter
from vpn_adapters.ipsec.info import NAME
from vpn_adapters.shared.strongswan.hub import StrongswanHub

hub = StrongswanHub(NAME, adapter)
