"""Every VPN that Tunnelmark knows: the one explicit table."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import Adapter
from app.domain.hubs import Hub, SessionHub
from app.domain.node_protection import NodeProtection
from vpn_adapters import (
    baseline,
    fastd,
    freelan,
    ipsec,
    ipsec_gretap,
    l2tp,
    libreswan,
    macsec,
    openvpn,
    ppp_ssh,
    pptp,
    ssh,
    stunnel,
    tinc,
    vtun,
    vtun_ppp,
    wireguard,
    wireguard_vxlan,
    xl2tpd,
)
from vpn_adapters.macsec import nodes
from vpn_adapters.openvpn import hub as openvpn_hub
from vpn_adapters.ssh import hub as ssh_hub
from vpn_adapters.tinc import hub as tinc_hub
from vpn_adapters.wireguard import hub as wireguard_hub

ADAPTERS: Mapping[str, Adapter] = {
    one.info.name: one
    for one in (
        baseline.adapter,
        l2tp.adapter,
        wireguard.adapter,
        ipsec.adapter,
        macsec.adapter,
        openvpn.udp_adapter,
        openvpn.tcp_adapter,
        tinc.adapter,
        ssh.adapter,
        freelan.adapter,
        wireguard_vxlan.adapter,
        ipsec_gretap.adapter,
        fastd.adapter,
        vtun.adapter,
        vtun_ppp.adapter,
        pptp.adapter,
        xl2tpd.adapter,
        ppp_ssh.adapter,
        stunnel.adapter,
        libreswan.adapter,
    )
}
"""Adapters by their solution's name, references first."""

NODE_PROTECTIONS: Mapping[str, NodeProtection] = {one.solution: one for one in (nodes.protection,)}
"""Protections of nodes' frames by their solution's name."""

HUBS: Mapping[str, Hub] = {
    one.solution: one for one in (wireguard_hub.hub, openvpn_hub.hub, ipsec.hub, ssh_hub.hub, tinc_hub.hub)
}
"""Hubs with many clients by their solution's name."""

SESSION_HUBS: Mapping[str, SessionHub] = {
    one.solution: one for one in (wireguard_hub.hub, openvpn_hub.hub, ipsec.hub, tinc_hub.hub)
}
"""Those of them whose clients remain connected and come back by themselves."""
