"""The files that judge the tests are in order: quarantine, budgets, markers."""

from __future__ import annotations

from pathlib import Path

import pytest

from suite.budgets import FLOOR_S, read_budgets
from suite.plan import JUDGED
from suite.quarantine import complaint_about, read_quarantine

ROOT = Path(__file__).parents[2]
LIMIT_S = 25 * 60
"""Time limit of `make test` on two processors."""


def test_quarantine_is_well_formed_and_names_tests_that_exist() -> None:
    assert complaint_about(ROOT, read_quarantine(ROOT)) == ""


def test_budgets_are_of_files_that_exist() -> None:
    budgets = read_budgets(ROOT)
    assert set(budgets) == set(JUDGED)
    gone = [file for files in budgets.values() for file in files if not (ROOT / file).is_file()]
    assert gone == []
    assert [file for files in budgets.values() for file, seconds in files.items() if seconds < FLOOR_S] == []


@pytest.mark.parametrize("lane", JUDGED)
def test_budgets_together_are_within_the_limit(lane: str) -> None:
    assert 0 < sum(read_budgets(ROOT)[lane].values()) < LIMIT_S
