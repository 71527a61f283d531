"""Configuration files of a pluto of our own: nothing of the system's instance is read or written.

Source: ipsec.conf(5) of Libreswan 5.2.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S
from app.domain.link import Link
from vpn_adapters.libreswan.identity import PUBLIC_KEY, key_database
from vpn_adapters.libreswan.suites import ESP, GROUP, IKE
from vpn_adapters.shared.l2tpv3 import IP_PROTOCOL
from vpn_adapters.shared.rendering import public_value, run_file, setting, suite_file

CONNECTION = "tunnelmark"
"""Name of the connection in our own pluto."""

_MOST_REQIDS = 16_383
"""Higher numbers are for pluto's own. Source: ipsec.conf(5), reqid."""

config_path = run_file("ipsec.conf")
"""Path of ipsec.conf."""
log_path = run_file("pluto.log")
"""Path of pluto's log."""
peer_key_path = run_file("peer.pem")
"""Path of the peer's public key, of which the cookies are made."""


def reqid(link: Link) -> int:
    """Return the number that marks our states in the kernel."""
    return 1 + link.names.l2tp_tunnel_id % _MOST_REQIDS


def config(request: PlanRequest, side: Side) -> bytes:
    """Return ipsec.conf of one side.

    The suite's name is in both identities: a side that still has another suite's connection does not know its peer, and
    is asked again, instead of agreeing on the old suite. Nothing is installed before the hosts agree (`auto=ignore`);
    until then, and whenever there is no SA, the firewall table holds the frames.
    """
    link = request.link
    lines = [
        "config setup",
        f"    listen={link.underlay(side)}",
        f"    logfile={log_path(link)}",
        "    logappend=no",
        f"    nssdir={key_database(link)}",
        f"    ipsecdir={link.run_dir}",
        f"    secretsfile={link.run_dir}/ipsec.secrets",
        f"    dumpdir={link.run_dir}",
        "    dnssec-enable=no",
        "    audit-log=no",
        "    nhelpers=0",
        "    ikev1-policy=drop",
        f"conn {CONNECTION}",
        "    type=transport",
        "    keyexchange=ikev2",
        "    authby=ecdsa",
        *_end(request, side, "left"),
        *_end(request, side.other, "right"),
        # Else pluto runs a script that may set routes.
        '    leftupdown="%disabled"',
        f"    ike={IKE}",
        f"    esp={setting(request, ESP)};{GROUP}",
        "    pfs=yes",
        f"    reqid={reqid(link)}",
        "    mobike=no",
        # A peer that is not there yet is asked again soon: 0.2, 0.4, 0.8, 1.6 s …
        "    retransmit-interval=200",
        f"    dpddelay={request.keepalive.pick(wired=10, metered=INTERVAL_S)}",
        "    auto=ignore",
    ]
    return suite_file(request, lines)


def _end(request: PlanRequest, host: Side, word: str) -> list[str]:
    return [
        f"    {word}={request.link.underlay(host)}",
        f"    {word}id=@{host}.{request.suite.name}.tunnelmark",
        f"    {word}pubkey={public_value(request.identity(host), PUBLIC_KEY, host)}",
        f"    {word}protoport={IP_PROTOCOL}",
    ]
