from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.script_files import bare_script
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


GUARD_HEAD, GUARD_TAIL = bare_script("probes/guard-head.sh"), bare_script("probes/guard-tail.sh")
SLOW_TO_REPORT = 'echo() { sleep 0.2; command echo "$@"; }\n'
"""Effect of a busy computer on the frame's own shell: the program has ended before a line is written."""


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_program_starts_before_its_first_line_however_short_it_is(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    script = f"{GUARD_HEAD}{SLOW_TO_REPORT}run first printf 'one\\ntwo\\n'\nrun second sh -c 'exit 3'\n{GUARD_TAIL}"
    done = subprocess.run([shell, "-c", script, "tunnelmark", "30"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.rpartition(" ")[0] if line.startswith("@start") else line for line in lines] == [
        *("@start first", "one", "two", "@exit first 0"),
        *("@start second", "@exit second 3"),
    ]


def test_the_process_id_is_the_programs_own() -> None:
    script = f"{GUARD_HEAD}run it sh -c 'echo $$'\n{GUARD_TAIL}"
    done = subprocess.run(["sh", "-c", script, "tunnelmark", "30"], capture_output=True, text=True, check=True)
    start, reported, _ = done.stdout.splitlines()
    assert parse_guard_line(start) == GuardLine(GuardMark.START, "it", int(reported))


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_script_that_leaves_early_ends_what_it_runs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    begun = 'until read -r name < /proc/$child/comm && [ "$name" = sleep ]; do sleep 0.05; done'
    script = f"{GUARD_HEAD}sleep 600 &\nchild=$!\necho $child\n{begun}\nleave 3\n{GUARD_TAIL}"
    # It would hold the pipe for ten minutes. (A shell that has just forked may lose the signal, so it begins first.)
    words = [shell, "-c", script, "tunnelmark", "30"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    assert not Path("/proc", done.stdout.strip()).exists()
