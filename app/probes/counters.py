"""Counters of both hosts, read before and after a measurement: what disturbed it shows in their differences."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_sides
from app.domain.gates import HostReadings
from app.domain.hosts import HostFacts, Privilege, Side
from app.domain.script_files import bare_script
from app.probes.cpu_ticks import CpuTicks, parse_cpu_line, usage_between

K = TypeVar("K", int, str)

_SCRIPT = bare_script("probes/counters.sh")
_NUMBER = re.compile(r"^\d{1,20}$")
_TIME = re.compile(r"^\d{1,12}(?:\.\d{1,9})?$")
_HEX = re.compile(r"^(?:0x)?[0-9a-fA-F]{1,16}$")
_SMALLEST_COARSE_STEP_MS = 1_500.0
"""Rounding of `date` in seconds: some versions know whole seconds only."""


@dataclass(slots=True)
class HostCounters:
    """Counters of one host at one moment; what it does not report is missing.

    Attributes:
        ticks: CPU time and fragments.
        wall_s: The wall clock in seconds.
        is_wall_fine: Whether it has fractions.
        uptime_s: Seconds since the start of the host, read right after it.
        softnet: Packets that the kernel's input queues dropped; None if not counted.
        udp_errors: UDP packets that sockets had no room for; None if not counted.
        devices: Packets dropped by interface.
        underlay: Packets dropped and damaged by the interface of the underlay, by the kernel's name of the counter.
        waits_ns: Time that processes waited for a CPU in ns, all their threads together, by process id.
        clock_source: Name of the kernel's clock source.
        governor: Frequency governor of the first CPU.
        scaling_driver: Driver that sets the frequency of the first CPU.
        throttled: Times that a CPU was throttled; None if not counted.
        throttle_flags: Flags of a Raspberry Pi's firmware; None on other hosts.
    """

    ticks: CpuTicks | None = None
    wall_s: float | None = None
    is_wall_fine: bool = False
    uptime_s: float | None = None
    softnet: int | None = None
    udp_errors: int | None = None
    devices: dict[str, int] = field(default_factory=dict)
    underlay: dict[str, int] = field(default_factory=dict)
    waits_ns: dict[int, int] = field(default_factory=dict)
    clock_source: str = ""
    governor: str = ""
    scaling_driver: str = ""
    throttled: int | None = None
    throttle_flags: int | None = None


def read_counters(
    sessions: SessionPair,
    pids: Mapping[Side, Sequence[int]],
    devices: Mapping[Side, Sequence[str]],
    *,
    token: CancelToken,
    underlay: Mapping[Side, str] | None = None,
) -> Mapping[Side, HostCounters]:
    """Read the counters of both hosts.

    Args:
        pids: Process ids of tunnels' daemons.
        devices: Interfaces of tunnels.
        underlay: Interfaces of the underlay; None, or empty, where they are not known.

    Returns:
        The counters by side.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """

    def read(side: Side) -> HostCounters:
        host = sessions.on(side)
        words = (
            " ".join(devices.get(side, ())),
            " ".join(str(one) for one in pids.get(side, ())),
            (underlay or {}).get(side, ""),
        )
        is_root = host.privilege is not Privilege.NONE
        command = Command(shell_step_argv(_SCRIPT, *words), timeout_s=15.0, is_root=is_root, max_output_bytes=65_536)
        return parse_counters(host.run(command, token=token).stdout)

    return run_sides(read)


def underlay_device(facts: HostFacts, address: str) -> str:
    """Return the interface that has the underlay address; empty where none is known to have it."""
    return next((nic.name for nic in facts.nics if address in {one.partition("/")[0] for one in nic.addresses}), "")


def parse_counters(text: str) -> HostCounters:
    """Return what the script printed as counters; never raises, whatever it is."""
    found = HostCounters()
    udp_names: list[str] = []
    for line in text.splitlines():
        ticks = parse_cpu_line(line)
        if ticks is not None:
            found.ticks = found.ticks or ticks
            continue
        word, *rest = line.split() or [""]
        if word == "udp":
            _take_udp(found, udp_names, rest)
        elif word == "underlay":
            _take_underlay(found, rest)
        elif rest:
            _take(found, word, rest)
    return found


def _take(found: HostCounters, word: str, rest: Sequence[str]) -> None:
    match word, rest:
        case "wall", [time] if _TIME.match(time.removesuffix(".%N").removesuffix(".N")):
            plain = time.removesuffix(".%N").removesuffix(".N")
            found.wall_s, found.is_wall_fine = float(plain), "." in plain
        case "uptime", [time] if _TIME.match(time):
            found.uptime_s = float(time)
        case "softnet", [dropped, *_] if _HEX.match(dropped):
            found.softnet = (found.softnet or 0) + int(dropped, 16)
        case "device", [name, _kind, count] if _NUMBER.match(count) and len(found.devices) < 100:
            found.devices[name] = found.devices.get(name, 0) + int(count)
        case "waits", [process, nanoseconds] if _NUMBER.match(process) and _NUMBER.match(nanoseconds):
            found.waits_ns[int(process)] = found.waits_ns.get(int(process), 0) + int(nanoseconds)
        case "clocksource", [name]:
            found.clock_source = name[:32]
        case "governor", [name]:
            found.governor = name[:32]
        case "scaling_driver", [name]:
            found.scaling_driver = name[:32]
        case "throttled", [count] if _NUMBER.match(count):
            found.throttled = (found.throttled or 0) + int(count)
        case "raspberry", [flags] if _HEX.match(flags):
            found.throttle_flags = int(flags, 16)
        case _:
            pass


def _take_underlay(found: HostCounters, words: Sequence[str]) -> None:
    if len(words) == 2 and _NUMBER.match(words[1]) and len(found.underlay) < 10:
        found.underlay[words[0]] = int(words[1])


def _take_udp(found: HostCounters, names: list[str], values: Sequence[str]) -> None:
    """Take one of the two lines of UDP's counters: names first, then numbers."""
    if not names:
        names.extend(values)
        return
    by_name = dict(zip(names, values, strict=False))
    errors = by_name.get("RcvbufErrors", "")
    if _NUMBER.match(errors):
        found.udp_errors = int(errors)


