"""IPsec by strongSwan around L2TPv3: Ethernet frames in packets that the kernel encrypts.

What is IPsec's is in `shared.strongswan`; here are the L2TPv3 session with its cookies and the guard that drops what
did not come through ESP. Reads swanctl.conf and ipsec.conf for the linter. Must not touch an IKE daemon of the host's
own.
"""

from __future__ import annotations

from app.domain.adapters import Encapsulation, PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.ipsec.info import INFO, NAME
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.strongswan.adapter import strongswan_adapter
from vpn_adapters.shared.strongswan.hub import StrongswanHub
from vpn_adapters.shared.strongswan.payload import Payload


def _session(link: Link, side: Side, keys: tuple[str, str]) -> PlanStep:
    ends = link.underlay(side), link.underlay(side.other)
    return l2tpv3.create_step(link, side, ends, l2tpv3.CookieSeed(paths=keys))


adapter = strongswan_adapter(
    INFO,
    Payload(
        solution=NAME,
        encapsulation=Encapsulation.L2TPV3,
        ip_protocol=l2tpv3.IP_PROTOCOL,
        protocol="l2tp",
        header_bytes=l2tpv3.L2TPV3_HEADER_BYTES + l2tpv3.COOKIE_BYTES,
        kernel_modules=l2tpv3.KERNEL_MODULES,
        guard=guards.ipsec_step,
        session=_session,
    ),
)
hub = StrongswanHub(NAME, adapter)
