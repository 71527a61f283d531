"""Records of processes of tests, and tables of how long files took."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from suite.documents import put_part
from suite.making import TIMES, run_suite
from suite.records import Counts, read_record
from suite.times import FileTime, junit_seconds, read_times, seconds_by_lane, table
from support.driven_suite import lane
from support.tiny_suite import make_suite, run_pytest

SLOW = """
    import time
    import pytest

    @pytest.fixture(scope="module")
    def slow_to_begin_and_end():
        time.sleep(0.2)
        yield
        time.sleep(0.2)

    @pytest.mark.parametrize("number", range(3))
    def test_slow(slow_to_begin_and_end, number): time.sleep(0.1)

    class TestClass:
        def test_in_it(self): pass
"""
FAST = "def test_fast(): pass\n"


@pytest.mark.parametrize("words", ["", "-p xdist -n 2 --dist loadfile"], ids=["alone", "xdist"])
def test_seconds_are_those_of_setup_call_and_teardown(tmp_path: Path, words: str) -> None:
    folder = make_suite(tmp_path / "s", slow=SLOW, fast=FAST)
    begin = time.monotonic()
    run_suite([lane(f"machines=slow {words} tests/test_fast.py")], folder)
    passed = time.monotonic() - begin
    times = read_times(folder / TIMES)["slow"]
    assert 0.7 <= times["tests/test_slow.py"].seconds < passed
    assert times["tests/test_fast.py"].seconds < passed - 0.7
    assert {file: (one.lane, one.tests) for file, one in times.items()} == {
        "tests/test_slow.py": ("machines", 4),
        "tests/test_fast.py": ("machines", 1),
    }


def test_times_of_other_jobs_are_kept(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s", slow=SLOW, fast=FAST, dying="import os\ndef test_d(): os._exit(1)\n")
    run_suite([lane("machines=slow;;fast")], folder)
    run_suite([lane("computer=fast;;dying")], folder)
    times = read_times(folder / TIMES)
    assert {job: [time.lane for time in files.values()] for job, files in times.items()} == {
        "slow": ["machines"],
        "fast": ["computer"],
    }


def test_worker_that_crashes_is_a_failure_of_its_test(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s", dying="import os\ndef test_d(): os._exit(1)\n", fast=FAST)
    run_pytest(folder, "-p", "xdist", "-n", "1", "--record=record", "tests")
    record = read_record(folder / "record")
    assert {one.id.partition("::")[2]: one.outcome for one in record.results} == {
        "test_d": "failed",
        "test_fast": "passed",
    }
    assert record.status == 1


def test_record_says_why_a_test_failed_or_was_skipped(tmp_path: Path) -> None:
    text = """
        import pytest

        @pytest.fixture
        def late():
            yield
            raise RuntimeError("too late")

        def test_cleans_up_badly(late): print("said")
        def test_skipped(): pytest.skip("no device")
        @pytest.mark.xfail(strict=True)
        def test_known(): assert False
    """
    folder = make_suite(tmp_path / "s", some=text)
    run_pytest(folder, "--record=record", "tests")
    failed, skipped, known = read_record(folder / "record").results
    assert (failed.outcome, skipped.outcome, known.outcome) == ("failed", "skipped", "xfailed")
    assert "in teardown:" in failed.detail
    assert "too late" in failed.detail
    assert "said" in failed.detail
    assert "no device" in skipped.detail


def test_growing_record_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "record"
    record = read_record(path)
    assert record.results == []
    path.write_text('{"event": "start", "id": "a::b"}\n{"event": "te')
    assert record.read_more() == []
    assert record.running == ["a::b"]
    with path.open("a") as file:
        file.write('st", "id": "a::b", "outcome": "passed", "seconds": 1.0}\n')
    assert [one.id for one in record.read_more()] == ["a::b"]
    assert record.running == []


def test_counts_are_written_in_one_form() -> None:
    assert str(Counts(2103, 1) + Counts(0, 0, 4)) == "2103 passed, 1 failed, 4 skipped"


def test_junit_files_give_seconds_of_files(tmp_path: Path) -> None:
    folder = make_suite(tmp_path / "s", slow=SLOW, fast=FAST)
    run_pytest(folder, "--junitxml=one.xml")
    both = junit_seconds([folder / "one.xml", folder / "one.xml"], folder)
    assert set(both) == {"tests/test_slow.py", "tests/test_fast.py"}
    assert both["tests/test_slow.py"] >= 1.4
    (folder / "tests" / "test_fast.py").unlink()
    assert "tests/test_fast.py" in junit_seconds([folder / "one.xml"], folder), "a file that is gone"


def test_table_compares_files() -> None:
    times = {
        "hosts": {"tests/a.py": FileTime("computer", 3, 12.0), "tests/small.py": FileTime("computer", 9, 0.2)},
        "machines": {"tests/a.py": FileTime("machines", 2, 30.0), "tests/new.py": FileTime("machines", 1, 5.0)},
    }
    before = {"tests/a.py": 100.0, "tests/gone.py": 50.0, "tests/small.py": 0.9}
    assert table(before, times).splitlines()[2:] == [
        "| `tests/a.py` | computer and machines | 5 | 100.0 | 42.0 |",
        "| `tests/new.py` | machines | 1 | – | 5.0 |",
        "| `tests/gone.py` | – | – | 50.0 | – |",
        "| 1 files below 1 s | | | 0.9 | 0.2 |",
        "| **all** | | | **150.9** | **47.2** |",
    ]
    assert seconds_by_lane(times) == {
        "computer": {"tests/a.py": 12.0, "tests/small.py": 0.2},
        "machines": {"tests/a.py": 30.0, "tests/new.py": 5.0},
    }


def test_part_of_a_document_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- times: begin -->\nold\n<!-- times: end -->\nAfter.\n")
    for text in ("one", "two"):
        put_part(page, "times", text)
    assert page.read_text() == "Before.\n<!-- times: begin -->\n\ntwo\n\n<!-- times: end -->\nAfter.\n"
    with pytest.raises(ValueError, match="no markers"):
        put_part(page, "other", "text")
