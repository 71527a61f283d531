"""Lanes that run side by side, each job a process with a log of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from suite.lanes import Job, JobResult, Lane, LaneResult
from suite.records import Record, Result

GRACE_S = 120.0
"""Time limit for an interrupted job to clean up (labs are taken down), in seconds."""
POLL_S = 0.1
_ASKING = {
    1: (signal.SIGINT, "interrupted: waiting for the jobs to clean up"),
    2: (signal.SIGKILL, "killing what is left"),
}
Report = Callable[[str, str], None]
"""Prints a line of a lane, given the lane's name and the line."""


@dataclass
class _Running:
    """A job that runs."""

    job: Job
    process: subprocess.Popen[bytes]
    log: Path
    record: Record | None
    began_s: float
    ended: Counter[str] = field(default_factory=Counter)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the job's processes, as a terminal would; they have a process group of their own."""
        os.killpg(self.process.pid, number)

    def is_over(self) -> bool:
        """Return whether the job has ended. It remains a zombie, so that its group's number belongs to nothing else."""
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


class LaneRun:
    """A lane that is being run.

    Args:
        lane: The lane.
        root: Where jobs start.
        folder: Where their logs and records go.
        report: Prints progress.
    """

    def __init__(self, lane: Lane, root: Path, folder: Path, report: Report) -> None:
        self._lane = lane
        self._root = root
        self._folder = folder
        self._report = report
        self._stages = list(lane.stages)
        self._stage = ""
        self._pending: list[Job] = []
        self._running: list[_Running] = []
        self._finished: list[JobResult] = []
        self._began_s = time.monotonic()
        self._seconds = 0.0
        self._is_interrupted = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be done."""
        return not (self._stages or self._pending or self._running)

    @property
    def unfinished(self) -> set[str]:
        """Names of stages that have not ended."""
        own = {self._stage} if self._pending or self._running else set()
        return own | {stage.name for stage in self._stages}

    def advance(self, processors: int, unfinished: Container[str] = ()) -> None:
        """Take note of what has ended, and start what comes next.

        Args:
            processors: How many the lane may keep busy.
            unfinished: Stages of all lanes that have not ended.
        """
        for one in list(self._running):
            is_over = one.is_over()
            self._follow(one)
            if is_over:
                self._running.remove(one)
                self._finish(one)
        is_free = not self._pending and not self._running
        if is_free and self._stages and self._stages[0].after not in unfinished:
            stage = self._stages.pop(0)
            self._stage, self._pending = stage.name, list(stage.jobs(processors))
        while self._pending and len(self._running) < processors:
            self._running.append(self._start(self._pending.pop(0)))
        self._seconds = time.monotonic() - self._began_s

    def interrupt(self, number: signal.Signals) -> None:
        """Start nothing more, and send a signal to what runs."""
        self._is_interrupted = True
        self._stages.clear()
        self._pending.clear()
        for one in self._running:
            one.signal(number)

    def kill(self) -> None:
        """Kill what still runs, where this program itself fails."""
        for one in self._running:
            one.signal(signal.SIGKILL)
            one.process.wait()

    def result(self) -> LaneResult:
        """Return what has come of it."""
        return LaneResult(self._lane.name, self._seconds, tuple(self._finished))

    def _start(self, job: Job) -> _Running:
        log = self._folder / f"{job.name}.log"
        record = Record(self._folder / f"{job.name}.jsonl") if job.is_pytest else None
        if record:
            record.path.unlink(missing_ok=True)  # that of an earlier run would be read
        argv = [*job.argv, f"--record={record.path}"] if record else list(job.argv)
        # Should this program be killed, its jobs are interrupted and clean up.
        nice = self._lane.nice if job.nice is None else job.nice
        argv = ["setpriv", "--pdeathsig", "INT", "nice", "-n", str(nice), *argv]
        with log.open("wb") as out:
            process = subprocess.Popen(
                argv,
                cwd=self._root,
                env={**_environment(), "PYTHONPATH": str(self._root), **job.variables},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        _give_way(process.pid, nice)
        self._report(self._lane.name, f"{job.name} begins")
        return _Running(job, process, log, record, time.monotonic())

    def _follow(self, one: _Running) -> None:
        """Print which tests failed and which files are through."""
        if one.record is None:
            return
        for result in one.record.read_more():
            if result.outcome == "failed":
                self._report(self._lane.name, f"FAILED {result.id}")
            one.ended[result.file] += 1
            if one.ended[result.file] == one.record.expected.get(result.file):
                self._report(self._lane.name, _line_of_file(result.file, one.record.results))

    def _finish(self, one: _Running) -> None:
        one.signal(signal.SIGKILL)  # what it started and left behind
        _, waited, usage = os.wait4(one.process.pid, 0)
        status = one.process.returncode = os.waitstatus_to_exitcode(waited)
        seconds = time.monotonic() - one.began_s
        # What ended well by itself, just when the others were interrupted, is a result.
        is_cut_short = self._is_interrupted and status != 0
        done = JobResult(one.job, status, seconds, one.log, one.record, is_cut_short, usage.ru_utime + usage.ru_stime)
        self._finished.append(done)
        fault = f": {done.fault}" if done.fault else ""
        counts = f", {done.counts}" if one.record else ""
        self._report(self._lane.name, f"{one.job.name} ended after {seconds:.0f} s{counts}{fault}")


def _line_of_file(file: str, results: Sequence[Result]) -> str:
    own = [result for result in results if result.file == file]
    outcomes = Counter(result.outcome for result in own)
    reported = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    return f"{file}  {reported}  {sum(result.seconds for result in own):.1f} s"


def _environment() -> dict[str, str]:
    """Return what jobs get of this program's environment.

    They keep the byte code that they make: without it, each process of tests compiles them all anew, for 8 s.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _give_way(pid: int, nice: int) -> None:
    """Lower the priority of a whole session.

    Linux shares processors between sessions first (sched(7), "The autogroup feature"), and virtual machines have
    sessions of their own: niceness alone has no effect on them then.
    """
    if not nice:
        return
    try:
        Path(f"/proc/{pid}/autogroup").write_text(str(nice), encoding="ascii")
    except OSError:
        pass  # no such feature, or switched off


