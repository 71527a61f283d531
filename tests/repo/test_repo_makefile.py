"""What the Makefile promises, it has."""

from __future__ import annotations

import re
from pathlib import Path

MAKEFILE = Path(__file__).parents[2] / "Makefile"


def test_every_target_that_is_named_has_a_rule() -> None:
    text = MAKEFILE.read_text(encoding="utf-8")
    match = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert match is not None
    rules = set(re.findall(r"^([a-z-]+):(?!=)", text, re.MULTILINE))
    assert set(match[1].split()) == rules
