"""The link between the two hosts, and the one table of names and numbers that tunnels use."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.errors import Bug
from app.domain.hosts import Side
from app.domain.messages.inputs import TOO_MANY_TUNNELS

INNER_SUBNET = ipaddress.IPv4Network("198.18.0.0/15")
"""Addresses inside tunnels. Source: RFC 2544 section C.2.2, reserved for benchmarks of devices."""

ETHERNET_HEADER_BYTES = 14
VLAN_TAG_BYTES = 4
"""Source: IEEE 802.1Q-2022 section 9.3."""
IPV4_HEADER_BYTES = 20
ICMP_HEADER_BYTES = 8
UDP_HEADER_BYTES = 8
TCP_HEADER_WITH_TIMESTAMPS_BYTES = 32
"""With the timestamp option, which Linux uses. Source: RFC 9293 section 3.1, RFC 7323 section 3.2."""
FRAME_TO_PAYLOAD_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + ICMP_HEADER_BYTES
"""An Ethernet frame of n bytes without FCS carries n - 42 bytes of ICMP echo payload over IPv4."""

INNER_MTU_BYTES = 1500
"""MTU of the interface that carries the Ethernet frames, so that every LAN frame crosses."""

LAST_SESSION_ID = 2**32 - 1
"""The largest id of an L2TPv3 session; 0 is none. Source: RFC 3931 section 4.1."""

MAX_INSTANCES = 10
"""Limit of tunnels that are up side by side on one pair: the journal numbers each one's changes by a thousand."""

WORKLOAD_PORT_STEP = 2
"""Distance of the port that workloads listen on, by TCP or UDP, from that of iperf3, which has two."""

MEASURING_PORTS = WORKLOAD_PORT_STEP + 1
"""Ports of measurements, from that of iperf3 on."""

_PORT_STEP = 10
_SESSION_STEP = 16
_FIRST_PORT, _LAST_PORT = 1024, 65535
BLOCK_BITS = 24
"""Prefix of the subnet inside one tunnel."""

STATE_DIR = "/run/tunnelmark"
"""The one folder on a host: mode 0700, root only, gone after a reboot."""


@dataclass(frozen=True, slots=True)
class TunnelNames:
    """Names and numbers of one tunnel; the one table that is checked for clashes with what the hosts have.

    Attributes:
        ethernet_interface: The interface that carries the Ethernet frames (at most 15 characters).
        wireguard_interface: WireGuard's interface, where one is used.
        udp_port: UDP port of a program of ours, or of VXLAN inside its carrier.
        tcp_port: TCP port of a program of ours.
        wireguard_port: Outer UDP port of WireGuard.
        l2tp_tunnel_id: L2TPv3 tunnel id on both hosts (RFC 3931 section 3.2.1).
        l2tp_session_id: L2TPv3 session id on both hosts, or the key of GRE; random for each tunnel, as a packet that
            names it is taken for the peer's.
        iperf_port: First of `MEASURING_PORTS` inside the tunnel: iperf3's for one direction, for the other, and that of
            workloads.
        tinc_port: Outer port of tinc, UDP and TCP.
        freelan_port: Outer UDP port of freelan.
        ssh_port: Outer TCP port of the tunnel's own sshd.
        ssh_tap_unit: Number of the tap device that OpenSSH makes, before it gets `ethernet_interface` as its name.
        lower_interface: The interface below one that encrypts frames (L2TPv3 under MACsec).
        guard_table: nftables table that stops what would go out unprotected.
        vlan_interface: A VLAN on `ethernet_interface`, there for a moment, to see whether tagged frames cross.
    """

    ethernet_interface: str = "tmk0"
    wireguard_interface: str = "tmkwg0"
    udp_port: int = 21194
    tcp_port: int = 21195
    wireguard_port: int = 21820
    l2tp_tunnel_id: int = 7301
    l2tp_session_id: int = 7301
    iperf_port: int = 25201
    tinc_port: int = 21655
    freelan_port: int = 21000
    ssh_port: int = 21222
    ssh_tap_unit: int = 7301
    lower_interface: str = "tmklow0"
    guard_table: str = "tunnelmark_guard"
    vlan_interface: str = "tmkvlan0"

    @property
    def vxlan_id(self) -> int:
        """VXLAN network identifier, made of the session's random id: 24 bits. Source: RFC 7348 section 5."""
        return 1 + self.l2tp_session_id % (2**24 - 1)

    @property
    def interfaces(self) -> frozenset[str]:
        """Names of all interfaces that a tunnel may make."""
        return frozenset((self.ethernet_interface, self.wireguard_interface, self.lower_interface, self.vlan_interface))

    @property
    def ports(self) -> frozenset[int]:
        """All ports, whatever their protocol; measurements have several in a row."""
        own = (self.udp_port, self.tcp_port, self.wireguard_port, self.tinc_port, self.freelan_port, self.ssh_port)
        return frozenset((*own, *range(self.iperf_port, self.iperf_port + MEASURING_PORTS)))


