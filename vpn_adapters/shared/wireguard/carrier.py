"""WireGuard between the two hosts, with everything that is the same whatever is put inside."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import Breakage, PlanRequest, PlanStep, UpCheck
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.keepalive import INTERVAL_S, Keepalive
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from app.domain.messages import mark
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import (
    FORBID_OTHER_WAYS,
    HANDSHAKE_DONE,
    MAKE_WIREGUARD,
    WIREGUARD_DELETED,
    WIREGUARD_TAKEN_DOWN,
)
from vpn_adapters.shared.rendering import public_value
from vpn_adapters.shared.wireguard.identity import PUBLIC_KEY, key_path, psk_path
from vpn_adapters.shared.wireguard.protocol import has_kem

KERNEL_MODULE = "wireguard"
DATA_HEADER_BYTES = 16
"""Type and reserved (4), receiver (4), counter (8). Source: the WireGuard paper, section 5.4.6."""
TAG_BYTES = 16
"""Poly1305's tag. Source: RFC 8439 section 2.8."""
PADDING_BYTES = 16
"""Packets are padded to multiples of this. Source: the WireGuard paper, section 5.4.6."""
KEEPALIVE_S: Mapping[Side, int] = {Side.A: 5, Side.B: 7}
"""Also makes the first handshake happen without any traffic of ours.

Handshakes that both peers begin within a round trip fail on both, and each peer begins again after 5 s at the earliest.
With the same interval they cross again and again, which took emulated gateways more than 20 s; where a round trip takes
longer than the 0.3 s by which a retry varies, B leaves the first one to A as well (`create.sh`). Source: the WireGuard
paper, section 6.1 (Rekey-Timeout); wg_packet_send_keepalive() in Linux 6.12.

So a metered deployment begins with them, too; see `slow_down`.
"""
GUARD_METRIC = 4000
"""Worse than the route through WireGuard (0), better than nothing: see `_route_step`."""


def outer_frame_bytes(packet_bytes: int) -> int:
    """Return the size on the underlay of an IP packet inside, before any fragmentation, in bytes without FCS."""
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + DATA_HEADER_BYTES
    return headers + padded(packet_bytes) + TAG_BYTES


def largest_packet_bytes(underlay_mtu_bytes: int) -> int:
    """Return the largest IP packet inside that crosses in one outer packet, in bytes."""
    room = underlay_mtu_bytes - IPV4_HEADER_BYTES - UDP_HEADER_BYTES - DATA_HEADER_BYTES - TAG_BYTES
    return room // PADDING_BYTES * PADDING_BYTES


def padded(size_bytes: int) -> int:
    """Return the size of a packet inside with its padding, in bytes: also the interface's MTU for such packets."""
    return -(-size_bytes // PADDING_BYTES) * PADDING_BYTES


def steps(request: PlanRequest, side: Side, *, mtu_bytes: int) -> tuple[PlanStep, PlanStep]:
    """Return the steps that forbid every other way to the peer's carrier address and make the interface."""
    return _route_step(request.link.carrier(side.other)), _wireguard_step(request, side, mtu_bytes)


def up_check(link: Link) -> UpCheck:
    """Return a check that the ends have agreed on keys."""
    return UpCheck(
        title=HANDSHAKE_DONE(interface=link.names.wireguard_interface),
        command=last_handshake(link),
        stdout_pattern=r"\t[1-9]\d*",
    )


def negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see with whom, and that a pre-shared key was mixed in where the suite has one.

    A handshake that is done with a pre-shared key on this side has the same one on the other side.
    """
    name = request.link.names.wireguard_interface
    return UpCheck(
        title=mark("WireGuard's peer, with keys hidden"),
        command=Command(("env", "WG_HIDE_KEYS=always", "wg", "show", name), timeout_s=5.0, is_root=True),
        stdout_pattern=(r"(?s)preshared key: \(hidden\).*" if has_kem(request.suite) else "") + "latest handshake: ",
    )


def last_handshake(link: Link) -> Command:
    """Return the command that prints when the ends last agreed on keys."""
    return Command(("wg", "show", link.names.wireguard_interface, "latest-handshakes"), timeout_s=5.0, is_root=True)


def slow_down(request: PlanRequest, side: Side) -> Command | None:
    """Return the command that makes the keepalive rare; None where the deployment is not metered.

    Not before the peer answers: where two first handshakes cross, none would follow for a minute. Not off either: it
    keeps the way through a NAT or firewall open while the supervisor does not run.
    """
    if request.keepalive is not Keepalive.METERED:
        return None
    peer = public_value(request.identity(side.other), PUBLIC_KEY, side.other)
    words = ("peer", peer, "persistent-keepalive", str(INTERVAL_S))
    return Command(("wg", "set", request.link.names.wireguard_interface, *words), timeout_s=5.0, is_root=True)


def breakages(link: Link) -> tuple[Breakage, ...]:
    """Return how WireGuard can disappear while the interface inside remains and still sends."""
    name = link.names.wireguard_interface
    return (
        Breakage(
            title=WIREGUARD_TAKEN_DOWN(interface=name),
            command=Command(("ip", "link", "set", "dev", name, "down"), timeout_s=10.0, is_root=True),
        ),
        Breakage(
            title=WIREGUARD_DELETED(interface=name),
            command=Command(("ip", "link", "del", "dev", name), timeout_s=10.0, is_root=True),
        ),
    )


def _route_step(peer: str) -> PlanStep:
    """Return the step that leaves no other route to the peer's carrier address, should WireGuard's device go.

    The firewall table does not depend on routes; this holds where a user flushes all tables.
    """
    return PlanStep(
        title=FORBID_OTHER_WAYS(peer=peer),
        command=Command(
            ("ip", "route", "add", "unreachable", f"{peer}/32", "metric", str(GUARD_METRIC)),
            timeout_s=5.0,
            is_root=True,
        ),
        undo=root_script("shared/wireguard", "remove-route.sh", peer, str(GUARD_METRIC), timeout_s=5.0),
        health_check=root_script("shared/wireguard", "has-guard.sh", peer, str(GUARD_METRIC), timeout_s=5.0),
    )


def _wireguard_step(request: PlanRequest, side: Side, mtu_bytes: int) -> PlanStep:
    link = request.link
    name = link.names.wireguard_interface
    arguments = (
        name,
        str(link.names.wireguard_port),
        key_path(link),
        public_value(request.identity(side.other), PUBLIC_KEY, side.other),
        link.carrier(side.other),
        link.underlay(side.other),
        str(KEEPALIVE_S[side]),
        link.carrier(side),
        str(mtu_bytes),
        psk_path(link) if has_kem(request.suite) else "",
        "waits" if side is Side.B else "",
    )
    return PlanStep(
        title=MAKE_WIREGUARD(interface=name, peer=link.underlay(side.other)),
        command=root_script("shared/wireguard", "create.sh", *arguments, timeout_s=15.0),
        undo=root_script("shared", "remove-interface.sh", name),
    )