def run_lanes(lanes: Sequence[Lane], root: Path, folder: Path, report: Report) -> tuple[tuple[LaneResult, ...], bool]:
    """Run lanes side by side. Each may use all processors: their priorities decide who gets them.

    Ctrl-C and termination interrupt the jobs as a terminal does, and wait until they have cleaned up; a second one
    kills them.

    Args:
        lanes: The lanes.
        root: Where jobs start.
        folder: Where logs and records go; it is there.
        report: Prints progress.

    Returns:
        What came of the lanes, and whether the run was interrupted.
    """
    runs = [LaneRun(lane, root, folder, report) for lane in lanes]
    processors = len(os.sched_getaffinity(0))
    asked, kill_at_s = 0, float("inf")
    with _signals() as signals:
        try:
            while active := [run for run in runs if not run.is_done]:
                for run in active:
                    run.advance(processors, {name for each in active for name in each.unfinished})
                asking = 2 if time.monotonic() > kill_at_s else min(len(signals), 2)
                if asking > asked:
                    number, reported = _ASKING[asking]
                    for run in active:
                        run.interrupt(number)
                    report("suite", reported)
                    asked, kill_at_s = asking, time.monotonic() + GRACE_S
                time.sleep(POLL_S)
        finally:
            for run in runs:
                run.kill()
    return tuple(run.result() for run in runs), asked > 0


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect the signals that ask this program to end.

    As they are handled, the jobs get them with their default actions, even where this program was started in the
    background of a shell that ignores SIGINT.
    """
    received: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, _frame: received.append(number)) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
