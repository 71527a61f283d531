"""Targets of the Makefile, and what other files claim about them."""

from __future__ import annotations

import re
from pathlib import Path

from suite.plan import STAGES

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RULES = {match[1]: match[2] for match in re.finditer(r"^([a-z-]+):(?!=).*\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)}
"""The lines of each rule."""


def test_every_target_that_is_named_has_a_rule() -> None:
    match = re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    assert match is not None
    assert set(match[1].replace("\\\n", " ").split()) == set(RULES)


def test_rules_name_stages_that_there_are() -> None:
    named = {name for lines in RULES.values() for name in re.findall(r"\$\(SUITE\) ([a-z]\S*)$", lines, re.MULTILINE)}
    assert named == set(STAGES)


def test_everything_and_nothing_twice_is_run_by_make_test() -> None:
    assert RULES["test"] == "\t$(SUITE)\n"
    assert "last-failed" not in MAKEFILE, "a second try hides faults"


def test_continuous_integration_runs_make_test_without_skips() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "exec make test"
    assert "TUNNELMARK_NO_SKIPS=1 TUNNELMARK_REQUIRE_LAB=1" in lines


def test_documents_name_targets_that_there_are() -> None:
    named = {
        (path.name, target)
        for path in (ROOT / "docs").glob("*.md")
        for target in re.findall(r"`make ([a-z-]+)", path.read_text(encoding="utf-8"))
    }
    assert {target for _, target in named} >= {"test", "check"}
    assert [pair for pair in sorted(named) if pair[1] not in RULES] == []


def test_guide_to_the_tests_names_every_target_of_theirs() -> None:
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    targets = {name for name, lines in RULES.items() if "$(SUITE)" in lines} | {"faults", "bench"}
    assert [name for name in sorted(targets) if f"`make {name}" not in text] == []