@dataclass(frozen=True, slots=True)
class Link:
    """The link that a tunnel is built on.

    Attributes:
        underlay_a: A's outer IPv4 address.
        underlay_b: B's outer IPv4 address.
        inner_a: A's address inside the tunnel, with prefix length, for example `198.18.0.1/24`.
        inner_b: B's address inside the tunnel, with prefix length.
        carrier_a: A's address of a layer-3 carrier inside (WireGuard under L2TPv3), without prefix length.
        carrier_b: B's address of such a carrier.
        inner_mtu_bytes: MTU of the interface that carries the frames.
        underlay_mtu_bytes: MTU found between the hosts.
        names: Names and numbers.
        run_dir: Folder on the hosts for this tunnel's files, below STATE_DIR.
    """

    underlay_a: str
    underlay_b: str
    inner_a: str = "198.18.0.1/24"
    inner_b: str = "198.18.0.2/24"
    carrier_a: str = "198.18.1.1"
    carrier_b: str = "198.18.1.2"
    inner_mtu_bytes: int = INNER_MTU_BYTES
    underlay_mtu_bytes: int = 1500
    names: TunnelNames = TunnelNames()
    run_dir: str = f"{STATE_DIR}/tunnel"

    def underlay(self, side: Side) -> str:
        """Return the outer address on one side."""
        return self.underlay_a if side is Side.A else self.underlay_b

    def inner(self, side: Side) -> str:
        """Return the inner address with prefix length on one side."""
        return self.inner_a if side is Side.A else self.inner_b

    def inner_ip(self, side: Side) -> str:
        """Return the inner address without prefix length on one side."""
        return self.inner(side).split("/")[0]

    def carrier(self, side: Side) -> str:
        """Return the layer-3 carrier's address on one side."""
        return self.carrier_a if side is Side.A else self.carrier_b

    @property
    def own_networks(self) -> tuple[ipaddress.IPv4Network, ...]:
        """Networks that the tunnel itself uses: that of its inner addresses, and each carrier's address."""
        inner = (ipaddress.IPv4Interface(self.inner(side)).network for side in Side)
        return (*dict.fromkeys(inner), *(ipaddress.IPv4Network(self.carrier(side)) for side in Side))

    def instance(self, number: int) -> Link:
        """Return the link of one of several tunnels that are up side by side.

        Nothing in it is that of another instance: interfaces, ports, ids, addresses, firewall table, folder. Everything
        but the session's id, which is random, is the same each time.

        Args:
            number: From 0, which is this link, to MAX_INSTANCES - 1.
        """
        if not 0 <= number < MAX_INSTANCES:
            raise Bug(TOO_MANY_TUNNELS(limit=MAX_INSTANCES, number=number + 1))
        if number == 0:
            return self
        inner, carrier = _instance_blocks(self, number)
        return replace(
            self,
            inner_a=_in_block(inner, self.inner_a),
            inner_b=_in_block(inner, self.inner_b),
            carrier_a=f"{carrier[1]}",
            carrier_b=f"{carrier[2]}",
            names=_instance_names(self.names, number),
            run_dir=f"{self.run_dir}-{number}",
        )


