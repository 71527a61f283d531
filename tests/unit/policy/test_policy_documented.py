"""docs/policy.md says what the data says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from app.domain.verdicts import Verdict
from app.policy import POLICY_VERSION
from support.policy_tables import composition_table, guideline_tables, post_quantum_table, verdict_tables
from support.ssh_audit_names import difference_table

PAGE = Path(__file__).parents[3] / "docs" / "policy.md"
REGENERATE = "TUNNELMARK_WRITE_POLICY"


@pytest.mark.parametrize(
    ("mark", "made"),
    [
        ("guidelines", guideline_tables()),
        ("verdicts", verdict_tables()),
        ("compositions", composition_table()),
        ("post-quantum", post_quantum_table()),
        ("ssh-audit", difference_table()),
    ],
    ids=["guidelines", "verdicts", "compositions", "post-quantum", "ssh-audit"],
)
def test_tables_are_those_of_the_data(mark: str, made: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- {mark}: [^>]*-->\n)(.*?)(\n?<!-- end -->)", re.DOTALL)
    found = pattern.search(text)
    assert found is not None
    if os.environ.get(REGENERATE):
        PAGE.write_text(text[: found.end(1)] + f"\n{made}\n" + text[found.start(3) :], encoding="utf-8")
        return
    assert found[2].strip() == made, f"with {REGENERATE}=1 the page is made anew"


def test_every_word_and_the_version_are_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| {verdict} |" in text or f"`{verdict}`" in text for verdict in Verdict)
    assert f"- {POLICY_VERSION}:" in text
