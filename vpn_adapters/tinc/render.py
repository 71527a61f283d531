"""tinc's configuration files. Source: tinc.conf(5) of tinc 1.0.36."""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S
from app.domain.link import Link
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file
from vpn_adapters.tinc.identity import RSA_KEY, folder, node_name

config_path = run_file("tinc/tinc.conf")
"""Path of the daemon's configuration on each host."""


def host_path(link: Link, side: Side) -> str:
    """Return where what is known of one node lies on each host."""
    return f"{folder(link)}/hosts/{node_name(side)}"


log_path = run_file("tinc.log")
"""Path of the daemon's log on each host."""
pid_path = run_file("tinc.pid")
"""Path of the daemon's process id on each host."""


def config(request: PlanRequest, side: Side) -> bytes:
    """Return the daemon's configuration on one side."""
    link = request.link
    # B calls A. A call that comes too early is repeated after MaxTimeout.
    call = [f"ConnectTo = {node_name(Side.A)}"] if side is Side.B else []
    ping_s = request.keepalive.pick(wired=5, metered=INTERVAL_S)
    bind = (f"BindToAddress = {link.underlay(side)}",)
    lines = [f"Name = {node_name(side)}", *call, *_daemon(link.names.ethernet_interface, ping_s, *bind)]
    return suite_file(request, lines)


def _daemon(interface: str, ping_s: int, *bind: str) -> list[str]:
    """Return the settings of every daemon, whether it is a host's own or that of a hub's client."""
    return [
        "Mode = switch",
        "DeviceType = tap",
        f"Interface = {interface}",
        "AddressFamily = ipv4",
        *bind,
        "Hostnames = no",
        "MaxTimeout = 1",
        f"PingInterval = {ping_s}",
        "PingTimeout = 5",
        "ReplayWindow = 32",
        "KeyExpire = 3600",
    ]


def host(request: PlanRequest, side: Side) -> bytes:
    """Return what both sides know of one node. Its cipher and digest are what others must use towards it."""
    return suite_file(request, [f"Address = {request.link.underlay(side)}", *_node(request, side)])


def client_config(request: PlanRequest) -> bytes:
    """Return the configuration of each client of a hub, which does not call it yet; its name is added on the host."""
    key = f"PrivateKeyFile = {folder(request.link)}/rsa_key.priv"
    return suite_file(request, ["Name = NAME", *_daemon("tap0", 5), key])


def client_host(request: PlanRequest) -> bytes:
    """Return what the hub knows of each of its clients, which share a key and reach one another through it."""
    return suite_file(request, ["IndirectData = yes", *_node(request, Side.B)])


def _node(request: PlanRequest, side: Side) -> list[str]:
    """Return the settings of a node, with the key of the host that it is on."""
    return [
        f"Port = {request.link.names.tinc_port}",
        f"Cipher = {setting(request, 'cipher')}",
        f"Digest = {setting(request, 'digest')}",
        f"MACLength = {setting(request, 'mac-length')}",
        "Compression = 0",
        # Else tinc answers frames that it takes for too large with ICMP errors of its own, or sends them over TCP.
        "PMTUDiscovery = no",
        "ClampMSS = no",
        "TCPOnly = no",
        "",
        public_value(request.identity(side), RSA_KEY, side),
    ]
