"""Reading of the records that `suite.recording` writes, while they grow and afterwards."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suite.recording import CONTEXT

MAX_REASON = 300
"""In characters."""
MAX_CONTEXT_LINES = 12


@dataclass(frozen=True)
class Result:
    """A test's outcome.

    Attributes:
        id: Its node id.
        outcome: `passed`, `failed`, `skipped` or `xfailed`.
        seconds: Its set-up, call and clean-up.
        detail: Why it did not pass.
        quarantined: Why its failure does not count; empty where it does.
    """

    id: str
    outcome: str
    seconds: float
    detail: str = ""
    quarantined: str = ""

    @property
    def file(self) -> str:
        """The file that the test is in."""
        return self.id.partition("::")[0]

    @property
    def reason(self) -> str:
        """The first line that pytest marks as the error, cut; empty where there is none."""
        options = (line[2:].strip() for line in self.detail.splitlines() if line.startswith("E "))
        return next(options, "")[:MAX_REASON]

    @property
    def context(self) -> tuple[str, ...]:
        """The last lines of what the error knew beside its message, cut; empty where it knew nothing."""
        _, _, text = self.detail.partition(f"---- {CONTEXT} ----\n")
        return tuple(line[:MAX_REASON] for line in text.partition("\n---- ")[0].splitlines()[-MAX_CONTEXT_LINES:])


@dataclass(frozen=True)
class Counts:
    """Numbers of tests by outcome. Failures of tests in quarantine are none of them."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def counts_of(results: Iterable[Result]) -> Counts:
    """Count results; a failure that a test's own mark expects is a pass."""
    found = Counter(
        "passed" if one.outcome == "xfailed" else one.outcome
        for one in results
        if not (one.quarantined and one.outcome == "xfailed")
    )
    return Counts(found["passed"], found["failed"], found["skipped"])


def seconds_by_file(results: Iterable[Result]) -> dict[str, float]:
    """Add up the seconds of all tests of each file."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for one in results:
        seconds[one.file] += one.seconds
    return dict(seconds)


@dataclass
class Record:
    """The record of one process of tests; `read_more` reads what has been added.

    Attributes:
        path: Its file.
        results: Outcomes of tests, in the order of their ends.
        expected: How many tests each file has.
        running: Tests that have begun and not ended.
        troubles: Faults of pytest itself.
        status: Exit status; None until the process has reported its end.
    """

    path: Path
    results: list[Result] = field(default_factory=list)
    expected: dict[str, int] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    status: int | None = None
    _offset: int = 0

    def read_more(self) -> list[Result]:
        """Read what has been added since the last time, and return the tests that have ended."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]  # the last line may still be written
        self._offset += len(whole)
        known = len(self.results)
        for line in whole.splitlines():
            self._take(json.loads(line))
        return self.results[known:]

    def _take(self, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "collected":
                self.expected = dict(event["files"])
            case "start":
                self.running.append(event["id"])
            case "test":
                self.results.append(Result(**{name: value for name, value in event.items() if name != "event"}))
                if event["id"] in self.running:
                    self.running.remove(event["id"])
            case "trouble":
                self.troubles.append(event["detail"])
            case "end":
                self.status = event["status"]


def read_record(path: Path) -> Record:
    """Read a whole record."""
    record = Record(path)
    record.read_more()
    return record
