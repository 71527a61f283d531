"""Forged packets: Ethernet frames encapsulated in the clear, as a stranger on the underlay would send them.

They are built here and sent as whole frames by the other gateway, past its own firewall (packet(7)). Which of them came
out of the tunnel is read from a capture on the interface that the session delivers to.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace

from app.domain.adapters import Encapsulation
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.hosts import Side
from app.domain.link import Link
from app.probes.capture.pcap import parse_pcap
from app.probes.injection.forging import ETHERTYPE, FORGE, Target
from app.probes.injection.stages import send_frames
from support.bare_tunnel import BareTunnel
from support.lab_sessions import sh
from support.made_up_capture import received

COPIES = 5
"""Number of packets of each kind that are sent."""
OVER_IPV6 = (
    "over IPv6",
    "over IPv6, behind an extension header",
    "over IPv6, in two fragments",
    "over IPv6, hidden in the second fragment",
)
"""Kinds that the kernel delivers only where l2tp_ip6 is loaded."""
ENCAPSULATED = "inside UDP"
"""The kind that the kernel delivers only where there is a tunnel of that encapsulation."""

TO_THE_CARRIER = "from the peer's address inside", "from a third address to the address inside"
"""Kinds that reach a host only where the tunnel has a layer-3 carrier, whose address they are sent to."""

_STRANGER = "192.0.2.77"
_MARK = b"FORGED"


def let_in_over_ipv6(host: HostSession) -> None:
    """Give the underlay's interface IPv6, and let the kernel take L2TPv3 over it; the lab has switched it off."""
    eth1 = "/proc/sys/net/ipv6/conf/eth1"
    address = "ip -6 addr replace fe80::99/64 dev eth1 nodad"
    sh(host, f"modprobe l2tp_ip6; echo 0 > {eth1}/disable_ipv6; {address}; ip -6 -o addr show dev eth1")


def keep_out_over_ipv6(host: HostSession) -> None:
    """Switch IPv6 off on the underlay again."""
    sh(host, "echo 1 > /proc/sys/net/ipv6/conf/eth1/disable_ipv6")


def target(tunnel: BareTunnel, side: Side) -> Target:
    """Return what a stranger would have to know, and more, of a tunnel's end."""
    host, link = tunnel.session(side), tunnel.request.link
    address = re.search(r"inet6 (fe80:[0-9a-f:]+)/", sh(host, "ip -6 -o addr show dev eth1 scope link"))
    assert address, "IPv6 is off on the underlay"
    cookie = None
    if tunnel.plan.encapsulation is Encapsulation.L2TPV3:
        shown = sh(host, "ip l2tp show session")
        session = re.search(r"^Session (\d+) in tunnel", shown, re.MULTILINE)
        assert session, shown
        assert int(session[1]) == link.names.l2tp_session_id
        cookie = re.search(r" peer cookie ([0-9a-f]+)$", shown, re.MULTILINE)
    mac = bytes.fromhex(sh(host, "cat /sys/class/net/eth1/address").strip().replace(":", ""))
    return Target(
        link_header=mac + bytes.fromhex("020000000077") + bytes.fromhex("0800"),
        underlay=link.underlay(side),
        peer=link.underlay(side.other),
        stranger=_STRANGER,
        carrier=link.carrier(side),
        peers_carrier=link.carrier(side.other),
        link_local=address[1],
        session_id=link.names.l2tp_session_id,
        vxlan_id=link.names.vxlan_id,
        port=link.names.udp_port,
        cookie=bytes.fromhex(cookie[1]) if cookie else b"",
    )


def arrived(tunnel: BareTunnel, side: Side, interface: str, cookie: bytes) -> Mapping[str, int]:
    """Send every kind of forged packet to one end, and return how many of each came out of its interface.

    Args:
        tunnel: The tunnel; the other gateway sends.
        side: The end that is attacked.
        interface: What the session delivers to.
        cookie: What the packets have as the cookie.
    """
    victim, attacker = tunnel.session(side), tunnel.session(side.other)
    kind = tunnel.plan.encapsulation
    assert kind is not None
    forged = FORGE[kind](replace(target(tunnel, side), cookie=cookie), _MARK)
    frames = [frame for one in forged for _ in range(COPIES) for frame in one.frames]

    def send() -> None:
        send_frames(attacker, "eth1", tunnel.request.link.underlay(side), frames, token=CancelToken())

    capture = parse_pcap(received(victim, interface, f"ether proto {ETHERTYPE}", send))
    return {one.title: sum(one.tag in record.data for record in capture) for one in forged}


def attack(tunnel: BareTunnel, *, is_cookie_known: bool) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Attack both hosts at the same time; return what got in at A and at B."""
    interface = delivers_to(tunnel.request.link, tunnel.adapter.info.name)

    def one(side: Side) -> Mapping[str, int]:
        right = target(tunnel, side).cookie
        return arrived(tunnel, side, interface, right if is_cookie_known else secrets.token_bytes(len(right)))

    return tunnel.both(one)


def delivers_to(link: Link, solution: str) -> str:
    """Return the interface that a solution's L2TPv3 session delivers to."""
    return link.names.lower_interface if solution == "macsec" else link.names.ethernet_interface
