"""Why figures may be wrong, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.hosts import Side, ToolFlavour
from app.domain.results import CpuUsage, LatencySeries
from app.probes.surroundings import Surroundings

STEAL_LIMIT_PCT = 2.0
"""Above this share of stolen CPU time, RTTs and throughput are the hypervisor's as much as the host's."""

BUSY_LIMIT_PCT = 50.0
"""Above this share of CPU taken by other work before the start, the figures are those of a busy host."""


def doubts_before(labels: Mapping[Side, str], found: Mapping[Side, Surroundings]) -> tuple[str, ...]:
    """Return doubts that follow from what the hosts were like before the measurement.

    Args:
        found: What was found on them.
    """
    doubts: list[str] = []
    for side, surroundings in found.items():
        if surroundings.busy_pct is not None and surroundings.busy_pct > BUSY_LIMIT_PCT:
            doubts.append(
                f"Other work kept {surroundings.busy_pct:.0f} % of {labels[side]}'s CPU busy before the start."
            )
        doubts += [
            f"On {labels[side]}, traffic on {surroundings.device} is shaped by something else: {shaper}."
            for shaper in surroundings.shapers
        ]
    return tuple(doubts)


def doubts_of_cpu(labels: Mapping[Side, str], usages: Sequence[Mapping[str, CpuUsage]]) -> tuple[str, ...]:
    """Return doubts that follow from the CPU's use during the probes.

    Args:
        usages: One mapping by `a` and `b` per probe.
    """
    doubts: list[str] = []
    for side in Side:
        stolen = max((usage[side.value].steal_pct for usage in usages if side.value in usage), default=0.0)
        if stolen > STEAL_LIMIT_PCT:
            doubts.append(f"The hypervisor took {stolen:.0f} % of {labels[side]}'s CPU time while it was measured.")
        if any(side.value not in usage for usage in usages):
            doubts.append(f"The CPU of {labels[side]} was not measured all the time.")
    return tuple(doubts)


def doubts_of_latency(series: Sequence[LatencySeries], flavour: ToolFlavour) -> tuple[str, ...]:
    """Return doubts that follow from the echo replies themselves.

    Args:
        series: One per frame size.
        flavour: Which ping measured.
    """
    doubts: list[str] = []
    lost = sum(one.sent - one.received for one in series if one.received)
    sent = sum(one.sent for one in series if one.received)
    if lost:
        doubts.append(f"{lost} of {sent} echo requests were lost ({lost * 100 / sent:.2g} %).")
    duplicates = sum(one.duplicates for one in series)
    if duplicates:
        doubts.append(f"{duplicates} echo replies came twice.")
    doubts += [f"{one.frame_bytes} B: {one.note}" for one in series if one.note]
    if flavour is ToolFlavour.BUSYBOX:
        doubts.append(
            "BusyBox's ping measured: it cannot forbid fragments, so a frame may have crossed in pieces unnoticed."
        )
    return tuple(doubts)
