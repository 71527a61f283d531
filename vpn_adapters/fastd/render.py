"""fastd's configuration file.

One peer, known by its public key: without an `on verify` no other one is let in. The daemon runs no command and
forwards nothing between peers. Source: fastd documentation, Configuration file format.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from vpn_adapters.fastd.discovery import USER, USER_FEATURE
from vpn_adapters.fastd.identity import PUBLIC_KEY, key_path
from vpn_adapters.fastd.info import NAME
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file

config_path = run_file("fastd.conf")
"""Path of the configuration on each host."""
log_path = run_file("fastd.log")
"""Path of the daemon's log on each host."""


def peer_name(side: Side) -> str:
    """Return what a side is called in its peer's configuration and log."""
    return f"tunnelmark-{side}"


def config(request: PlanRequest, side: Side) -> bytes:
    """Return the configuration of one side; the secret is in a file of its own, which it includes."""
    link, port = request.link, request.link.names.udp_port
    # After it has its interface and its port, the daemon needs no rights at all.
    user = [f'user "{USER}";'] if USER_FEATURE in request.facts(side).solutions[NAME].features else []
    # B calls A. Without an address, A does not call by itself.
    remote = [f"  remote {link.underlay(side.other)}:{port};"] if side is Side.B else []
    lines = [
        "mode tap;",
        f'interface "{link.names.ethernet_interface}";',
        f"mtu {link.inner_mtu_bytes};",
        f"bind {link.underlay(side)}:{port};",
        'protocol "ec25519-fhmqvc";',
        f'method "{setting(request, "method")}";',
        "forward no;",
        *user,
        "drop capabilities force;",
        "log to stderr level verbose;",
        f'include "{key_path(link)}";',
        f'peer "{peer_name(side.other)}" {{',
        f'  key "{public_value(request.identity(side.other), PUBLIC_KEY, side.other)}";',
        *remote,
        "}",
    ]
    return suite_file(request, lines)
