"""OpenVPN's configuration files.

Each end pins its peer's certificate in the way that its own version has: 2.6 by its fingerprint, 2.5 by taking the
self-signed certificate for its only certificate authority. A certificate that is no authority cannot issue others, so
that the peer's key is the only one that is let in. The two ways go together on one tunnel.

A is the server and B its client. There is no address pool and no route; what the server pushes beyond timers and the
negotiated cipher is refused. Point-to-point mode would do as well, but needs one to three seconds more to be up, and in
OpenVPN 2.5 it negotiates no cipher. Source: openvpn(8) of OpenVPN 2.5.1 and 2.6.14.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side, SolutionSupport
from app.domain.keepalive import INTERVAL_S, LOST_INTERVALS
from app.domain.link import Link
from app.domain.solutions import Carrier
from vpn_adapters.openvpn.discovery import PEER_FINGERPRINT
from vpn_adapters.openvpn.identity import FINGERPRINT, STEM
from vpn_adapters.openvpn.info import INFOS
from vpn_adapters.openvpn.suites import PROVIDERS
from vpn_adapters.openvpn.support import needs_legacy_provider, spelling
from vpn_adapters.shared.certificates import CERTIFICATE, certificate_path, key_path
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file

_NO_NAGLE = ("socket-flags TCP_NODELAY",)
"""Small frames are sent at once."""

config_path = run_file("openvpn.conf")
"""Path of the configuration on each host."""
log_path = run_file("openvpn.log")
"""Path of the daemon's log on each host."""
pid_path = run_file("openvpn.pid")
"""Path of the daemon's process id on each host."""


def config(carrier: Carrier, request: PlanRequest, side: Side) -> bytes:
    """Return the configuration file of one side.

    Returns:
        The file; there is no secret in it.
    """
    support = request.facts(side).solutions[INFOS[carrier].name]
    lines = [
        *_transport(carrier, request.link, side),
        *_device(request.link),
        *_authentication(request, side, support),
        *control_channel(request),
        *data_channel(request, support),
        *_timers(request, side),
    ]
    return suite_file(request, lines)


def _transport(carrier: Carrier, link: Link, side: Side) -> list[str]:
    own, peer = link.underlay(side), link.underlay(side.other)
    port = link.names.udp_port if carrier is Carrier.UDP else link.names.tcp_port
    server = ["proto udp4"] if carrier is Carrier.UDP else ["proto tcp4-server", *_NO_NAGLE]
    client = ["proto udp4"] if carrier is Carrier.UDP else ["proto tcp4-client", *_NO_NAGLE]
    if side is Side.A:
        return [*server, f"local {own}", f"port {port}"]
    # Otherwise the client would wait longer from try to try, up to 300 s, and find its server late after an outage.
    return [*client, "connect-retry 1 1", "connect-timeout 5", "nobind", f"remote {peer} {port}"]


def _device(link: Link) -> list[str]:
    # The device exists already and outlives the daemon, so that frames stop when the daemon does.
    return [f"dev {link.names.ethernet_interface}", "dev-type tap", f"tun-mtu {link.inner_mtu_bytes}"]


def _authentication(request: PlanRequest, side: Side, support: SolutionSupport) -> list[str]:
    server = ["mode server", "tls-server", "dh none"]
    client = ["tls-client", "pull", "route-nopull", "pull-filter ignore ifconfig"]
    return [
        *(server if side is Side.A else client),
        f"cert {certificate_path(request.link, STEM)}",
        f"key {key_path(request.link, STEM)}",
        *pin(request, side.other, support),
    ]


def pin(request: PlanRequest, peer: Side, support: SolutionSupport) -> list[str]:
    """Return the lines that let in one peer's certificate alone."""
    identity = request.identity(peer)
    if PEER_FINGERPRINT in support.features:
        return [f"peer-fingerprint {public_value(identity, FINGERPRINT, peer)}"]
    return [
        f"remote-cert-tls {'server' if peer is Side.A else 'client'}",
        f"verify-x509-name tunnelmark-{peer} name",
        "<ca>",
        *public_value(identity, CERTIFICATE, peer).splitlines(),
        "</ca>",
    ]


def control_channel(request: PlanRequest) -> list[str]:
    """Return the suite's lines on TLS."""
    # TLS 1.2 is asked for only where one end has no newer one.
    version = setting(request, "tls-version")
    suite = "tls-ciphersuites" if version == "1.3" else "tls-cipher"
    ceiling = ["tls-version-max 1.2"] if version == "1.2" else []
    return [
        f"tls-version-min {version}",
        *ceiling,
        f"{suite} {setting(request, suite)}",
        f"tls-groups {setting(request, 'tls-groups')}",
    ]


def data_channel(request: PlanRequest, support: SolutionSupport) -> list[str]:
    """Return the suite's lines on what frames are protected with."""
    cipher = spelling(support.ciphers, setting(request, "data-ciphers"))
    digest = spelling(support.digests, setting(request, "auth"))
    providers = [f"providers {PROVIDERS}"] if needs_legacy_provider(support, cipher, digest) else []
    # OpenVPN 2.5 would take BF-CBC where a peer does not negotiate.
    fallback = [] if PEER_FINGERPRINT in support.features else [f"data-ciphers-fallback {cipher}"]
    return [
        *providers,
        f"data-ciphers {cipher}",
        *fallback,
        f"auth {digest}",
        "allow-compression no",
        "script-security 1",
    ]


def _timers(request: PlanRequest, side: Side) -> list[str]:
    # The server pushes its timers to the client.
    keepalive = request.keepalive.pick(wired="2 10", metered=f"{INTERVAL_S} {INTERVAL_S * LOST_INTERVALS}")
    server = [f"keepalive {keepalive}"] if side is Side.A else []
    return [*server, "tls-timeout 1", "persist-key", "persist-tun", "verb 3"]
