"""`make test-full`: what takes too long, or too much of the computer, for every change. It goes on where it ended.

The parts run in sequence. The outcome of each is kept beside the tree of files that it was tried with: a part
that passed is not run again for the same tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_cache_path

from suite.documents import put_part
from suite.lanes import Job, JobResult, Lane, Stage
from suite.plan import ROOT, pytest_job
from suite.report import minutes
from suite.running import Report, run_lanes

PASSED, FAILED, INTERRUPTED = "passed", "failed", "interrupted"
MARKER = "test-full"
_FAULTS = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
_BENCHES = ("bench_rank", "bench_window", "bench_pages", "bench_lint")
PLATFORMS = {
    "traffic": ("every VPN between every two platforms", ("adapter_traffic",)),
    "injections": ("what gets into tunnels between them", ("adapter_injection", "forged_segments")),
    "breakages": (
        "what VPNs do there when they break, or meet strangers",
        ("adapter_guards", "adapter_steps", "freelan_gateways", "openvpn_versions"),
    ),
    "firewalls": ("comparisons and deployments on gateways with firewalls", ("hardened_gateways",)),
}
"""Parts of the cross product of platforms: what they show, and their files of tests/lab. `platforms` is all others."""


@dataclass(frozen=True)
class Part:
    """A part of `make test-full`.

    Attributes:
        job: Its process.
        what: What it shows, for the table.
        progress: File that its process keeps results in, one JSON object per line; None where it keeps none.
    """

    job: Job
    what: str
    progress: Path | None = None

    @property
    def stage(self) -> Stage:
        """The part as a stage of its own."""
        return Stage(self.job.name, lambda _: (self.job,))


@dataclass(frozen=True)
class Outcome:
    """Outcome of a part.

    Attributes:
        status: `passed`, `failed` or `interrupted`.
        seconds: How long it ran; a part that goes on where it was interrupted adds up.
        counts: Tests, or other tries, by outcome.
        tree: Of the files that were tried.
        commit: The last one, with a plus sign if files had changed since.
        date: When it ended.
    """

    status: str
    seconds: float
    counts: str
    tree: str
    commit: str
    date: str


def parts() -> tuple[Part, ...]:
    """Return all parts, in their order: the short ones first."""
    cache = user_cache_path("tunnelmark")
    benches = [f"tests/bench/{name}.py" for name in _BENCHES]
    return (
        Part(pytest_job("bench", "-s", *benches), "speed of ranking, window and linter"),
        Part(pytest_job("timed", "--full", "-m", "timed", "tests"), "tests that measure time"),
        Part(
            Job("faults", (sys.executable, "-m", "faults"), variables=_FAULTS),
            "every fault in every stage and 200 kills, on namespaces",
            cache / "faults-namespaces.jsonl",
        ),
        Part(Job("bench-lab", ("sh", "tests/bench/on_lab.sh")), "speed of deployments and probes on a practice lab"),
        *_platforms(),
        Part(
            Job("faults-lab", (sys.executable, "-m", "faults", "--hosts", "lab"), variables=_FAULTS),
            "the faults once more, on practice labs",
            cache / "faults-lab.jsonl",
        ),
    )


def _platforms() -> Iterator[Part]:
    options = ("--full", "-m", "full and not timed")
    files = {part: [f"tests/lab/test_{name}.py" for name in names] for part, (_, names) in PLATFORMS.items()}
    for part, (what, _) in PLATFORMS.items():
        yield Part(pytest_job(part, *options, *files[part]), what)
    others = [f"--ignore={file}" for names in files.values() for file in names]
    yield Part(pytest_job("platforms", *options, *others, "tests"), "all else on other platforms than in every run")


class FullRun:
    """Runs of `make test-full` of one repository.

    Args:
        root: The repository.
        folder: Where outcomes, logs and records are kept; it is there.
        all_parts: The parts.
        report: Prints progress.
    """

    def __init__(self, root: Path, folder: Path, all_parts: Sequence[Part], report: Report) -> None:
        self._root = root
        self._folder = folder
        self._parts = all_parts
        self._report = report
        self._file = folder / "full.json"

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The last outcome of each part, by its name."""
        if not self._file.exists():
            return {}
        rows = json.loads(self._file.read_text(encoding="utf-8"))
        return {name: Outcome(**row) for name, row in rows.items()}

    def forget(self) -> None:
        """Forget what has been tried, also within parts that go on where they ended."""
        for path in (self._file, *(part.progress for part in self._parts if part.progress)):
            path.unlink(missing_ok=True)

    def run(self, names: Sequence[str] = ()) -> bool:
        """Run the parts that have not passed yet with these files.

        Args:
            names: Of the parts that are wanted; empty for all.

        Returns:
            Whether the run came to its end; False if it was interrupted.
        """
        for part in self._parts:
            if names and part.job.name not in names:
                continue
            tree, commit = tree_of(self._root), commit_of(self._root)
            known = self.outcomes.get(part.job.name)
            is_same = known is not None and known.tree == tree
            if known is not None and is_same and known.status == PASSED:
                self._report("full", f"{part.job.name} passed with these files on {known.date}: {known.counts}")
                continue
            lane = Lane("full", (part.stage,))
            (result,), is_interrupted = run_lanes((lane,), self._root, self._folder, self._report)
            spent_s = known.seconds if known is not None and is_same and known.status == INTERRUPTED else 0.0
            for job in result.jobs:
                self._keep(part, job, Outcome("", spent_s, "", tree, commit, ""))
            if is_interrupted:
                return False
        return True

    def is_well(self, names: Sequence[str] = ()) -> bool:
        """Whether parts passed with the files of now.

        Args:
            names: Of the parts; empty for all.
        """
        tree, outcomes = tree_of(self._root), self.outcomes
        return all(
            (one := outcomes.get(part.job.name)) is not None and one.status == PASSED and one.tree == tree
            for part in self._parts
            if not names or part.job.name in names
        )

    def table(self) -> str:
        """Return the outcomes as Markdown."""
        lines = ["| part | result | tests or tries | time | commit | date |", "| --- | --- | --- | ---: | --- | --- |"]
        for part in self._parts:
            one = self.outcomes.get(part.job.name)
            cells = (
                (one.status, one.counts, minutes(one.seconds), f"`{one.commit}`", one.date[:10])
                if one
                else ("not run", "", "", "", "")
            )
            lines.append(f"| {part.job.name}: {part.what} | {' | '.join(cells)} |")
        return "\n".join(lines)

    def show(self, page: Path) -> None:
        """Put the table into a document."""
        put_part(page, MARKER, f"## Last result of make test-full\n\n{self.table()}")

    def _keep(self, part: Part, job: JobResult, known: Outcome) -> None:
        status = INTERRUPTED if job.is_interrupted else PASSED if job.is_well else FAILED
        counts = tries_of(part.progress) if part.progress else str(job.counts) if job.record else ""
        date = datetime.now(UTC).isoformat(timespec="seconds")
        outcome = replace(known, status=status, seconds=known.seconds + job.seconds, counts=counts, date=date)
        rows = {name: asdict(one) for name, one in {**self.outcomes, part.job.name: outcome}.items()}
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(rows, indent=1), encoding="utf-8")
        new.replace(self._file)


def tries_of(progress: Path) -> str:
    """Return what the progress file of `make faults` says: how many were tried, and what ever went wrong."""
    from faults.cells import EXCEPTION

    if not progress.exists():
        return "nothing tried"
    rows = [json.loads(line) for line in progress.read_text(encoding="utf-8").split("\n")[1:-1]]
    last = {row["key"]: row["outcome"] for row in rows}
    wrong = sum(row["outcome"] == EXCEPTION for row in rows)
    return f"{len(last)} tried, {wrong} exceptions"


def tree_of(root: Path) -> str:
    """Return the name of the tree of all files that git does not ignore, but for the documents.

    `make test-full` writes its own result into one of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        variables = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        _git(root, "add", "--all", "--", ".", ":!docs", **variables)
        return _git(root, "write-tree", **variables)


def commit_of(root: Path) -> str:
    """Return the last commit, with a plus sign if files have changed since."""
    changed = _git(root, "status", "--porcelain", "--", ".", ":!docs")
    return _git(root, "rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _git(root: Path, *words: str, **variables: str) -> str:
    return subprocess.run(
        ["git", *words],
        cwd=root,
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
