"""`make test-full` goes on where it ended."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from suite.full import FAILED, PASSED, PLATFORMS, FullRun, Part, parts, tree_of, tries_of
from suite.lanes import Job
from suite.plan import ROOT
from support.driven_suite import job
from support.tiny_suite import make_suite

PAGE = "# Testing\n\n<!-- test-full: begin -->\n<!-- test-full: end -->\n"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("TUNNELMARK_", "GIT_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a test."""
    folder = make_suite(tmp_path / "s", good="def test_a(): pass\n")
    (folder / ".gitignore").write_text("ignored\n__pycache__/\n")
    (folder / "docs").mkdir()
    (folder / "docs" / "testing.md").write_text(PAGE)
    git(folder, "init", "-q")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Change")


class Full:
    """Runs of two parts: one of tests, and a command that fails as long as there is a file `ignored`."""

    def __init__(self, root: Path, folder: Path) -> None:
        folder.mkdir()
        line = "echo tried >> ../tried; echo '{\"seed\": 1}' > ../progress; test ! -e ignored"
        self.reported: list[str] = []
        self.tried = root.parent / "tried"
        self.progress = root.parent / "progress"
        self.parts = (
            Part(job("good"), "tests"),
            Part(Job("command", ("sh", "-c", line)), "a command", self.progress),
        )
        self.run = FullRun(root, folder, self.parts, lambda _, text: self.reported.append(text))

    def statuses(self) -> dict[str, str]:
        return {name: outcome.status for name, outcome in self.run.outcomes.items()}

    def begun(self) -> list[str]:
        names = [text.removesuffix(" begins") for text in self.reported if text.endswith(" begins")]
        self.reported.clear()
        return names


@pytest.fixture
def full(root: Path, tmp_path: Path) -> Full:
    return Full(root, tmp_path / "full")


def test_part_that_passed_is_not_run_again_with_the_same_files(root: Path, full: Full) -> None:
    (root / "ignored").touch()
    assert full.run.run()
    assert full.begun() == ["good", "command"]
    assert full.statuses() == {"good": PASSED, "command": FAILED}
    assert not full.run.is_well()
    (root / "ignored").unlink()
    assert full.run.run()
    assert full.begun() == ["command"], "git ignores the file: they are the same files"
    assert full.run.is_well()
    (root / "docs" / "testing.md").write_text("other")
    commit(root)
    assert full.run.run()
    assert full.begun() == [], "documents are not tried"
    (root / "tests" / "test_good.py").write_text("def test_b(): pass\n")
    assert not full.run.is_well()
    assert full.run.run(["good"])
    assert full.begun() == ["good"]
    assert full.run.outcomes["good"].commit.endswith("+"), "not committed"
    assert full.run.is_well(["good"])
    assert not full.run.is_well(), "the command was not tried with these files"


def test_tree_is_that_of_all_files(root: Path) -> None:
    trees = {tree_of(root)}
    for name in ("new", "tests/test_good.py"):
        (root / name).write_text("# other\n")
        trees.add(tree_of(root))
    assert len(trees) == 3
    commit(root)
    (root / "ignored").touch()
    (root / "docs" / "new.md").touch()
    assert tree_of(root) in trees
    assert git(root, "diff", "--cached", "--name-only") == "", "the index is left alone"


def test_outcome_of_an_interrupted_part_is_not_final(full: Full, monkeypatch: pytest.MonkeyPatch) -> None:
    assert full.run.run(["good"])
    known = full.run.outcomes["good"]
    path = full.progress.parent / "full" / "full.json"
    path.write_text(json.dumps({"good": {**vars(known), "status": "interrupted", "seconds": 1000.0}}))
    assert full.run.run(["good"])
    outcome = full.run.outcomes["good"]
    assert outcome.status == PASSED
    assert 1000 < outcome.seconds < 1100, "both tries together"
    assert outcome.counts == "1 passed, 0 failed, 0 skipped"


def test_beginning_anew_forgets_progress_within_parts_too(full: Full) -> None:
    assert full.run.run()
    assert full.progress.exists()
    full.run.forget()
    assert not full.progress.exists()
    assert full.run.outcomes == {}
    full.begun()
    assert full.run.run()
    assert full.begun() == ["good", "command"]


def test_last_result_is_shown_in_a_document(root: Path, full: Full) -> None:
    assert full.run.run(["good"])
    full.run.show(root / "docs" / "testing.md")
    text = (root / "docs" / "testing.md").read_text()
    commit_id = git(root, "rev-parse", "--short", "HEAD")
    assert "| good: tests | passed | 1 passed, 0 failed, 0 skipped | 0:" in text
    assert f"| `{commit_id}` |" in text
    assert "| command: a command | not run |" in text


def test_tries_of_faults_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    assert tries_of(path) == "nothing tried"
    rows = [{"key": "a", "outcome": "EXCEPTION"}, {"key": "a", "outcome": "as before"}, {"key": "b", "outcome": "x"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"seed": "7"}, *rows]) + '{"key": "half')
    assert tries_of(path) == "2 tried, 1 exceptions"


def test_parts_have_names_of_their_own() -> None:
    names = [part.job.name for part in parts()]
    assert len(set(names)) == len(names)
    assert {*PLATFORMS, "platforms", "timed", "faults", "faults-lab", "bench", "bench-lab"} == set(names)


def test_every_file_of_the_cross_product_is_in_one_part() -> None:
    named: dict[str, list[str]] = {}
    for part in parts():
        for word in part.job.argv:
            if word.startswith(("tests/lab/", "--ignore=")):
                named.setdefault(word.removeprefix("--ignore="), []).append(part.job.name)
    assert set(PLATFORMS) == {part for part, _ in named.values()}
    for file, (part, rest) in named.items():
        assert (ROOT / file).is_file()
        assert part in PLATFORMS
        assert rest == "platforms"
