"""The power switches of a running lab's machines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.lab import Lab, LabManager
from app.lab.boot import console_mark_count, wait_until_up
from app.lab.control import give_order
from app.lab.spec import LabMachine


def power_off(manager: LabManager, name: str, machine: LabMachine) -> None:
    """Take the power from one machine, at once. The others and the link are left as they are."""
    give_order(manager._known(name).folder, "off", machine)


def power_on(manager: LabManager, name: str, machine: LabMachine) -> None:
    """Give a machine its power back, and wait until it can be logged in to; one that has power is left alone."""
    lab = manager._known(name)
    if give_order(lab.folder, "status").pids[machine] is not None:
        return
    marks = console_mark_count(lab, machine)
    give_order(lab.folder, "on", machine)
    timeout_s = manager._boot_timeout_s
    wait_until_up(lab, {machine: marks}, token=CancelToken(), on_progress=lambda *_: None, timeout_s=timeout_s)


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
            power_off(self.manager, self.lab.spec.name, side)

    def on(self, *sides: Side) -> None:
        """Give it back, and wait until the gateways let us in."""
        with ThreadPoolExecutor(len(Side)) as pool:
            list(pool.map(self._on, sides))

    def _on(self, side: Side) -> None:
        power_on(self.manager, self.lab.spec.name, side)
