"""OpenVPN's configuration files.

A runs as TLS server and B as TLS client, in point-to-point mode: there is one peer, no address pool and nothing is
pushed. Source: openvpn(8) of OpenVPN 2.6.14.
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
        *_timers(),
    ]
    return render_file((*request.header, f"Suite: {request.suite.title}"), lines)


def _transport(carrier: Carrier, link: Link, side: Side) -> list[str]:
    own, peer = link.underlay(side), link.underlay(side.other)
    if carrier is Carrier.UDP:
        # Both ends know each other's address, and both begin: whichever starts last finds the other one waiting.
        port = link.names.udp_port
        return ["proto udp4", f"local {own}", f"port {port}", f"remote {peer} {port}"]
    port = link.names.tcp_port
    # `tcp-nodelay` is a macro of server mode; this is what it stands for, on both ends.
    if side is Side.A:
        return ["proto tcp4-server", f"local {own}", f"port {port}", "socket-flags TCP_NODELAY"]
    return [
        "proto tcp4-client",
        "nobind",
        f"remote {peer} {port}",
        "connect-retry 1 1",
        "connect-timeout 5",
        "socket-flags TCP_NODELAY",
    ]


def _device(link: Link) -> list[str]:
    # The device exists already and outlives the daemon, so that frames stop when the daemon does.
    return [f"dev {link.names.ethernet_interface}", "dev-type tap", f"tun-mtu {link.inner_mtu_bytes}"]


def _authentication(request: PlanRequest, side: Side) -> list[str]:
    role = ["tls-server", "dh none"] if side is Side.A else ["tls-client"]
    fingerprint = public_value(request.identity(side.other), FINGERPRINT, side.other)
    return [
        *role,
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


def _timers() -> list[str]:
    return ["tls-timeout 1", "ping 2", "ping-restart 10", "ping-timer-rem", "persist-key", "persist-tun", "verb 3"]
