"""The power switches of a running lab's gateways."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.lab import Lab, LabManager


@dataclass(frozen=True)
class LabPower:
    """Takes gateways' power away and gives it back.

    Attributes:
        manager: What runs the lab.
        lab: The lab.
    """

    manager: LabManager
    lab: Lab

    def off(self, *sides: Side) -> None:
        """Take the power away, without any warning."""
        for side in sides:
            self.manager.power_off(self.lab.spec.name, side)

    def on(self, *sides: Side) -> None:
        """Give it back, and wait until the gateways let us in."""
        with ThreadPoolExecutor(len(Side)) as pool:
            list(pool.map(self._on, sides))

    def _on(self, side: Side) -> None:
        self.manager.power_on(self.lab.spec.name, side, token=CancelToken(), on_progress=lambda _: None)
