"""Forged packets: L2TPv3 with an Ethernet frame inside, in the clear, as a stranger on the underlay would send them.

They are built here and sent as whole frames by the other gateway, past its own firewall (packet(7)). Which of them came
out of the tunnel is read from a capture on the interface that the session delivers to.
"""

from __future__ import annotations

import ipaddress
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.hosts import Side
from app.domain.link import Link
from support.bare_tunnel import BareTunnel
from support.lab_sessions import sh
from support.wire_capture import received

COPIES = 5
"""How often each kind of packet is sent."""
OVER_IPV6 = "IPv6", "IPv6, behind an extension header", "IPv6, in two pieces", "IPv6, hidden in the second piece"
"""Kinds that the kernel delivers only where l2tp_ip6 is loaded."""
ENCAPSULATED = "inside UDP"
"""The kind that the kernel delivers only where there is a tunnel of that encapsulation."""

TO_THE_CARRIER = "from the peer's address inside", "from a third address to the address inside"
"""Kinds that reach a host only where the tunnel has a layer-3 carrier, whose address they are sent to."""

_STRANGER = "192.0.2.77"
_STRANGERS_MAC = bytes.fromhex("020000000077")
_STRANGERS_LINK_LOCAL = "fe80::77"
_ETHERTYPE = 0x88B5  # for experiments: IEEE 802-2014, section 9.2.3

# Frames come as lines of hexadecimal digits. At the end a ping: what it passes on the way has been dealt with.
_SEND_SCRIPT = r"""
perl -e '
    socket(S, 17, 3, 0) or die "socket: $!";
    open(F, "<", "/sys/class/net/eth1/ifindex") or die $!;
    my $to = pack("S n l S C C a8", 17, 0x0800, scalar(<F>), 1, 0, 6, "");
    while (<STDIN>) { chomp; defined(send(S, pack("H*", $_), 0, $to)) or die "send: $!"; }
' || exit 1
ping -n -q -c 2 -i 0.2 -w 5 "$1" > /dev/null
"""


@dataclass(frozen=True)
class Target:
    """A gateway that packets are forged for.

    Attributes:
        mac: Hardware address of its underlay interface.
        underlay: Its own underlay address.
        peer: The other gateway's.
        carrier: Its address inside a layer-3 carrier, whether the tunnel has one or not.
        peers_carrier: The other gateway's.
        link_local: IPv6 address of its underlay interface.
        session_id: L2TPv3 session id.
        cookie: What it demands; empty where nothing.
    """

    mac: bytes
    underlay: str
    peer: str
    carrier: str
    peers_carrier: str
    link_local: str
    session_id: int
    cookie: bytes


def let_in_over_ipv6(host: HostSession) -> None:
    """Give the underlay's interface IPv6, and let the kernel take L2TPv3 over it; the lab has switched it off."""
    eth1 = "/proc/sys/net/ipv6/conf/eth1"
    address = "ip -6 addr replace fe80::99/64 dev eth1 nodad"
    sh(host, f"modprobe l2tp_ip6; echo 0 > {eth1}/disable_ipv6; {address}; ip -6 -o addr show dev eth1")


