"""Files that take too long are found, relative to the others of their lane."""

from __future__ import annotations

from pathlib import Path

import pytest

from suite.budgets import EXCESS, FILE, FLOOR_S, Excess, excesses, read_budgets, write_budgets
from suite.lanes import Job, JobResult, LaneResult
from suite.making import run_suite
from suite.records import Record, Result
from suite.report import over_budget, summary
from support.driven_suite import lane
from support.tiny_suite import make_suite

BUDGETS = {"a": 20.0, "b": 40.0, "c": 100.0}


def found(**measured_s: float) -> list[str]:
    return [excess.file for excess in excesses(measured_s, BUDGETS)]


def test_file_far_over_its_budget_is_found() -> None:
    assert found(a=20 * EXCESS, b=40 * EXCESS, c=100) == []
    assert found(a=20 * EXCESS + 1, b=40, c=100) == ["a"]
    assert found(a=20, b=40, c=100 * EXCESS + 1) == ["c"], "its own excess is no excuse"


def test_slow_computer_is_no_fault_of_a_file() -> None:
    assert found(a=60, b=120, c=300) == []
    assert found(a=60 * EXCESS + 1, b=120, c=300) == ["a"], "much slower than the others"
    assert found(a=20 * EXCESS + 1, b=20, c=50) == ["a"], "a fast computer lowers no budget"


def test_file_without_a_budget_has_the_floor() -> None:
    assert found(new=FLOOR_S * EXCESS, a=20, b=40) == []
    assert found(new=FLOOR_S * EXCESS + 1, a=20, b=40) == ["new"]
    assert found(new=FLOOR_S * EXCESS + 1, a=40, b=80) == []
    # A budget of less than the floor judges nothing.
    assert excesses({"small": FLOOR_S}, {"small": 1.0}) == []


def test_excess_says_what_was_compared() -> None:
    (excess,) = excesses({"a": 181.0, "b": 120.0}, BUDGETS)
    assert excess == Excess("a", 181.0, 20.0, 3.0)
    assert {"a", "181", "20", "3.0"} <= set(str(excess).split())


def result_of(seconds: float, status: int | None) -> LaneResult:
    record = Record(Path("x"), [Result("a::test", "passed", seconds)], status=status)
    job = JobResult(Job("x", (), is_pytest=True), status or 0, seconds, Path("x"), record)
    return LaneResult("machines", seconds, (job,))


def test_excess_fails_the_run_and_is_reported_at_the_end() -> None:
    lanes = [result_of(61.0, 0)]
    excess = over_budget(lanes, {"machines": BUDGETS})
    assert [one.file for one in excess] == ["a"]
    *reported, last = summary(lanes, excess, (), 61.0)
    assert last == "1 passed, 1 failed, 0 skipped"
    assert f"over budget: {excess[0]}" in reported


def test_lane_that_was_cut_short_or_has_no_budgets_is_not_judged() -> None:
    assert over_budget([result_of(61.0, None)], {"machines": BUDGETS}) == []
    assert over_budget([result_of(61.0, 0)], {"computer": BUDGETS}) == []


def test_run_fails_for_a_file_over_its_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suite.budgets.FLOOR_S", 0.1)
    folder = make_suite(tmp_path / "s", slow="import time\ndef test_a(): time.sleep(0.5)\n")
    (folder / FILE).write_text("[machines]\n")
    assert run_suite([lane("machines=slow")], folder) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"
    write_budgets(folder, {"machines": {"tests/test_slow.py": 60.0}})
    assert run_suite([lane("machines=slow")], folder) == 0


def test_budgets_are_written_for_slow_files_and_kept_for_other_lanes(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    assert read_budgets(tmp_path) == {}
    write_budgets(tmp_path, {"machines": {"tests/b.py": 83.2, "tests/a.py": FLOOR_S - 1}, "computer": {"c.py": 42.0}})
    write_budgets(tmp_path, {"computer": {"d.py": 60.0}})
    assert read_budgets(tmp_path) == {"computer": {"d.py": 60}, "machines": {"tests/b.py": 84}}
    assert (tmp_path / FILE).read_text().startswith("# ")
