"""The end of a run: failures in full, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suite.budgets import Budgets, Excess, excesses
from suite.lanes import JobResult, LaneResult
from suite.quarantine import Entry
from suite.records import Counts, Result, seconds_by_file

TAIL_LINES = 200
"""So much is shown of the log of a process of tests that died, in lines; that of a command is shown in full."""


def failures(lanes: Sequence[LaneResult]) -> Iterator[str]:
    """Yield the lines about everything that failed."""
    for lane in lanes:
        for job in lane.jobs:
            results = job.record.results if job.record else []
            for result in results:
                if result.outcome == "failed":
                    yield from (f"==== {lane.name}: {result.id}", result.detail, "")
            if job.fault:
                yield from _fault(lane.name, job)


def _fault(lane: str, job: JobResult) -> Iterator[str]:
    yield f"==== {lane}: {job.job.name} {job.fault}"
    if job.is_interrupted:
        yield from (f"all that it printed: {job.log}", "")
        return
    yield from job.record.troubles if job.record else ()
    lines = job.log.read_text(encoding="utf-8", errors="replace").splitlines()
    if job.record and len(lines) > TAIL_LINES:
        yield f"(the last {TAIL_LINES} lines of {job.log})"
        lines = lines[-TAIL_LINES:]
    yield from lines
    yield ""


def over_budget(lanes: Sequence[LaneResult], budgets: Budgets) -> list[Excess]:
    """Return the files that took too long. A lane that was cut short, or that has no budgets at all, is not judged."""
    return [
        excess
        for lane in lanes
        if lane.name in budgets and all(job.record is None or job.record.status is not None for job in lane.jobs)
        for excess in excesses(seconds_by_file(_results(lane)), budgets[lane.name])
    ]


def total_counts(lanes: Sequence[LaneResult], excess: Sequence[Excess]) -> Counts:
    """Add everything up; a file over its budget counts as a failure."""
    return sum((lane.counts for lane in lanes), Counts(failed=len(excess)))


def summary(
    lanes: Sequence[LaneResult], excess: Sequence[Excess], quarantine: Sequence[Entry], wall_s: float
) -> Iterator[str]:
    """Yield the lines of the summary; the last one holds nothing but the counts."""
    yield "==== Summary"
    for lane in lanes:
        yield f"{lane.name}: {lane.counts} in {minutes(lane.seconds)}"
        yield from (
            f"    {job.job.name}: {minutes(job.seconds)} ({minutes(job.cpu_s)} of CPU), {job.fault or job.counts}"
            for job in lane.jobs
        )
    yield f"together: {minutes(wall_s)}"
    for one in excess:
        yield f"over budget: {one}"
    for lane in lanes:
        for result in _results(lane):
            if result.outcome == "failed":
                yield _failed(result)
                yield from (f"    {line}" for line in result.context)
        yield from (f"skipped {result.id}" for result in _results(lane) if result.outcome == "skipped")
    for entry in quarantine:
        outcomes = [result.outcome for lane in lanes for result in _results(lane) if entry.covers(result.id)]
        reported = ", ".join("FAILED" if one == "xfailed" else one for one in outcomes) or "did not run"
        yield f"quarantined since {entry.since}: {entry.id}: {reported} ({entry.reason})"
    yield str(total_counts(lanes, excess))


def _failed(result: Result) -> str:
    return f"FAILED {result.id}" + (f": {result.reason}" if result.reason else "")


def minutes(seconds: float) -> str:
    """Return a duration as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def _results(lane: LaneResult) -> list[Result]:
    return [result for job in lane.jobs if job.record for result in job.record.results]
