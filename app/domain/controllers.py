"""Settings of controllers that decide whether they keep their connection over a tunnel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

PROFINET_FACTOR = 3
"""Update cycles without data after which a device reports a failure. Source: usual default of engineering tools."""

ETHERNET_IP_FACTOR = 4
"""Connection timeout multiplier: the connection ends after so many RPIs. Source: CIP, Volume 1, the least."""


class ControllerSetting(StrEnum):
    """Settings that decide whether a controller keeps its connection."""

    PROFINET = "profinet-update-time"
    ETHERNET_IP = "ethernet-ip-rpi"
    MODBUS = "modbus-tcp-timeout"
    OPC_UA = "opc-ua-timeout"


@dataclass(frozen=True, slots=True)
class ControllerAdvice:
    """Smallest safe value of one setting.

    Attributes:
        setting: Which.
        value_ms: Smallest value that holds with what was measured, in ms; None where none of those offered does.
    """

    setting: ControllerSetting
    value_ms: int | None


@dataclass(frozen=True, slots=True)
class ControllerLimit:
    """Round trip from which on a controller with one value of a setting gives up, even if no frame is lost.

    Attributes:
        setting: Which.
        value_ms: Its value, in ms.
        limit_ms: The round-trip time, in ms.
    """

    setting: ControllerSetting
    value_ms: int
    limit_ms: float


@dataclass(frozen=True, slots=True)
class RestartOutage:
    """Outages after a restart of the VPN on one host, as the workload `restart` measured them.

    Attributes:
        longest_s: The longest one, in s; None where frames did not cross again, or it was not measured.
        advice: Smallest values with which a connection outlasts it.
        message: Why the longest one is not known, as a sentence; empty where it is.
    """

    longest_s: float | None
    advice: tuple[ControllerAdvice, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Extremes of what was measured.

    Attributes:
        replies: How many replies it rests on.
        least_ms: Shortest round trip, in ms.
        most_ms: Longest round trip, in ms.
        lost_in_a_row: Longest run of requests without a reply.
        outage_ms: Longest outage that requests without a reply allow, by when they were sent, in ms; 0 if none is lost.
        is_bounded: Whether no outage was longer. Fixed rounds do not store the requests that ping sends, for lost ones,
            beyond those of one of its runs: an outage at the end of a run may have been longer.
        silent_rounds: Rounds in which the tunnel stopped carrying frames while it was measured. Their replies are not
            among these, and how long that lasted is not known.
        repeated: Attempts that were disturbed and made again; the replies of the disturbed ones are not among these.
    """

    replies: int
    least_ms: float
    most_ms: float
    lost_in_a_row: int
    outage_ms: float = 0.0
    is_bounded: bool = True
    silent_rounds: tuple[int, ...] = ()
    repeated: int = 0

    @property
    def variation_ms(self) -> float:
        """Largest difference of two delays of frames of one direction, which that of round trips is at least."""
        return self.most_ms - self.least_ms
