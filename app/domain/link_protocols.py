"""Link-layer protocols, and whether their frames cross a tunnel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.hosts import DIRECTIONS


class LinkProtocol(StrEnum):
    """Protocol of plants without IP, or a property of tagged frames, that the packet test tries."""

    STP = "stp"  # bridge protocol data units of spanning tree
    LLDP = "lldp"
    PTP = "ptp"  # over Ethernet, to the group of all messages but peer delay
    PTP_PEER_DELAY = "ptp-peer-delay"
    MRP = "mrp"  # Media Redundancy Protocol
    PROFINET_DCP = "profinet-dcp"
    PRIORITY = "priority"  # priority code point of a VLAN tag
    PRIORITY_TAG = "priority-tag"  # tag with VLAN 0, which carries a priority only


class ProtocolVerdict(StrEnum):
    """Fate of the frames of one protocol."""

    CROSSES = "crosses"
    CHANGED = "changed"  # arrived, though not as sent: without its tag, for example
    LOST = "lost"  # did not arrive, while ordinary frames beside them did
    NOT_TRIED = "not-tried"


_WORST_FIRST = (ProtocolVerdict.LOST, ProtocolVerdict.CHANGED, ProtocolVerdict.CROSSES, ProtocolVerdict.NOT_TRIED)

A_TO_B, B_TO_A = DIRECTIONS


@dataclass(frozen=True, slots=True)
class ProtocolWay:
    """Frames of one protocol that were sent in one direction.

    Attributes:
        verdict: Their fate.
        sent: Frames that were sent, each different.
        arrived: Those of them that arrived, as sent or changed.
        note: Change, doubt, or the reason why they were not tried, as a sentence; empty for nothing.
    """

    verdict: ProtocolVerdict
    sent: int = 0
    arrived: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolCrossing:
    """Fate of the frames of one protocol in both directions.

    Attributes:
        protocol: The protocol.
        verdict: The worse one of both directions; a direction that was not tried does not count beside one that was.
        ways: Each direction, by `a_to_b` and `b_to_a`.
    """

    protocol: LinkProtocol
    verdict: ProtocolVerdict
    ways: Mapping[str, ProtocolWay] = field(default_factory=dict)

    @property
    def untried(self) -> tuple[str, ...]:
        """Directions that were not tried."""
        return tuple(name for name, way in self.ways.items() if way.verdict is ProtocolVerdict.NOT_TRIED)

    @classmethod
    def of(cls, protocol: LinkProtocol, ways: Mapping[str, ProtocolWay]) -> ProtocolCrossing:
        """Return the fate of a protocol's frames from that in each direction."""
        found = {way.verdict for way in ways.values()}
        worst = next((one for one in _WORST_FIRST if one in found), ProtocolVerdict.NOT_TRIED)
        return cls(protocol, worst, ways)


BETWEEN_LANS: Mapping[LinkProtocol, ProtocolVerdict] = {
    LinkProtocol.STP: ProtocolVerdict.CROSSES,
    LinkProtocol.LLDP: ProtocolVerdict.LOST,
    LinkProtocol.PTP: ProtocolVerdict.CROSSES,
    LinkProtocol.PTP_PEER_DELAY: ProtocolVerdict.LOST,
    LinkProtocol.MRP: ProtocolVerdict.CROSSES,
    LinkProtocol.PROFINET_DCP: ProtocolVerdict.CROSSES,
    LinkProtocol.PRIORITY: ProtocolVerdict.CROSSES,
    LinkProtocol.PRIORITY_TAG: ProtocolVerdict.CROSSES,
}
"""Fate of frames from a device in one LAN to one in the other, where a deployment joins them by its own bridges and its
tunnel carries the frames: measured with OpenVPN between two LANs (tests/lab/test_lan_deployment.py). A Linux bridge
keeps 01:80:C2:00:00:01 to 0F to itself.

Source: Linux 6.18 net/bridge/br_input.c, br_handle_frame; ip-link(8), group_fwd_mask.
"""


def joined_verdict(crossing: ProtocolCrossing) -> ProtocolVerdict:
    """Return the fate of a protocol's frames between LANs that this tunnel joins."""
    tunnel, bridge = crossing.verdict, BETWEEN_LANS[crossing.protocol]
    if ProtocolVerdict.LOST in (tunnel, bridge):
        return ProtocolVerdict.LOST
    return bridge if tunnel is ProtocolVerdict.CROSSES else tunnel
