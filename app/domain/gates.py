"""Gates: readings that say whether hosts, link or the user's computer were too busy for figures to count."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GateName(StrEnum):
    """Names of the gates."""

    SPREAD = "spread"
    DAEMON_WAIT = "daemon-wait"
    ROUNDS = "rounds"
    STEAL = "steal"
    OWN_LOAD = "own-load"
    DROPS = "drops"
    UNDERLAY_DROPS = "underlay-drops"
    WARM_UP = "warm-up"
    RTT_RESOLUTION = "rtt-resolution"
    CLOCK_SOURCE = "clock-source"
    GOVERNOR = "governor"
    THROTTLING = "throttling"
    CLOCK_STEP = "clock-step"


class GateVerdict(StrEnum):
    """Verdict of a gate, from best to worst."""

    OK = "ok"
    DOUBT = "doubt"  # the figures count, and the doubt is reported
    REPEAT = "repeat"  # measured again, three times at most
    FAILED = "failed"  # still so after the last repeat, or never repeated: no advice


@dataclass(frozen=True, slots=True)
class Gate:
    """Verdict on one reading.

    Attributes:
        name: Which gate.
        value: The reading in the gate's unit; None where the host does not report it.
        verdict: The verdict; OK where nothing is known.
        words: The reading with its unit, host and limit, as a sentence.
    """

    name: GateName
    value: float | None
    verdict: GateVerdict
    words: str = ""


@dataclass(frozen=True, slots=True)
class HostReadings:
    """Counters of one host, as differences over the time in which an attempt's echo requests ran.

    Attributes:
        wait_ms: Time that the tunnel's daemons waited for a CPU, all together, in ms; None without daemons.
        steal_pct: CPU time taken by the hypervisor, in percent of all cores; None where none reports it.
        drops: Packets dropped by queues, sockets and interfaces of the underlay and the tunnel; None if not counted.
        clock_source: Name of the kernel's clock source; empty if not known.
        governor: Frequency governor of the first CPU; empty if there is none.
        throttled: Times that the CPU was throttled for heat or voltage; None if not counted.
        clock_step_ms: Change of the wall clock against the monotonic clock, in ms; None if not known.
        requests: Echo requests meanwhile, those of the warm-up included if it ran within that time; None: all that the
            attempt has.
        underlay_drops: Packets that the interface of the underlay dropped or found damaged, in both directions; None if
            not counted.
        scaling_driver: Driver that sets the frequency of the first CPU; empty if there is none, or not read, as in
            earlier versions.
    """

    wait_ms: float | None = None
    steal_pct: float | None = None
    drops: int | None = None
    clock_source: str = ""
    governor: str = ""
    throttled: int | None = None
    clock_step_ms: float | None = None
    requests: int | None = None
    underlay_drops: int | None = None
    scaling_driver: str = ""
