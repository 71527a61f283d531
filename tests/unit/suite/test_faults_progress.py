"""Results that `make faults` takes for done already."""

from __future__ import annotations

from pathlib import Path

from faults.__main__ import matrix
from faults.cells import CellPlan, CellResult
from faults.progress import CODE, Progress, code_digest

PLAN = CellPlan("Tunnelmark killed", "verify", "7", has_bridge=True)


def progress(path: Path, digest: str, *, is_fresh: bool = False, seed: str | None = None) -> Progress:
    return Progress(path, is_fresh=is_fresh, seed=seed, digest=digest)


def test_what_was_tried_with_the_same_code_is_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    first = progress(path, "one", seed="7")
    first.add(CellResult(PLAN, "as before", 3.0))
    again = progress(path, "one")
    assert (again.seed, again.is_outdated) == ("7", False)
    assert again.is_well(PLAN.key)
    assert again.results[PLAN.key]["settled_s"] == 3.0
    assert not progress(path, "one", is_fresh=True).is_well(PLAN.key)


def test_results_of_other_code_are_not_reported_as_those_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    progress(path, "one", seed="7").add(CellResult(PLAN, "as before", 3.0))
    other = progress(path, "two", seed="7")
    assert other.is_outdated
    assert other.results == {}
    assert not progress(path, "two").is_outdated, "it has been begun anew"
    # A file from before the digest was written down.
    path.write_text('{"seed": "7"}\n{"key": "x", "outcome": "as before"}\n')
    assert progress(path, "one").is_outdated


def test_the_digest_changes_with_every_part_of_the_code(tmp_path: Path) -> None:
    seen = set()
    for name in CODE:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_text("one")
        seen.add(code_digest(tmp_path))
    (tmp_path / CODE[-1] / "file").write_text("two")
    seen.add(code_digest(tmp_path))
    (tmp_path / CODE[-1] / "file").rename(tmp_path / CODE[-1] / "other")
    seen.add(code_digest(tmp_path))
    assert len(seen) == len(CODE) + 2
    (tmp_path / "app" / "__pycache__").mkdir()
    (tmp_path / "app" / "__pycache__" / "file.pyc").write_text("x")
    assert code_digest(tmp_path) in seen
    assert code_digest() == code_digest()


def test_every_cell_has_a_name_of_its_own() -> None:
    plans = matrix("7")
    assert len({plan.key for plan in plans}) == len(plans)
    assert {plan.stage for plan in plans if plan.is_replacing} >= {"verify", "confirm"}
