"""Surroundings of a measurement that may spoil it: other load, shaping that was left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.hosts import Side
from app.domain.script_files import bare_script
from app.probes.cpu_ticks import parse_cpu_line, usage_between

_SCRIPT = bare_script("probes/surroundings.sh")

SHAPERS = ("netem", "tbf", "htb", "hfsc", "cake")
"""Queueing disciplines that hold packets back. Source: tc(8), tc-netem(8)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """State of a host just before a measurement.

    Attributes:
        busy_pct: CPU that other work takes, all cores together are 100 %; None where that is not known.
        steal_pct: CPU that the hypervisor takes; None where that is not known.
        device: Interface that has the underlay address; empty where it was not found.
        shapers: Queueing disciplines on it that hold packets back, in tc's words.
    """

    busy_pct: float | None
    steal_pct: float | None
    device: str
    shapers: tuple[str, ...]


def parse_surroundings(text: str) -> Surroundings:
    """Parse the script's output. Never raises, whatever it is."""
    lines = text.splitlines()
    ticks = [parsed for line in lines if (parsed := parse_cpu_line(line)) is not None]
    usage = usage_between(ticks[0], ticks[-1]) if len(ticks) > 1 else None
    device = next((line.removeprefix("device ").strip()[:32] for line in lines if line.startswith("device ")), "")
    shapers = tuple(
        " ".join(line.split())[:200]
        for line in lines
        if line.startswith("qdisc ") and len(line.split()) > 1 and line.split()[1] in SHAPERS
    )
    return Surroundings(
        busy_pct=usage.busy_pct if usage else None,
        steal_pct=usage.steal_pct if usage else None,
        device=device,
        shapers=shapers,
    )


def inspect_surroundings(
    sessions: SessionPair, underlay_a: str, underlay_b: str, *, token: CancelToken
) -> Mapping[Side, Surroundings]:
    """Inspect both hosts just before a measurement; takes half a second.

    Args:
        underlay_a: A's outer address.
        underlay_b: B's outer address.

    Returns:
        What was found, by side.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """

    def read_side(host: HostSession, address: str) -> Surroundings:
        command = Command(("sh", "-c", _SCRIPT, "tunnelmark", address), timeout_s=15.0)
        return parse_surroundings(host.run(command, token=token).stdout)

    found_a, found_b = run_both(lambda: read_side(sessions.a, underlay_a), lambda: read_side(sessions.b, underlay_b))
    return {Side.A: found_a, Side.B: found_b}
