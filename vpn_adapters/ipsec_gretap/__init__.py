"""IPsec by strongSwan around GRE: Ethernet frames in packets that the kernel encrypts.

What is IPsec's is in `shared.strongswan`; here are the gretap interface and the guard that drops GRE which did not
come through ESP. Must not touch an IKE daemon of the host's own, or GRE interfaces that it did not make.
"""

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
