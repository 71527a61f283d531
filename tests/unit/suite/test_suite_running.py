"""Lanes side by side: real processes of tests in tiny folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from suite.lanes import Job, Lane, Stage
from suite.making import CACHE, Busy, cache_folder, run_suite
from suite.running import run_lanes
from support.driven_suite import lane
from support.tiny_suite import environment, make_suite
from support.waiting import wait_until

GOOD = "def test_a(): pass\ndef test_b(): pass\n"
BAD = """
    def test_c():
        print("shown in full")
        assert 1 == 2
"""
MEETING = """
    import pathlib, time

    def test_meets_the_other_lane(request):
        mine, other = {files}
        pathlib.Path(mine).touch()
        for _ in range(1800):
            if pathlib.Path(other).exists():
                return
            time.sleep(0.1)
        raise AssertionError("the other lane was not there")
"""
CLEANING = """
    import os, pathlib, subprocess, time
    import pytest

    @pytest.fixture
    def tidy():
        yield
        pathlib.Path("tidied").touch()

    def test_takes_long(tidy):
        child = subprocess.Popen(["sleep", "300"])
        pathlib.Path("pids.new").write_text(f"{os.getpid()} {child.pid}")
        pathlib.Path("pids.new").rename("pids")
        time.sleep(300)
