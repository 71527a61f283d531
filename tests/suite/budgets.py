"""Time budgets of test files, and the files that exceed theirs.

A file is judged relative to its lane: on a slow or busy computer all files take longer, and none is to blame.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILE = Path("tests") / "budgets.toml"
FLOOR_S = 30.0
"""Budget of a file without an entry, in seconds. A file below it is never judged."""
EXCESS = 3.0
"""A file may take so many times its budget; from one computer to the next, files took up to 2.0 times as long."""
_HEAD = """\
# Seconds that the tests of a file take (set-up, call and clean-up), by lane; docs/testing.md says how they are judged.
# Files without an entry have {floor:.0f} s. Written by `make budgets` from the last run of `make test`.
"""

Budgets = Mapping[str, Mapping[str, float]]
"""Seconds by lane and file."""


@dataclass(frozen=True)
class Excess:
    """A file that took too long.

    Attributes:
        file: The file.
        seconds: How long it took.
        budget_s: Its budget.
        slowness: How many times as long as their budgets the other files of the lane took; at least 1.
    """

    file: str
    seconds: float
    budget_s: float
    slowness: float

    def __str__(self) -> str:
        return (
            f"{self.file} took {self.seconds:.0f} s; its budget is {self.budget_s:.0f} s, "
            f"and the rest of its lane took {self.slowness:.1f} times its own"
        )


def read_budgets(root: Path) -> Budgets:
    """Return the budgets of a repository; none where it has no such file."""
    path = root / FILE
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def excesses(measured_s: Mapping[str, float], budgets_s: Mapping[str, float]) -> list[Excess]:
    """Return the files of a lane that took more than EXCESS times their budgets, relative to the others of that lane.

    Args:
        measured_s: Seconds by file.
        budgets_s: The lane's budgets by file, in seconds.
    """
    allowed_s = {file: budgets_s.get(file, FLOOR_S) for file in measured_s}
    # Files without an entry would add their floors to the sum, and hide how slow the others are.
    known = [file for file in measured_s if file in budgets_s]
    found = []
    for file, seconds in measured_s.items():
        others = [one for one in known if one != file]
        total_s, budget_s = (sum(table[one] for one in others) for table in (measured_s, allowed_s))
        slowness = max(1.0, total_s / budget_s) if budget_s else 1.0
        if seconds > FLOOR_S and seconds > allowed_s[file] * slowness * EXCESS:
            found.append(Excess(file, seconds, allowed_s[file], slowness))
    return found


def write_budgets(root: Path, measured_s: Budgets) -> None:
    """Write the budgets of files that took at least the floor, rounded up; lanes that were not measured keep theirs.

    Args:
        root: The repository.
        measured_s: Seconds by lane and file.
    """
    tables = {**read_budgets(root), **measured_s}
    lines = [_HEAD.format(floor=FLOOR_S)]
    for lane, files in sorted(tables.items()):
        lines.append(f"[{lane}]")
        lines += [f'"{file}" = {math.ceil(seconds)}' for file, seconds in sorted(files.items()) if seconds >= FLOOR_S]
        lines.append("")
    (root / FILE).write_text("\n".join(lines), encoding="utf-8")
