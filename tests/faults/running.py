"""Tries plans out on several pairs at the same time, for as long as there is something that they can be tried on."""

from __future__ import annotations

import dataclasses
import queue
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from faults.boot_files import BootCell
from faults.cells import EXCEPTION, Cell, CellPlan, CellResult, timeline_of
from faults.damages import DAMAGES
from faults.fields import Field, NetField
from faults.progress import Progress

GRACE_S = 1.0
"""Time for which a failure waits for the end of this program, in seconds: Ctrl+C reaches what runs on the hosts'
network as well, and may do so earlier."""
NewField = Callable[[], Field]


@dataclasses.dataclass
class Pair:
    """Hosts on which a worker tries plans.

    Attributes:
        hosts: The hosts; None where new ones are needed.
        timelines_s: Of deployments that nothing happens to, by whether they join networks, see `timeline_of`.
    """

    hosts: Field | None = None
    timelines_s: dict[bool, tuple[float, ...]] = dataclasses.field(default_factory=dict)


Attempt = Callable[[Field, CellPlan, dict[bool, tuple[float, ...]]], CellResult]


def attempt(hosts: Field, plan: CellPlan, timelines_s: dict[bool, tuple[float, ...]]) -> CellResult:
    """Try a plan."""
    with tempfile.TemporaryDirectory(prefix="tunnelmark-fault-") as folder:
        if plan.fault in DAMAGES:
            assert isinstance(hosts, NetField)
            return BootCell(hosts, plan, Path(folder)).run()
        bridge = plan.has_bridge
        if plan.stage == "any" and bridge not in timelines_s:
            timelines_s[bridge] = timeline_of(hosts, Path(folder) / "timeline", has_bridge=bridge)
        return Cell(hosts, plan, Path(folder), timelines_s.get(bridge, ())).run()


class Runner:
    """Tries plans out. What was merely broken off, or had nothing left to be tried on, has no result.

    Args:
        new_field: Makes hosts.
        progress: Where results are written down.
        out: Receives them as text.
        attempt: What tries one plan.
        grace_s: How long what went wrong waits to hear that this program ends, in seconds.
    """

    def __init__(
        self,
        new_field: NewField,
        progress: Progress,
        out: Console,
        *,
        attempt: Attempt = attempt,
        grace_s: float = GRACE_S,
    ) -> None:
        self._new_field = new_field
        self._progress = progress
        self._out = out
        self._attempt = attempt
        self._grace_s = grace_s
        self._waiting: queue.Queue[CellPlan] = queue.Queue()
        self._lock = threading.Lock()
        self._stop, self._over = threading.Event(), threading.Event()
        self._reason = ""
        self._working = 0

    def run(self, plans: Sequence[CellPlan], workers: int) -> str:
        """Try plans out.

        Returns:
            Why not all of them could be tried; empty if they were.

        Raises:
            KeyboardInterrupt: The user ends this program; what was under way has no result.
        """
        for plan in plans:
            self._waiting.put(plan)
        self._working = workers
        try:
            for number in range(workers):
                # The end of this program does not wait for them.
                threading.Thread(target=self._work_to_the_end, name=f"faults-{number}", daemon=True).start()
            self._over.wait()
        finally:
            self._stop.set()
        return self._reason

    def _work_to_the_end(self) -> None:
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - raised again by the starter of this thread
            self._break_off(f"this program itself failed: {error!r}")
        with self._lock:
            self._working -= 1
            if self._working == 0:
                self._over.set()

    def _work(self) -> None:
        pair = Pair()
        while not self._stop.is_set():
            try:
                plan = self._waiting.get_nowait()
            except queue.Empty:
                return
            result = self._try(pair, plan)
            if result is None:
                return
            if result.outcome == "too late":  # faster than the one whose timeline was taken
                pair.timelines_s.pop(plan.has_bridge, None)
                self._waiting.put(plan)
                continue
            if not result.is_well:
                pair.hosts = None  # it is not known what is on these hosts
            self._progress.add(result)
            self._out.print(line_of(result), markup=False, soft_wrap=True)

    def _try(self, pair: Pair, plan: CellPlan) -> CellResult | None:
        """Try a plan; return None where that has no result because all ends."""
        if pair.hosts is None:
            try:
                pair.hosts = self._new_field()
            except Exception as error:  # noqa: BLE001 - without hosts there is nothing to try
                self._break_off(f"no hosts could be made: {error}")
                return None
        try:
            result = self._attempt(pair.hosts, plan, pair.timelines_s)
        except Exception as error:  # noqa: BLE001 - one cell's fault must not stop the others
            result = CellResult(plan, EXCEPTION, what=repr(error))
        if not result.is_well and not self._stop.wait(self._grace_s):
            reason = pair.hosts.broken()
            if reason:
                self._break_off(f"{reason}, which is no fault that was tried")
        return None if self._stop.is_set() else result

    def _break_off(self, reason: str) -> None:
        with self._lock:
            if not self._stop.is_set():
                self._reason = reason
            self._stop.set()
            self._over.set()


def line_of(result: CellResult) -> str:
    """Return the line that is printed of a result as soon as it is there."""
    plan = result.plan
    bridge = ", bridged" if plan.has_bridge else ""
    when = f"{plan.stage} {100 * plan.share:.0f} %" if plan.stage == "any" else plan.column
    healthy = "" if result.healthy_s is None else f", healthy after {result.healthy_s:.0f} s"
    times = f"settled after {result.settled_s:.0f} s{healthy}"
    text = f"{plan.fault}, {when}{bridge}: {result.outcome}, {times}. {result.what}"
    return text if result.is_well else f"{text}\n    " + "\n    ".join(result.reported)
