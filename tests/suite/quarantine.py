"""Tests that are known to fail now and then: they run and are reported, and their failure does not fail the run.

`tests/quarantine.toml` names them, each with a reason and a date. As a plugin of pytest this module marks them.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from suite.recording import QUARANTINED

FILE = Path("tests") / "quarantine.toml"
MOST = 5
"""Most tests in quarantine: a suite with more of them cannot be trusted."""


class QuarantineError(Exception):
    """The file is not as it has to be; the text says where."""


@dataclass(frozen=True)
class Entry:
    """A test in quarantine.

    Attributes:
        id: Its node id; without parameters it names all cases of the test.
        reason: What is known about its failures.
        since: When it was put here.
    """

    id: str
    reason: str
    since: date

    def covers(self, nodeid: str) -> bool:
        """Return whether this entry names a test."""
        return nodeid == self.id or nodeid.partition("[")[0] == self.id


def read_quarantine(root: Path) -> tuple[Entry, ...]:
    """Return the entries of a repository; none where it has no such file.

    Raises:
        QuarantineError: An entry is incomplete, or there are too many.
    """
    path = root / FILE
    if not path.exists():
        return ()
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = data.pop("test", [])
    if data:
        raise QuarantineError(f"{FILE}: unknown: {', '.join(data)}; entries are tables [[test]]")
    entries = tuple(_entry(row) for row in rows)
    if len(entries) > MOST:
        raise QuarantineError(f"{FILE}: {len(entries)} entries, but at most {MOST} tests may be in quarantine")
    if len({entry.id for entry in entries}) < len(entries):
        raise QuarantineError(f"{FILE}: a test is named twice")
    return entries


def complaint_about(root: Path, entries: Sequence[Entry]) -> str:
    """Return what pytest says about entries that name no test; nothing if all do.

    Args:
        root: The repository.
        entries: Its quarantine.
    """
    if not entries:
        return ""
    argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--full", *(entry.id for entry in entries)]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _entry(row: dict[str, object]) -> Entry:
    match row:
        case {"id": str(nodeid), "reason": str(reason), "since": date() as since} if (
            len(row) == 3 and "::" in nodeid and reason.strip()
        ):
            return Entry(nodeid, reason.strip(), since)
    raise QuarantineError(f"{FILE}: needs id = 'file::test', reason = '…', since = a date, and nothing else: {row}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the tests in quarantine fail without failing the run."""
    entries = read_quarantine(config.rootpath)
    for item in items:
        for entry in entries:
            if entry.covers(item.nodeid):
                reason = f"quarantined since {entry.since}: {entry.reason}"
                # The first mark counts, and a test that passes is no failure either.
                item.add_marker(pytest.mark.xfail(reason=reason, strict=False), append=False)
                item.user_properties.append((QUARANTINED, reason))
