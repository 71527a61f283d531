"""A whole run: lanes, their failures, their budgets, the summary."""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from suite.budgets import read_budgets
from suite.lanes import Lane
from suite.quarantine import read_quarantine
from suite.report import failures, over_budget, summary
from suite.running import Report, run_lanes
from suite.times import keep_times

CACHE = Path(".cache") / "suite"
"""Logs, records, times and outcomes, below the repository's root; git ignores them."""
TIMES = CACHE / "times.json"
INTERRUPTED = 130


class Busy(Exception):
    """Another run is under way in this repository."""


def run_suite(lanes: Sequence[Lane], root: Path) -> int:
    """Run lanes and report on them.

    Args:
        lanes: The lanes.
        root: The repository.

    Returns:
        The exit status: 0 if everything passed and no file exceeded its budget.

    Raises:
        Busy: Another run is under way.
        QuarantineError: See `read_quarantine`.
    """
    quarantine, budgets = read_quarantine(root), read_budgets(root)
    began_s = time.monotonic()
    with cache_folder(root, "last") as folder:
        results, is_interrupted = run_lanes(lanes, root, folder, printer())
        keep_times(root / TIMES, results)
    excess = over_budget(results, budgets)
    print("", *failures(results), sep="\n")
    print(*summary(results, excess, quarantine, time.monotonic() - began_s), sep="\n", flush=True)
    if is_interrupted:
        return INTERRUPTED
    return 0 if all(lane.is_well for lane in results) and not excess else 1


def printer() -> Report:
    """Return what prints a lane's lines with the time since now."""
    began_s = time.monotonic()

    def report(lane: str, text: str) -> None:
        seconds = int(time.monotonic() - began_s)
        print(f"{lane:>8} {seconds // 60:3d}:{seconds % 60:02d} | {text}", flush=True)

    return report


@contextmanager
def cache_folder(root: Path, name: str, *, is_emptied: bool = True) -> Iterator[Path]:
    """Give a folder for logs and records that no other run uses meanwhile.

    Args:
        root: The repository.
        name: Of the folder.
        is_emptied: Whether what an earlier run left there is removed.

    Raises:
        Busy: Another run is under way.
    """
    folder = root / CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    with (root / CACHE / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"another run is under way in {root}: it holds {lock.name}") from error
        if is_emptied:
            shutil.rmtree(folder)
            folder.mkdir()
        yield folder
