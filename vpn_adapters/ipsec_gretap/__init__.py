"""IPsec by strongSwan around GRE: Ethernet frames in packets that the kernel encrypts."""

from __future__ import annotations

from app.domain.adapters import Encapsulation
from vpn_adapters.ipsec_gretap.info import INFO, NAME
from vpn_adapters.shared import gretap, guards
from vpn_adapters.shared.strongswan.adapter import strongswan_adapter
from vpn_adapters.shared.strongswan.payload import Payload

adapter = strongswan_adapter(
    INFO,
    Payload(
        solution=NAME,
        encapsulation=Encapsulation.GRE,
        ip_protocol=gretap.IP_PROTOCOL,
        protocol="gre",
        header_bytes=gretap.HEADER_BYTES,
        kernel_modules=gretap.KERNEL_MODULES,
        guard=guards.gre_step,
        session=lambda link, side, _keys: gretap.create_step(link, side),
    ),
)
