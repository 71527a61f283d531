"""Configuration files of a strongSwan of our own: nothing of the system's instance is read or written.

Source: strongswan.conf(5) and swanctl.conf(5) of strongSwan 5.9.1 and 6.0.1.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest, Purpose
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S
from app.domain.link import Link
from vpn_adapters.shared.rendering import render_file, run_file, setting, suite_file
from vpn_adapters.shared.strongswan.identity import own_public_key_path, peer_key_path
from vpn_adapters.shared.strongswan.suites import ESP, GROUP, IKE, has_ppk

CONNECTION = "tunnelmark"
"""Name of the connection and of its child in our own charon."""

PLUGINS = (
    "random nonce openssl botan wolfssl aes gcrypt gcm chapoly curve25519 ml sha1 sha2 sha3 hmac kdf cmac xcbc ccm ctr "
    "md5 drbg mgf1 gmp pem pkcs1 pkcs8 pubkey kernel-netlink socket-default vici"
)
"""In this order of preference; those that a host lacks are passed over. None that reads the system's files or opens
sockets of the system's instance (stroke, updown, attr, resolve …)."""

SWANCTL_PLUGINS = "random nonce openssl aes gcrypt curve25519 sha1 sha2 gmp pem pkcs1 pkcs8 pubkey"

daemon_config_path = run_file("strongswan.conf")
"""Path of strongswan.conf."""
connection_path = run_file("swanctl.conf")
"""Path of swanctl.conf."""
log_path = run_file("charon.log")
"""Path of charon's log."""
socket_path = run_file("charon.vici")
"""Path of charon's control socket."""


def reqid(link: Link) -> int:
    """Return the number that marks our states in the kernel."""
    return link.names.l2tp_tunnel_id


def daemon_config(request: PlanRequest, *, retransmit_s: float = 0.2, tries: int = 9) -> bytes:
    """Return strongswan.conf; the same for every suite.

    Args:
        retransmit_s: When a peer that did not answer is asked again for the first time, in seconds.
        tries: How often it is asked again until it is taken for gone.
    """
    link = request.link
    lines = [
        "charon {",
        "  load_modular = no",
        f"  load = {PLUGINS}",
        "  install_routes = no",
        # Else charon makes the rule `from all lookup 220` even so, and leaves it when it is killed.
        "  routing_table = 0",
        "  install_virtual_ip = no",
        # A peer that is not there yet is asked again soon: 0.2, 0.5, 0.9, 1.4 s …
        f"  retransmit_timeout = {retransmit_s:g}",
        "  retransmit_base = 1.3",
        f"  retransmit_tries = {tries}",
        "  delete_rekeyed_delay = 1",
        "  syslog {",
        "  }",
        "  filelog {",
        "    tunnelmark {",
        f"      path = {log_path(link)}",
        "      append = no",
        "      flush_line = yes",
        "      default = 1",
        "    }",
        "  }",
        "  plugins {",
        "    vici {",
        f"      socket = unix://{socket_path(link)}",
        "    }",
        "    socket-default {",
        "      use_ipv6 = no",
        "    }",
        "  }",
        "}",
        "swanctl {",
        f"  load = {SWANCTL_PLUGINS}",
        "}",
    ]
    return render_file(request.header, lines)


def connection_config(request: PlanRequest, side: Side, ip_protocol: int) -> bytes:
    """Return swanctl.conf of one side.

    The suite's name is in both identities: an end that still has another suite's connection does not know its peer, and
    is asked again, instead of agreeing on the old suite.

    Nothing is installed before the ends agree, and no packet of ours makes the kernel ask charon (`start_action`): what
    the kernel remembers of a negotiation that failed would be in the way for minutes. Until then, and whenever there is
    no SA, the firewall table holds the frames.

    Of a deployment, A goes on asking however long the peer is unreachable; for a measurement, giving up is a result.
    """
    link, suite = request.link, request.suite.name
    own, peer = link.underlay(side), link.underlay(side.other)
    lines = [
        "connections {",
        f"  {CONNECTION} {{",
        "    version = 2",
        f"    local_addrs = {own}",
        f"    remote_addrs = {peer}",
        f"    proposals = {setting(request, IKE)}",
        "    mobike = no",
        "    unique = replace",
        *([f"    ppk_id = {CONNECTION}", "    ppk_required = yes"] if has_ppk(request.suite) else []),
        f"    dpd_delay = {request.keepalive.pick(wired=10, metered=INTERVAL_S)}s",
        *(["    keyingtries = 0"] if request.purpose is Purpose.DEPLOYMENT and side is Side.A else []),
        "    local {",
        "      auth = pubkey",
        f"      pubkeys = {own_public_key_path(link)}",
        f"      id = {side}.{suite}.tunnelmark",
        "    }",
        "    remote {",
        "      auth = pubkey",
        f"      pubkeys = {peer_key_path(link)}",
        f"      id = {side.other}.{suite}.tunnelmark",
        "    }",
        "    children {",
        f"      {CONNECTION} {{",
        "        mode = transport",
        f"        reqid = {reqid(link)}",
        f"        local_ts = {own}/32[{ip_protocol}]",
        f"        remote_ts = {peer}/32[{ip_protocol}]",
        f"        esp_proposals = {setting(request, ESP)}-{setting(request, GROUP)}",
        "        start_action = none",
        f"        dpd_action = {'restart' if side is Side.A else 'clear'}",
        "        close_action = none",
        "      }",
        "    }",
        "  }",
        "}",
    ]
    return suite_file(request, lines)