"""


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("TUNNELMARK_", "PYTEST_"))]:
        if name != "PYTEST_CURRENT_TEST":
            monkeypatch.delenv(name)


def run(folder: Path, capsys: pytest.CaptureFixture[str], *lanes: str) -> tuple[int, list[str]]:
    status = run_suite([lane(words) for words in lanes], folder)
    return status, capsys.readouterr().out.splitlines()


LEAST = 19
"""The priority of a process that gives way to every other one."""


def test_a_job_gives_way_as_its_lane_does_or_as_it_says_itself(tmp_path: Path) -> None:
    jobs = (Job("like-its-lane", ("nice",)), Job("by-itself", ("nice",), nice=1))
    before = os.nice(0)
    run_lanes((Lane("computer", (Stage("both", lambda _: jobs),), nice=3),), tmp_path, tmp_path, lambda *_: None)
    found = {job.name: int((tmp_path / f"{job.name}.log").read_text()) for job in jobs}
    # This test gives way itself where the suite runs it, and no process can give way further than the least.
    assert found == {"like-its-lane": min(before + 3, LEAST), "by-itself": min(before + 1, LEAST)}


def test_lanes_run_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"left": "('a', 'b')", "right": "('b', 'a')"}
    folder = make_suite(tmp_path / "s", **{name: MEETING.format(files=pair) for name, pair in files.items()}, good=GOOD)
    status, out = run(folder, capsys, "machines=left", "computer=!true;;right;;good")
    assert status == 0
    assert out[-1] == "5 passed, 0 failed, 0 skipped"
    assert sum(line.endswith(" begins") for line in out) == 4
    assert any(" tests/test_good.py  2 passed  " in line and line.startswith("computer") for line in out)


def test_a_stage_waits_for_the_one_of_another_lane_that_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_suite(tmp_path / "s", good=GOOD)
    status, out = run(folder, capsys, "machines=good<command-1", "computer=!true;;!sleep 1")
    assert (status, out[-1]) == (0, "4 passed, 0 failed, 0 skipped")
    steps = [line.partition("| ")[2].split(" after ")[0] for line in out if " begins" in line or " ended " in line]
    assert steps[-3:] == ["command-1 ended", "good begins", "good ended"]
    assert run(folder, capsys, "machines=good<units")[0] == 0, "a stage that is no part of the run is not waited for"


def test_failing_test_fails_the_run_and_is_shown_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_suite(tmp_path / "s", bad=BAD, good=GOOD)
    status, out = run(folder, capsys, "machines=bad;;good")
    assert status == 1
    assert "==== machines: tests/test_bad.py::test_c" in out
    assert "FAILED tests/test_bad.py::test_c: assert 1 == 2" in out
    assert {">       assert 1 == 2", "shown in full"} <= set(out)
    assert out[-1] == "2 passed, 1 failed, 0 skipped"
    assert "shown in full" in (folder / CACHE / "last" / "bad.log").read_text()


def test_what_an_error_knows_is_reported_in_the_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_suite(
        tmp_path / "s",
        broken="""
        class Fault(Exception):
            context = {"undo": "taken back 0002\\nFAILED with 124 0001"}
        def test_c(): raise Fault("it was not put back")
        """,
    )
    status, out = run(folder, capsys, "machines=broken")
    assert status == 1
    reported = out[out.index("==== Summary") :]
    failed = next(number for number, line in enumerate(reported) if line.startswith("FAILED "))
    assert reported[failed].endswith("it was not put back")
    assert reported[failed + 1 : failed + 3] == ["    undo: taken back 0002", "    FAILED with 124 0001"]


def test_failing_command_counts_as_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(make_suite(tmp_path / "s", good=GOOD), capsys, "computer=!echo found; false;;good")
    assert status == 1
    assert "found" in out
    assert out[-1] == "2 passed, 1 failed, 0 skipped"


def test_lane_that_dies_without_a_result_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dying = "import os\ndef test_d(): os._exit(0)\n"
    folder = make_suite(tmp_path / "s", dying=dying, broken="import nothing_of_that_name\n")
    status, out = run(folder, capsys, "machines=dying;;broken")
    assert status == 1
    died = "died with status 0 without a result, while it ran tests/test_dying.py::test_d"
    assert f"==== machines: dying {died}" in out
    assert "==== machines: tests/test_broken.py" in out, "collecting it failed"
    assert out[-1] == "0 passed, 2 failed, 0 skipped"


def test_process_that_finds_no_test_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(make_suite(tmp_path / "s", good=GOOD), capsys, "machines=good -k nothing_of_that_name")
    assert (status, out[-1]) == (1, "0 passed, 1 failed, 0 skipped")


@pytest.mark.parametrize(("variable", "wanted"), [("", 0), ("1", 1)])
def test_skipped_test_fails_the_run_where_none_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variable: str, wanted: int
) -> None:
    monkeypatch.setenv("TUNNELMARK_NO_SKIPS", variable)
    folder = make_suite(tmp_path / "s", skips="import pytest\ndef test_s(): pytest.skip('no device')\n")
    status, out = run(folder, capsys, "machines=skips")
    assert (status, out[-1]) == (wanted, "0 passed, 0 failed, 1 skipped")
    assert "skipped tests/test_skips.py::test_s" in out


def test_only_one_run_at_a_time(tmp_path: Path) -> None:
    with cache_folder(tmp_path, "last"), pytest.raises(Busy, match="another run"), cache_folder(tmp_path, "last"):
        pass


@contextmanager
def driven(folder: Path, *lanes: str) -> Iterator[subprocess.Popen[str]]:
    argv = [sys.executable, "-m", "support.driven_suite", str(folder), *lanes]
    with subprocess.Popen(argv, env=environment(), cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def has_text(path: Path) -> bool:
    """Whether a file is there and something has been written to it."""
    return path.exists() and path.read_text() != ""


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_ends_what_it_started(tmp_path: Path, number: signal.Signals) -> None:
    folder = make_suite(tmp_path / "s", long=CLEANING, good=GOOD)
    with driven(folder, "machines=long;;good", "computer=!echo $$ > shell; exec sleep 300") as process:
        wait_until(lambda: all(has_text(folder / name) for name in ("pids", "shell")), "jobs that run")
        pids = [int(pid) for name in ("pids", "shell") for pid in (folder / name).read_text().split()]
        assert all(is_alive(pid) for pid in pids)
        process.send_signal(number)
        out, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert (folder / "tidied").exists(), "fixtures clean up"
    wait_until(lambda: not any(is_alive(pid) for pid in pids), "the end of what was killed")
    assert out.splitlines()[-1] == "0 passed, 2 failed, 0 skipped", "nothing was begun after the interruption"
    assert "test session starts" not in out, "logs of what was interrupted are named, not shown"


def test_second_interruption_kills(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s")
    with driven(folder, "machines=!trap '' INT; echo $$ > shell; sleep 300 & wait; sleep 300") as process:
        wait_until(lambda: has_text(folder / "shell"), "a job that runs")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert any("waiting for the jobs" in line for line in iter(process.stdout.readline, ""))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    shell = int((folder / "shell").read_text())
    wait_until(lambda: not is_alive(shell), "the end of the shell")


def test_jobs_of_a_killed_run_clean_up(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s", long=CLEANING)
    with driven(folder, "machines=long") as process:
        wait_until((folder / "pids").exists, "a job that runs")
        process.kill()
    pid, child = (int(pid) for pid in (folder / "pids").read_text().split())
    wait_until(lambda: not is_alive(pid), "the end of the job")
    assert (folder / "tidied").exists()
    os.kill(child, signal.SIGKILL)
