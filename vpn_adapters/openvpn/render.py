"""OpenVPN's configuration files.

A is the server and B its client. There is no address pool and no route; what the server pushes beyond timers and the
negotiated cipher is refused. Point-to-point mode would do as well, but needs one to three seconds more to be up, and in
OpenVPN 2.5 it negotiates no cipher. Source: openvpn(8) of OpenVPN 2.6.14.
"""

from __future__ import annotations

from app.domain.adapters import Carrier, PlanRequest
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.openvpn.identity import FINGERPRINT, certificate_path, key_path
from vpn_adapters.shared.rendering import public_value, render_file, setting


def config_path(link: Link) -> str:
    """Return where the configuration lies on each host."""
    return f"{link.run_dir}/openvpn.conf"


def log_path(link: Link) -> str:
    """Return where the daemon's log lies on each host."""
    return f"{link.run_dir}/openvpn.log"


def pid_path(link: Link) -> str:
    """Return where the daemon's process id lies on each host."""
    return f"{link.run_dir}/openvpn.pid"


def config(carrier: Carrier, request: PlanRequest, side: Side) -> bytes:
    """Return the configuration file of one side.

    Args:
        carrier: UDP or TCP.
        request: Link, suite and identities.
        side: The end.

    Returns:
        The file; there is no secret in it.
    """
    lines = [
        *_transport(carrier, request.link, side),
        *_device(request.link),
        *_authentication(request, side),
        *_cryptography(request),
        *_timers(side),
    ]
    return render_file((*request.header, f"Suite: {request.suite.title}"), lines)


def _transport(carrier: Carrier, link: Link, side: Side) -> list[str]:
    own, peer = link.underlay(side), link.underlay(side.other)
    port = link.names.udp_port if carrier is Carrier.UDP else link.names.tcp_port
    if carrier is Carrier.UDP:
        server, client = ["proto udp4"], ["proto udp4"]
    else:
        server = ["proto tcp4-server", "socket-flags TCP_NODELAY"]
        client = ["proto tcp4-client", "socket-flags TCP_NODELAY", "connect-retry 1 1", "connect-timeout 5"]
    if side is Side.A:
        return [*server, f"local {own}", f"port {port}"]
    return [*client, "nobind", f"remote {peer} {port}"]


def _device(link: Link) -> list[str]:
    # The device exists already and outlives the daemon, so that frames stop when the daemon does.
    return [f"dev {link.names.ethernet_interface}", "dev-type tap", f"tun-mtu {link.inner_mtu_bytes}"]


def _authentication(request: PlanRequest, side: Side) -> list[str]:
    server = ["mode server", "tls-server", "dh none"]
    client = ["tls-client", "pull", "route-nopull", "pull-filter ignore ifconfig"]
    fingerprint = public_value(request.identity(side.other), FINGERPRINT, side.other)
    return [
        *(server if side is Side.A else client),
        f"cert {certificate_path(request.link)}",
        f"key {key_path(request.link)}",
        f"peer-fingerprint {fingerprint}",
    ]


def _cryptography(request: PlanRequest) -> list[str]:
    return [
        "tls-version-min 1.3",
        f"tls-ciphersuites {setting(request, 'tls-ciphersuites')}",
        f"tls-groups {setting(request, 'tls-groups')}",
        f"data-ciphers {setting(request, 'data-ciphers')}",
        f"auth {setting(request, 'auth')}",
        "allow-compression no",
        "script-security 1",
    ]


def _timers(side: Side) -> list[str]:
    # The server pushes its timers to the client.
    keepalive = ["keepalive 2 10"] if side is Side.A else []
    return [*keepalive, "tls-timeout 1", "persist-key", "persist-tun", "verb 3"]
