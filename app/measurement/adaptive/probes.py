"""Probes of a round, as the round sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport
from app.domain.gates import HostReadings
from app.domain.results import CpuUsage, ThroughputSeries
from app.measurement.adaptive.draft import Draft
from app.measurement.interfaces import StageSink
from app.probes.blocks import BlockTarget, TargetBlock, WarmUp

ThroughputSink = Callable[[str, float, float], None]
"""Gets direction, seconds since it began, and Mbit/s."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """TCP in both directions through one candidate, and the CPU of both hosts meanwhile, by `a` and `b`."""

    series: tuple[ThroughputSeries, ...]
    cpu: Mapping[str, CpuUsage]


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions while echo requests ran.

    Attributes:
        readings: Counters of `a` and `b` by the position of the attempt.
        own_load_cores: Load of the user's computer beyond the practice lab, in cores; None for hosts that are no lab.
    """

    readings: Mapping[int, Mapping[str, HostReadings]]
    own_load_cores: float | None = None


class RoundProbes(Protocol):
    """Probes of a round."""

    def warm_up(self, target: BlockTarget, *, token: CancelToken) -> WarmUp:
        """Send echo requests until they are steady."""
        ...

    def cycle(self, targets: Sequence[BlockTarget], *, first_size: int, token: CancelToken) -> tuple[TargetBlock, ...]:
        """Measure one block of each target, in this order."""
        ...

    def watch(self, drafts: Sequence[Draft], *, token: CancelToken) -> Callable[[], Conditions]:
        """Read the counters of both hosts; return a function that reads them again and returns what changed."""
        ...

    def transfer(
        self, draft: Draft, *, seconds: int, cap_mbit_s: float | None, token: CancelToken, on_interval: ThroughputSink
    ) -> Transfer:
        """Measure TCP in both directions; its start does not count."""
        ...

    def capture(self, draft: Draft, *, token: CancelToken, on_stage: StageSink) -> CaptureReport:
        """Run the packet tests; the tunnel does not work afterwards."""
        ...
