"""freelan's configuration file, and the peer's certificate beside it.

Each end takes its peer's self-signed certificate for its only authority. A certificate that is no authority cannot
issue others, so that the peer's key is the only one that is let in. What freelan does by default beyond a tunnel is
switched off: the server and client of its HTTP interface, contacts that peers propose, UPnP, the DHCP and ARP proxies,
routes and name servers from peers. Source: freelan.cfg and `freelan --help` of freelan 2.2.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from vpn_adapters.freelan.identity import STEM
from vpn_adapters.shared.certificates import CERTIFICATE, certificate_path, key_path
from vpn_adapters.shared.rendering import public_value, render_file, run_file, setting

config_path = run_file("freelan.cfg")
"""Path of the configuration on each host."""
peer_certificate_path = run_file("freelan-peer.crt")
"""Path of the peer's certificate."""


def config(request: PlanRequest, side: Side) -> bytes:
    """Return the configuration file of one side."""
    link, port = request.link, request.link.names.freelan_port
    sections = {
        "server": ["enabled=no"],
        "client": ["enabled=no"],
        "fscp": [
            "hostname_resolution_protocol=ipv4",
            f"listen_on={link.underlay(side)}:{port}",
            f"contact={link.underlay(side.other)}:{port}",
            "accept_contact_requests=no",
            "accept_contacts=no",
            "upnp_enabled=no",
            f"cipher_suite_capability={setting(request, 'cipher-suite')}",
            f"elliptic_curve_capability={setting(request, 'curve')}",
        ],
        "security": [
            f"signature_certificate_file={certificate_path(link, STEM)}",
            f"signature_private_key_file={key_path(link, STEM)}",
            "certificate_validation_method=default",
            f"authority_certificate_file={peer_certificate_path(link)}",
        ],
        "tap_adapter": [
            "type=tap",
            "enabled=yes",
            f"name={link.names.ethernet_interface}",
            f"mtu={link.inner_mtu_bytes}",
            "mss_override=disabled",
            "dhcp_proxy_enabled=no",
            "arp_proxy_enabled=no",
        ],
        "switch": ["routing_method=switch", "relay_mode_enabled=no"],
        "router": [
            "accept_routes_requests=no",
            "client_routing_enabled=no",
            "internal_route_acceptance_policy=none",
            "system_route_acceptance_policy=none",
            "dns_servers_acceptance_policy=none",
        ],
    }
    return render_file(request.header, [line for name, body in sections.items() for line in (f"[{name}]", *body)])


def peer_certificate(request: PlanRequest, side: Side) -> bytes:
    """Return the certificate of the other side as a file; text before a certificate is passed over.

    Source: RFC 7468 section 2, "explanatory text".
    """
    certificate = public_value(request.identity(side.other), CERTIFICATE, side.other)
    return render_file(request.header, certificate.splitlines())
