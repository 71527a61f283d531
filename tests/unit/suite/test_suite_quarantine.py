"""Tests in quarantine run, are reported, and do not fail the run."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from suite.making import run_suite
from suite.quarantine import FILE, MOST, Entry, QuarantineError, complaint_about, read_quarantine
from support.driven_suite import lane
from support.tiny_suite import environment, make_suite, run_pytest

TESTS = """
    import pytest

    @pytest.fixture
    def broken():
        raise RuntimeError("no device")

    @pytest.mark.parametrize("number", [1, 2])
    def test_flaky(number): assert number == 1

    def test_set_up(broken): pass

    def test_other(): pass
"""
ENTRY = '[[test]]\nid = "{id}"\nreason = "the device is late"\nsince = 2026-01-31\n'


def entries(*ids: str) -> str:
    return "".join(ENTRY.format(id=one) for one in ids)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_suite(tmp_path / "s", flaky=TESTS)


def test_failure_in_quarantine_is_shown_and_does_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / FILE).write_text(entries("tests/test_flaky.py::test_flaky", "tests/test_flaky.py::test_set_up"))
    status = run_suite([lane("machines=flaky")], folder)
    out = capsys.readouterr().out.splitlines()
    assert status == 0
    since = "quarantined since 2026-01-31: tests/test_flaky.py"
    assert f"{since}::test_flaky: passed, FAILED (the device is late)" in out
    assert f"{since}::test_set_up: FAILED (the device is late)" in out
    assert out[-1] == "2 passed, 0 failed, 0 skipped"


def test_other_failures_still_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / FILE).write_text(entries("tests/test_flaky.py::test_flaky[2]", "tests/test_flaky.py::test_gone"))
    status = run_suite([lane("machines=flaky")], folder)
    out = capsys.readouterr().out.splitlines()
    assert status == 1
    assert out[-1] == "2 passed, 1 failed, 0 skipped"
    assert any(line.endswith("test_gone: did not run (the device is late)") for line in out)


def test_quarantine_holds_without_the_runner(folder: Path) -> None:
    (folder / FILE).write_text(entries("tests/test_flaky.py::test_flaky", "tests/test_flaky.py::test_set_up"))
    assert run_pytest(folder).returncode == 0


def test_entry_covers_all_cases_or_one() -> None:
    whole, one = (Entry(name, "late", date(2026, 1, 31)) for name in ("a.py::test_b", "a.py::test_b[1]"))
    assert whole.covers("a.py::test_b[1]")
    assert whole.covers("a.py::test_b")
    assert not whole.covers("a.py::test_bc")
    assert one.covers("a.py::test_b[1]")
    assert not one.covers("a.py::test_b[2]")


@pytest.mark.parametrize(
    "text",
    [
        entries("tests/test_flaky.py"),
        entries("a::b").replace("2026-01-31", "'soon'"),
        entries("a::b").replace("the device is late", " "),
        entries("a::b") + "until = 2027-01-01\n",
        entries("a::b", "a::b"),
        entries(*(f"a::b{number}" for number in range(MOST + 1))),
        "[[tests]]\n" + entries("a::b"),
    ],
    ids=["no test", "no date", "no reason", "more", "twice", "too many", "other table"],
)
def test_file_is_checked(tmp_path: Path, text: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / FILE).write_text(text)
    with pytest.raises(QuarantineError):
        read_quarantine(tmp_path)


def test_five_entries_are_read(tmp_path: Path) -> None:
    assert read_quarantine(tmp_path) == ()
    (tmp_path / "tests").mkdir()
    (tmp_path / FILE).write_text(entries(*(f"a::b{number}" for number in range(MOST))))
    assert [entry.id for entry in read_quarantine(tmp_path)] == [f"a::b{number}" for number in range(MOST)]


def test_entry_of_a_test_that_does_not_exist_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    flaky, gone = (Entry(f"tests/test_flaky.py::{name}", "late", date(2026, 1, 31)) for name in ("test_flaky", "gone"))
    assert complaint_about(folder, ()) == ""
    assert complaint_about(folder, (flaky,)) == ""
    assert "test_flaky.py::gone" in complaint_about(folder, (flaky, gone))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TUNNELMARK_")]:
        monkeypatch.delenv(name)
