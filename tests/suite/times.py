"""Durations of test files: kept from run to run, read from JUnit files, shown as a Markdown table."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from suite.lanes import LaneResult
from suite.records import seconds_by_file

SHOWN_S = 1.0
"""Files below are one row together, in seconds."""
BEFORE = Path("tests") / "suite" / "times_before.json"
"""Seconds by file of the suite before it ran in lanes, in one place."""


@dataclass(frozen=True)
class FileTime:
    """Duration of a file in a job.

    Attributes:
        lane: The lane of the job.
        tests: How many tests of it ran there.
        seconds: Their set-up, calls and clean-up.
    """

    lane: str
    tests: int
    seconds: float


Times = Mapping[str, Mapping[str, FileTime]]
"""By job and file."""


def keep_times(path: Path, lanes: Sequence[LaneResult]) -> None:
    """Take the times of jobs that passed into the file that holds those of earlier runs."""
    times = {job: dict(files) for job, files in read_times(path).items()}
    for lane in lanes:
        for job in lane.jobs:
            if job.record is not None and job.is_well:
                times[job.job.name] = {
                    file: FileTime(lane.name, job.record.expected.get(file, 0), seconds)
                    for file, seconds in seconds_by_file(job.record.results).items()
                }
    data = {job: {file: asdict(time) for file, time in files.items()} for job, files in times.items()}
    new = path.with_suffix(".new")
    new.write_text(json.dumps(data, indent=1), encoding="utf-8")
    new.replace(path)


def read_times(path: Path) -> Times:
    """Return the times that were kept; none where there is no such file."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    return {job: {file: FileTime(**row) for file, row in files.items()} for job, files in data.items()}


def seconds_by_lane(times: Times) -> dict[str, dict[str, float]]:
    """Return the seconds of each lane's files."""
    lanes: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for files in times.values():
        for file, time in files.items():
            lanes[time.lane][file] = lanes[time.lane].get(file, 0.0) + time.seconds
    return dict(lanes)


def junit_seconds(paths: Iterable[Path], root: Path) -> dict[str, float]:
    """Return the seconds of each file from JUnit files that pytest wrote.

    Args:
        paths: The files.
        root: The repository, whose files tell modules and classes apart.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for path in paths:
        for case in ET.parse(path).iter("testcase"):  # noqa: S314 - written by our own pytest
            name = case.get("classname") or case.get("name") or ""
            seconds[_file_of(name, root)] += float(case.get("time", 0))
    return dict(seconds)


def _file_of(classname: str, root: Path) -> str:
    """Return the file of a dotted name, which may end with classes. A file that is gone now has no classes."""
    parts = classname.split(".")
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length]) + ".py"
        if (root / name).exists():
            return name
    return "/".join(parts) + ".py"


def table(before_s: Mapping[str, float], times: Times) -> str:
    """Return the Markdown table of all files, the slowest first.

    Args:
        before_s: Seconds by file, of an earlier suite; may be empty.
        times: Of this one.
    """
    now: defaultdict[str, list[FileTime]] = defaultdict(list)
    for files in times.values():
        for file, time in files.items():
            now[file].append(time)
    now_s = {file: sum(time.seconds for time in rows) for file, rows in now.items()}
    names = sorted({*before_s, *now_s}, key=lambda file: (-now_s.get(file, 0.0), -before_s.get(file, 0.0), file))
    shown = [file for file in names if max(now_s.get(file, 0.0), before_s.get(file, 0.0)) >= SHOWN_S]
    rest = [file for file in names if file not in shown]
    lines = ["| file | lane | tests | before, s | now, s |", "| --- | --- | ---: | ---: | ---: |"]
    for file in shown:
        lanes = " and ".join(dict.fromkeys(time.lane for time in now[file])) or "–"
        tests = sum(time.tests for time in now[file]) or "–"
        lines.append(f"| `{file}` | {lanes} | {tests} | {_cell(before_s, [file])} | {_cell(now_s, [file])} |")
    if rest:
        lines.append(
            f"| {len(rest)} files below {SHOWN_S:.0f} s | | | {_cell(before_s, rest)} | {_cell(now_s, rest)} |"
        )
    lines.append(f"| **all** | | | **{_cell(before_s, names)}** | **{_cell(now_s, names)}** |")
    return "\n".join(lines)


def _cell(seconds: Mapping[str, float], files: Sequence[str]) -> str:
    known = [seconds[file] for file in files if file in seconds]
    return f"{sum(known):.1f}" if known else "–"
