"""`make test` leaves no test out but those of `make test-full`, and runs none twice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from app.lab.machine import QEMU
from suite.__main__ import main
from suite.full import parts
from suite.lanes import Job
from suite.plan import COMPUTER, LANES, MACHINES, ROOT, STAGES, lanes_of

WITH_MACHINES = ("lab", "e2e")
FOLDERS = sorted({str(path.parent.relative_to(ROOT / "tests")) for path in (ROOT / "tests").rglob("test_*.py")})


def is_selected(job: Job, folder: str, marks: set[str]) -> bool:
    """Return whether a process of tests runs a test of a folder with some marks."""
    words = list(job.argv[3:])  # after -m pytest
    expression = words[words.index("-m") + 1] if "-m" in words else ""
    path = Path("tests") / folder
    is_named = any(str(one) in words for one in (path, *path.parents))
    is_left_out = "full" in marks and "--full" not in words
    is_meant = not expression or Expression.compile(expression).evaluate(lambda name, /, **_: name in marks)
    return is_named and is_meant and not is_left_out


def count(jobs: list[Job], folder: str, marks: set[str]) -> int:
    return sum(is_selected(job, folder, marks) for job in jobs if job.is_pytest)


@pytest.mark.parametrize("processors", [1, 2])
@pytest.mark.parametrize("folder", FOLDERS)
def test_each_test_runs_once(folder: str, processors: int) -> None:
    jobs = [job for lane in LANES for job in lane.jobs(processors)]
    full = [part.job for part in parts()]
    for place in (set(), {"machines"}) if folder in WITH_MACHINES else (set(),):
        assert count(jobs, folder, place) == 1
        assert count(full, folder, place) == 0
        for mark in ({"full"}, {"timed"}, {"full", "timed"}):
            assert count(jobs, folder, place | mark) == 0
            assert count(full, folder, place | mark) == 1


def test_lane_of_machines_alone_runs_what_needs_them() -> None:
    for lane in LANES:
        jobs = list(lane.jobs(1))
        assert any(count(jobs, folder, {"machines"}) for folder in WITH_MACHINES) == (lane.name == MACHINES)


def test_stages_are_selected_by_name() -> None:
    assert lanes_of([]) == LANES
    assert [(lane.name, len(lane.stages)) for lane in lanes_of(["hosts", "check"])] == [(COMPUTER, 2)]
    assert [lane.name for lane in lanes_of(["machines", "hosts"])] == [MACHINES, COMPUTER]
    assert {job.name for lane in LANES for job in lane.jobs(1)} >= set(STAGES) - {"check"}


def test_a_stage_waits_for_a_stage_of_another_lane_that_waits_for_none() -> None:
    free = {stage.name: lane.name for lane in LANES for stage in lane.stages if not stage.after}
    assert all(free[stage.after] != lane.name for lane in LANES for stage in lane.stages if stage.after)


def test_tests_without_hosts_are_all_run_where_they_are_asked_for() -> None:
    (lane,) = lanes_of(["units"])
    assert [job.name for job in lane.jobs(2)] == ["units", "computing", "repository"]


@pytest.mark.parametrize("names", [[], ["machines"], ["units", "machines"]])
def test_images_are_made_before_any_test_is_charged_with_them(names: list[str]) -> None:
    (lane,) = (lane for lane in lanes_of(names) if lane.name == MACHINES)
    assert [job.name for job in lane.jobs(2)] == ["images", "machines"]


@pytest.mark.parametrize("words", [["nothing"], ["--full", "units"], ["--full", "--table"]])
def test_unknown_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "error:" in capsys.readouterr().err


def test_tests_on_hosts_find_a_qemu_that_refuses() -> None:
    (job,) = STAGES["hosts"][1].jobs(2)
    path = job.variables["PATH"]
    found = shutil.which(QEMU, path=path)
    assert found is not None
    done = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has_qemu" in done.stderr
    assert shutil.which("sh", path=path), "other programs are found as ever"
