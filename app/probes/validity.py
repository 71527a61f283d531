"""Why figures may be wrong, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.hosts import Side, ToolFlavour
from app.domain.results import CpuUsage, LatencySeries
from app.probes.messages import (
    BUSY_BEFORE,
    BUSYBOX_PING,
    CPU_NOT_ALWAYS_MEASURED,
    ECHOES_LOST,
    ECHOES_TWICE,
    NOTE_OF_SIZE,
    SHAPED_BY_OTHERS,
    STOLEN_TIME,
)
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
            doubts.append(BUSY_BEFORE(busy_pct=surroundings.busy_pct, host=labels[side]))
        doubts += [
            SHAPED_BY_OTHERS(host=labels[side], device=surroundings.device, shaper=shaper)
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
            doubts.append(STOLEN_TIME(stolen_pct=stolen, host=labels[side]))
        if any(side.value not in usage for usage in usages):
            doubts.append(CPU_NOT_ALWAYS_MEASURED(host=labels[side]))
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
        doubts.append(ECHOES_LOST(lost=lost, sent=sent, lost_pct=lost * 100 / sent))
    duplicates = sum(one.duplicates for one in series)
    if duplicates:
        doubts.append(ECHOES_TWICE(duplicates=duplicates))
    doubts += [NOTE_OF_SIZE(frame_bytes=one.frame_bytes, note=one.note) for one in series if one.note]
    if flavour is ToolFlavour.BUSYBOX:
        doubts.append(BUSYBOX_PING())
    return tuple(doubts)
