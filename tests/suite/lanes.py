"""Jobs, stages and lanes: what a run consists of, and what it came to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suite.records import Counts, Record, counts_of

NO_SKIPS = "TUNNELMARK_NO_SKIPS"
NOTHING_COLLECTED = 5
"""Exit status. Source: pytest's documentation, "Exit codes"."""


@dataclass(frozen=True)
class Job:
    """One process.

    Attributes:
        name: Its name within the run; its files are called so.
        argv: The command; a relative program is found on PATH.
        is_pytest: Whether it runs tests and writes a record of them.
        variables: What its environment has besides that of the run.
        nice: By how much it gives way to other lanes, from 0 to 19; None for as much as its lane does.
    """

    name: str
    argv: tuple[str, ...]
    is_pytest: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    nice: int | None = None


@dataclass(frozen=True)
class Stage:
    """Jobs that may run at the same time.

    Attributes:
        name: Its name.
        jobs: Return them for a number of processors that the stage may keep busy; that many run at the same time.
        after: Stage of another lane that this one waits for, where the run has it; empty for none.
    """

    name: str
    jobs: Callable[[int], tuple[Job, ...]]
    after: str = ""


@dataclass(frozen=True)
class Lane:
    """Stages that run in sequence.

    Attributes:
        name: Its name.
        stages: In their order.
        nice: By how much its processes give way to those of other lanes, from 0 to 19.
    """

    name: str
    stages: tuple[Stage, ...]
    nice: int = 0

    def jobs(self, processors: int) -> tuple[Job, ...]:
        """Return the jobs of all stages."""
        return tuple(job for stage in self.stages for job in stage.jobs(processors))


@dataclass(frozen=True)
class JobResult:
    """The outcome of a job.

    Attributes:
        job: The job.
        status: Exit status, negative for the signal that ended it.
        seconds: How long it ran.
        log: All that it printed.
        record: What its tests did; None for other jobs.
        is_interrupted: Whether the run was ended before the job was.
        cpu_s: Processor time of the job and of what it waited for, in seconds. Emulated machines, which belong to no
            job, are not in it.
    """

    job: Job
    status: int
    seconds: float
    log: Path
    record: Record | None = None
    is_interrupted: bool = False
    cpu_s: float = 0.0

    @property
    def fault(self) -> str:
        """Faults besides the tests that failed; empty if there are none."""
        if self.is_interrupted:
            return "was interrupted"
        if self.record is None:
            return f"ended with status {self.status}" if self.status else ""
        if self.record.status is None:
            at = ", ".join(self.record.running) or "no test"
            return f"died with status {self.status} without a result, while it ran {at}"
        if self.status == NOTHING_COLLECTED:
            return "found no tests"
        if self.status and not self.has_unwanted_skips and not counts_of(self.record.results).failed:
            return f"ended with status {self.status}, although no test failed"
        return ""

    @property
    def has_unwanted_skips(self) -> bool:
        """Whether tests were skipped where none may be."""
        return bool(os.environ.get(NO_SKIPS) and self.record and counts_of(self.record.results).skipped)

    @property
    def counts(self) -> Counts:
        """Tests by outcome. A command counts as one, and so does a fault of a process of tests."""
        own = counts_of(self.record.results) if self.record else Counts()
        if self.fault:
            return own + Counts(failed=1)
        return own if self.record else Counts(passed=1)

    @property
    def is_well(self) -> bool:
        """Whether everything passed."""
        return not (self.fault or self.counts.failed or self.has_unwanted_skips)


@dataclass(frozen=True)
class LaneResult:
    """The outcome of a lane.

    Attributes:
        name: Its name.
        seconds: How long it took.
        jobs: Its jobs, in the order of their ends.
    """

    name: str
    seconds: float
    jobs: tuple[JobResult, ...]

    @property
    def counts(self) -> Counts:
        """Tests and commands by outcome."""
        return sum((job.counts for job in self.jobs), Counts())

    @property
    def is_well(self) -> bool:
        """Whether everything passed."""
        return all(job.is_well for job in self.jobs)
