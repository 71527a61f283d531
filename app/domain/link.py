"""The link between the two hosts, and the one table of names and numbers that tunnels use."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.hosts import Side

INNER_SUBNET = ipaddress.IPv4Network("198.18.0.0/15")
"""Addresses inside tunnels. Source: RFC 2544 section C.2.2, reserved for benchmarks of devices."""

ETHERNET_HEADER_BYTES = 14
VLAN_TAG_BYTES = 4
"""Source: IEEE 802.1Q-2022 section 9.3."""
IPV4_HEADER_BYTES = 20
ICMP_HEADER_BYTES = 8
FRAME_TO_PAYLOAD_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + ICMP_HEADER_BYTES
"""An Ethernet frame of n bytes without FCS carries n - 42 bytes of ICMP echo payload over IPv4."""

INNER_MTU_BYTES = 1500
"""MTU of the interface that carries the Ethernet frames, so that every LAN frame crosses."""

LAST_SESSION_ID = 2**32 - 1
"""The largest id of an L2TPv3 session; 0 is none. Source: RFC 3931 section 4.1."""

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
        iperf_port: Port of the iperf3 server inside the tunnel for one direction; the next one is for the other.
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


class LinkHealer(Protocol):
    """Gets a dead link between two hosts back, where it is Tunnelmark's own."""

    def heal(self, *, token: CancelToken) -> bool:
        """Take the link down and up again.

        Args:
            token: Cancels it.

        Returns:
            Whether this pair's link is ours; whether frames cross again has to be seen by asking the hosts.

        Raises:
            EnvironmentFault: It is ours, and could not be taken down and up.
            Cancelled: The token was cancelled.
        """
        ...