def target(tunnel: BareTunnel, side: Side) -> Target:
    """Return what a stranger would have to know, and more, of a tunnel's end."""
    host, link = tunnel.session(side), tunnel.request.link
    address = re.search(r"inet6 (fe80:[0-9a-f:]+)/", sh(host, "ip -6 -o addr show dev eth1 scope link"))
    assert address, "IPv6 is off on the underlay"
    shown = sh(host, "ip l2tp show session")
    session = re.search(r"^Session (\d+) in tunnel", shown, re.MULTILINE)
    assert session, shown
    assert int(session[1]) == link.names.l2tp_session_id
    cookie = re.search(r" peer cookie ([0-9a-f]+)$", shown, re.MULTILINE)
    return Target(
        mac=bytes.fromhex(sh(host, "cat /sys/class/net/eth1/address").strip().replace(":", "")),
        underlay=link.underlay(side),
        peer=link.underlay(side.other),
        carrier=link.carrier(side),
        peers_carrier=link.carrier(side.other),
        link_local=address[1],
        session_id=int(session[1]),
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
    kinds = packets(target(tunnel, side), cookie)
    lines = [frame.hex() for _, frames in sorted(kinds.items()) for _ in range(COPIES) for frame in frames]
    sending = Command(
        shell_step_argv(_SEND_SCRIPT, tunnel.request.link.underlay(side)),
        timeout_s=60.0,
        stdin=("\n".join(lines) + "\n").encode(),
        is_root=True,
    )

    def send() -> None:
        result = attacker.run(sending, token=CancelToken())
        assert result.is_ok, f"{result.exit_status} {result.stderr}"

    capture = received(victim, interface, f"ether proto {_ETHERTYPE}", send)
    return {kind: capture.count(_tag(kind)) for kind in kinds}


def packets(to: Target, cookie: bytes) -> Mapping[str, tuple[bytes, ...]]:
    """Return each kind of forged packet as the frames of the underlay that carry it."""

    def l2tp(kind: str) -> bytes:
        inner = b"\xff" * 6 + _STRANGERS_MAC + struct.pack("!H", _ETHERTYPE) + _tag(kind).ljust(60, b".")
        return struct.pack("!I", to.session_id) + cookie + bytes(4) + inner

    def ipv4(kind: str, source: str, destination: str) -> tuple[bytes, ...]:
        return (_frame(to, 0x0800, _ipv4(source, destination, 115, l2tp(kind))),)

    made = {
        kind: ipv4(kind, source, destination)
        for kind, source, destination in (
            ("from the peer's address", to.peer, to.underlay),
            ("from a third address", _STRANGER, to.underlay),
            (TO_THE_CARRIER[0], to.peers_carrier, to.carrier),
            (TO_THE_CARRIER[1], _STRANGER, to.carrier),
        )
    }
    kind = "with IP options"
    nops = b"\x01" * 4
    made[kind] = (_frame(to, 0x0800, _ipv4(_STRANGER, to.underlay, 115, l2tp(kind), options=nops)),)
    kind = "in two pieces"
    body = l2tp(kind)
    made[kind] = tuple(
        _frame(to, 0x0800, _ipv4(_STRANGER, to.underlay, 115, piece, offset=offset, is_last=is_last))
        for piece, offset, is_last in ((body[:24], 0, False), (body[24:], 24, True))
    )
    kind = ENCAPSULATED
    # RFC 3931 section 4.1.2.1: T bit 0, version 3, then as over IP.
    data = struct.pack("!HH", 3, 0) + l2tp(kind)
    datagram = struct.pack("!HHHH", 1701, 1701, 8 + len(data), 0) + data
    made[kind] = (_frame(to, 0x0800, _ipv4(_STRANGER, to.underlay, 17, datagram)),)
    return made | _over_ipv6(to, l2tp)


def _over_ipv6(to: Target, l2tp: object) -> Mapping[str, tuple[bytes, ...]]:
    assert callable(l2tp)
    plain, extended, cut, hidden = OVER_IPV6
    body = l2tp(cut)
    pieces = ((body[:24], 0, 1), (body[24:], 24, 0))
    # The first piece says only that destination options follow, and these that more of them do, in the second one.
    options = bytes((60, 0, 1, 4, 0, 0, 0, 0)), bytes((115, 0, 1, 4, 0, 0, 0, 0))
    hiding = ((options[0], 0, 1), (options[1] + l2tp(hidden), 8, 0))
    return {
        plain: (_frame(to, 0x86DD, _ipv6(to.link_local, 115, l2tp(plain))),),
        # Destination options with padding only. Source: RFC 8200 sections 4.2 and 4.6.
        extended: (_frame(to, 0x86DD, _ipv6(to.link_local, 60, bytes((115, 0, 1, 4, 0, 0, 0, 0)) + l2tp(extended))),),
        # Source: RFC 8200 section 4.5.
        cut: tuple(
            _frame(to, 0x86DD, _ipv6(to.link_local, 44, struct.pack("!BBHI", 115, 0, offset | more, 0x77) + piece))
            for piece, offset, more in pieces
        ),
        hidden: tuple(
            _frame(to, 0x86DD, _ipv6(to.link_local, 44, struct.pack("!BBHI", 60, 0, offset | more, 0x78) + piece))
            for piece, offset, more in hiding
        ),
    }


def _tag(kind: str) -> bytes:
    return f"FORGED {kind}!".encode()


def _frame(to: Target, ethertype: int, packet: bytes) -> bytes:
    return to.mac + _STRANGERS_MAC + struct.pack("!H", ethertype) + packet.ljust(46, b"\0")


def _ipv4(
    source: str,
    destination: str,
    protocol: int,
    payload: bytes,
    *,
    options: bytes = b"",
    offset: int = 0,
    is_last: bool = True,
) -> bytes:
    """Return an IPv4 packet. Source: RFC 791 section 3.1."""
    head = struct.pack(
        "!BBHHHBBH4s4s",
        0x45 + len(options) // 4,
        0,
        20 + len(options) + len(payload),
        0x7777,
        offset // 8 | (0 if is_last else 0x2000),
        64,
        protocol,
        0,
        ipaddress.IPv4Address(source).packed,
        ipaddress.IPv4Address(destination).packed,
    )
    head += options
    return head[:10] + struct.pack("!H", _checksum(head)) + head[12:] + payload


def _ipv6(destination: str, next_header: int, payload: bytes) -> bytes:
    """Return an IPv6 packet. Source: RFC 8200 section 3."""
    addresses = ipaddress.IPv6Address(_STRANGERS_LINK_LOCAL).packed + ipaddress.IPv6Address(destination).packed
    return struct.pack("!IHBB", 6 << 28, len(payload), next_header, 64) + addresses + payload


def _checksum(data: bytes) -> int:
    """Return the Internet checksum. Source: RFC 1071."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def delivers_to(link: Link, solution: str) -> str:
    """Return the interface that a solution's L2TPv3 session delivers to."""
    return link.names.lower_interface if solution == "macsec" else link.names.ethernet_interface