def _instance_names(first: TunnelNames, number: int) -> TunnelNames:
    """Return the names of one instance; see `Link.instance`."""
    own, taken = first, first.ports
    for index in range(1, number + 1):
        own = _with_free_ports(first, index, taken)
        taken |= own.ports
    return replace(
        own,
        ethernet_interface=_numbered(first.ethernet_interface, number),
        wireguard_interface=_numbered(first.wireguard_interface, number),
        lower_interface=_numbered(first.lower_interface, number),
        vlan_interface=_numbered(first.vlan_interface, number),
        guard_table=f"{first.guard_table}_{number}",
        ssh_tap_unit=first.ssh_tap_unit + number,
        l2tp_tunnel_id=1 + (first.l2tp_tunnel_id - 1 + number) % LAST_SESSION_ID,
        l2tp_session_id=_session_id(first.l2tp_session_id, number),
    )


def _with_free_ports(first: TunnelNames, number: int, taken: frozenset[int]) -> TunnelNames:
    """Return the names with ports that are beyond those of the first instance, and not among those taken."""
    used = set(taken)

    def free(usual: int, width: int = 1) -> int:
        port = usual + number * _PORT_STEP
        while port + width - 1 > _LAST_PORT or not used.isdisjoint(range(port, port + width)):
            port = port + 1 if port < _LAST_PORT else _FIRST_PORT
        used.update(range(port, port + width))
        return port

    return replace(
        first,
        udp_port=free(first.udp_port),
        tcp_port=free(first.tcp_port),
        wireguard_port=free(first.wireguard_port),
        tinc_port=free(first.tinc_port),
        freelan_port=free(first.freelan_port),
        ssh_port=free(first.ssh_port),
        iperf_port=free(first.iperf_port, width=MEASURING_PORTS),
    )


def _numbered(name: str, number: int) -> str:
    """Return an interface's name with a higher number at its end."""
    digits = re.search(r"[0-9]*$", name)
    old = digits[0] if digits is not None else ""
    return f"{name.removesuffix(old)}{int(old or '0') + number}"


def _session_id(first: int, number: int) -> int:
    """Return a random id that no other instance can have: each has a remainder of its own."""
    remainder = (first + number) % _SESSION_STEP
    while True:
        found = secrets.randbelow(LAST_SESSION_ID // _SESSION_STEP) * _SESSION_STEP + remainder
        if found:
            return found


def _instance_blocks(first: Link, number: int) -> tuple[ipaddress.IPv4Network, ipaddress.IPv4Network]:
    """Return the subnets of one instance's inner addresses and carriers: the next ones that none before it has."""
    taken = list(first.own_networks)
    own = ipaddress.IPv4Interface(first.inner_a).network.network_address
    start = int(own) if own in INNER_SUBNET else int(INNER_SUBNET.network_address)
    blocks = _free_blocks(start, taken)
    found = [(next(blocks), next(blocks)) for _ in range(number)]
    return found[-1]


def _free_blocks(start: int, taken: list[ipaddress.IPv4Network]) -> Iterator[ipaddress.IPv4Network]:
    size = 2 ** (32 - BLOCK_BITS)
    base = int(INNER_SUBNET.network_address)
    for index in range(INNER_SUBNET.num_addresses // size):
        address = base + (start - base + index * size) % INNER_SUBNET.num_addresses
        block = ipaddress.IPv4Network((address // size * size, BLOCK_BITS))
        if not any(block.overlaps(network) for network in taken):
            yield block


def _in_block(block: ipaddress.IPv4Network, like: str) -> str:
    """Return the address of a subnet that is as far from its beginning as another one from that of its own."""
    own = ipaddress.IPv4Interface(like)
    offset = (int(own) - int(own.network.network_address)) % block.num_addresses
    return f"{block[offset]}/{block.prefixlen}"


class LinkHealer(Protocol):
    """Gets a dead link between two hosts back, where it is Tunnelmark's own."""

    def heal(self, *, token: CancelToken) -> bool:
        """Take the link down and up again.

        Returns:
            Whether this pair's link is ours; whether frames cross again has to be seen by asking the hosts.

        Raises:
            EnvironmentFault: It is ours, and could not be taken down and up.
            Cancelled: The token was cancelled.
        """
        ...
