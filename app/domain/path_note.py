"""MTU and fragmentation on the underlay during an attempt."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.frame_fit import FrameFit, frame_fit


@dataclass(frozen=True, slots=True)
class PathNote:
    """MTU and fragmentation on the underlay during an attempt.

    Attributes:
        inner_mtu_bytes: MTU of the interface that carries the frames.
        underlay_mtu_bytes: MTU of the underlay.
        fragments_created: IPv4 fragments that both hosts made while latency was probed; None where not counted.
        largest_unfragmented_frame_bytes: By the adapter's arithmetic; None where that varies.
        overhead_bytes: By the adapter's arithmetic.
    """

    inner_mtu_bytes: int
    underlay_mtu_bytes: int
    fragments_created: int | None
    largest_unfragmented_frame_bytes: int | None
    overhead_bytes: int | None

    @property
    def fit(self) -> FrameFit | None:
        """Sizes that are not fragmented; None where no frame is, or it is not known."""
        return frame_fit(self.largest_unfragmented_frame_bytes, self.inner_mtu_bytes)
