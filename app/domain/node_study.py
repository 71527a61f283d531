"""Study with a node behind each gateway: its settings, and what a round in one of them yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.node_protection import ProtectedPlace
from app.domain.results import CpuUsage
from app.domain.transfers import DISTURBED_CORES


class Hop(StrEnum):
    """Sections of the way from node A to node B, in order."""

    CABLE_A = "cable-a"
    UNDERLAY = "underlay"
    CABLE_B = "cable-b"


@dataclass(frozen=True, slots=True)
class NodeSetting:
    """A setting of the study.

    Attributes:
        name: Its name in files.
        title: The study's name of it.
        carrier: Solution that joins both LANs.
        place: Where frames are protected besides.
        protection: Solution that protects them there; empty for none.
        suite: Suite of that protection; empty for none.
    """

    name: str
    title: str
    carrier: str
    place: ProtectedPlace = ProtectedPlace.NOWHERE
    protection: str = ""
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """Sight of an observer at one hop, from captures of marked echo requests.

    Attributes:
        hop: The place.
        frames: Captured frames; 0 proves nothing.
        has_addresses: Whether a node's hardware address was in one.
        has_payload: Whether the mark was in one.
    """

    hop: Hop
    frames: int
    has_addresses: bool
    has_payload: bool


@dataclass(frozen=True, slots=True)
class HopInjection:
    """Frames that were sent at one hop without any key, in the direction of node B.

    Attributes:
        hop: The place.
        kind: `forged`, or `replayed`.
        sent: As captured at the hop itself; 0 proves nothing.
        relayed: As captured on B's cable, behind B's gateway.
        accepted: Arrived at the interface of node B that has its address.
    """

    hop: Hop
    kind: str
    sent: int
    relayed: int
    accepted: int


FORGED, REPLAYED = "forged", "replayed"


@dataclass(frozen=True, slots=True)
class HopReport:
    """Captures and injections of one setting.

    Attributes:
        seen: By hop, in order.
        injected: By hop and kind.
        sent: Marked echo requests.
        answered: How many of them were answered.
        arrived: Marked requests that the capture at node B held: the search finds what is there.
        control: Marked requests that arrived at node B while frames were injected: it takes what is genuine.
    """

    seen: tuple[Seen, ...]
    injected: tuple[HopInjection, ...]
    sent: int
    answered: int
    arrived: int
    control: int

    @property
    def is_proof(self) -> bool:
        """Whether genuine frames arrived in both runs, and something was captured at each hop."""
        return self.arrived > 0 and self.control > 0 and all(one.frames for one in self.seen)


@dataclass(frozen=True, slots=True)
class NodeResult:
    """One round of one setting.

    Attributes:
        setting: Name of the setting.
        round: From 1.
        latency_ms: Weighted latency between the nodes in ms, with the study's weights; None where it is not known.
        latency_by_frame_ms: Mean round-trip time in ms by frame size in bytes.
        mbit_s: TCP throughput between the nodes by direction.
        retransmits: TCP segments that were sent again, by direction; those that are not known are left out.
        intervals_mbit_s: Throughput of each second, by direction.
        cpu_latency: CPU of the gateways during latency, by `a` and `b`.
        cpu_throughput: CPU of the gateways during TCP, by `a` and `b`.
        hops: What was seen and injected at each hop; None in later rounds.
        own_load_cores: Load of this computer beyond the practice lab meanwhile, in cores; None where not known.
        message: Why there are no figures, or not all of them; empty for nothing.
        suite: Title of the suite of the tunnel between the gateways; empty in results of earlier versions.
    """

    setting: str
    round: int
    latency_ms: float | None = None
    latency_by_frame_ms: Mapping[int, float] = field(default_factory=dict)
    mbit_s: Mapping[str, float] = field(default_factory=dict)
    retransmits: Mapping[str, int] = field(default_factory=dict)
    intervals_mbit_s: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    cpu_latency: Mapping[str, CpuUsage] = field(default_factory=dict)
    cpu_throughput: Mapping[str, CpuUsage] = field(default_factory=dict)
    hops: HopReport | None = None
    own_load_cores: float | None = None
    message: str = ""
    suite: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """Setting and round."""
        return self.setting, self.round

    @property
    def has_figures(self) -> bool:
        """Whether it has latency, and throughput in both directions."""
        return self.latency_ms is not None and len(self.mbit_s) == 2

    @property
    def is_disturbed(self) -> bool:
        """Whether this computer had other work meanwhile."""
        return self.own_load_cores is not None and self.own_load_cores > DISTURBED_CORES