def readings_between(
    first: HostCounters,
    last: HostCounters,
    *,
    pids: Collection[int] | None = None,
    devices: Collection[str] | None = None,
) -> HostReadings:
    """Return what changed from one reading to the next.

    Args:
        first: Before.
        last: Afterwards.
        pids: The daemons that count; None for all that were read.
        devices: The interfaces that count; None for all that were read.
    """
    waits = _grown(first.waits_ns, last.waits_ns, pids)
    dropped = [
        _difference(first.softnet, last.softnet),
        _difference(first.udp_errors, last.udp_errors),
        _grown(first.devices, last.devices, devices),
    ]
    known = [one for one in dropped if one is not None]
    return HostReadings(
        wait_ms=waits / 1e6 if waits is not None else None,
        steal_pct=_steal_pct(first.ticks, last.ticks),
        drops=sum(known) if known else None,
        clock_source=last.clock_source,
        governor=last.governor,
        scaling_driver=last.scaling_driver,
        throttled=_throttled(first, last),
        clock_step_ms=_clock_step_ms(first, last),
        underlay_drops=_grown(first.underlay, last.underlay, None),
    )


def _difference(first: int | None, last: int | None) -> int | None:
    return None if first is None or last is None else max(0, last - first)


def _throttled(first: HostCounters, last: HostCounters) -> int | None:
    """Return how often a CPU was throttled; 1 for a Raspberry Pi that was, because its firmware does not count.

    Bits 0 to 3 are of now, 16 to 19 of the time since the start: under-voltage, capped frequency, throttled, limit of
    temperature. Source: Raspberry Pi's documentation of vcgencmd, get_throttled.
    """
    if first.throttle_flags is None or last.throttle_flags is None:
        return _difference(first.throttled, last.throttled)
    now = (first.throttle_flags | last.throttle_flags) & 0xF
    since = (last.throttle_flags & ~first.throttle_flags) >> 16 & 0xF
    return int(bool(now | since))


def _grown(first: Mapping[K, int], last: Mapping[K, int], wanted: Collection[K] | None) -> int | None:
    shared = [key for key in first.keys() & last.keys() if wanted is None or key in wanted]
    return sum(max(0, last[key] - first[key]) for key in shared) if shared else None


def _steal_pct(first: CpuTicks | None, last: CpuTicks | None) -> float | None:
    """Return the stolen share; None where no hypervisor has ever reported any: it may report none at all."""
    if first is None or last is None or not last.steal:
        return None
    usage = usage_between(first, last)
    return usage.steal_pct if usage is not None else None


def _clock_step_ms(first: HostCounters, last: HostCounters) -> float | None:
    if first.wall_s is None or last.wall_s is None or first.uptime_s is None or last.uptime_s is None:
        return None
    step_ms = 1_000 * ((last.wall_s - first.wall_s) - (last.uptime_s - first.uptime_s))
    is_fine = first.is_wall_fine and last.is_wall_fine
    return step_ms if is_fine or abs(step_ms) >= _SMALLEST_COARSE_STEP_MS else 0.0
