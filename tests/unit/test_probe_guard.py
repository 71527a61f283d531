from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.probes.guard import GuardLine, GuardMark, parse_guard_line


@pytest.mark.parametrize(
    ("line", "parsed"),
    [
        ("@start warm-up 123", GuardLine(GuardMark.START, "warm-up", 123)),
        ("@exit 1472 1", GuardLine(GuardMark.EXIT, "1472", 1)),
        ("@alive 7", GuardLine(GuardMark.ALIVE, "", 7)),
        ("@limit 60", GuardLine(GuardMark.LIMIT, "", 60)),
        ("@start x -1", None),
        ("@start 1", None),
        ("@exit a b 1", None),
        ("start warm-up 123", None),
        ("", None),
    ],
)
def test_lines_of_the_frame(line: str, parsed: GuardLine | None) -> None:
    assert parse_guard_line(line) == parsed


@given(st.text(max_size=100).map(lambda text: "@" + text))
def test_no_line_makes_it_fail(line: str) -> None:
    parse_guard_line(line)
