"""Files remain short enough to be read at once, and the tests keep up with the program."""

from __future__ import annotations

import re
import statistics
import subprocess
from functools import cache

from sources import ROOT

MOST_LINES = 400
MOST_LINES_MEDIAN, MOST_LINES_P90 = 120, 300
LEAST_TESTS_PER_PROGRAM, LEAST_TESTS_PER_WINDOW = 0.9, 0.5
"""Lines of code of the tests over those of the program; blank lines, comments and docstrings do not count."""

PROGRAM = ("app", "ui", "vpn_adapters", "resources")
_TRIPLE = ('"""', "'''")
_TEXT_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*', re.DOTALL
)
_BEGINS_STATEMENT = re.compile(r"(?<!\\)\n[ \t]*[rR]?$")
_ENDS_STATEMENT = re.compile(r"[ \t]*(?:#.*)?(?:$|\n)")
"""Before and after a text that is a statement of its own, outside of brackets: a docstring."""
_IMPORTS_UI = re.compile(r"^\s*(?:from|import) ui\b", re.MULTILINE)


@cache
def files() -> dict[str, str]:
    """Return the text of each program and script, by its name."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.sh"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in listed if (ROOT / name).is_file()}


@cache
def lines_of_code(text: str) -> int:
    """Return how many lines have code on them."""
    code = (line.lstrip() for line in text.split("\n"))
    lines = {number for number, line in enumerate(code, start=1) if line and not line.startswith("#")}
    text, first, seen, depth = f"\n{text}", 0, 0, 0
    for token in _TEXT_OR_COMMENT.finditer(text):
        between = text[seen : token.start()]
        depth += sum(map(between.count, "([{")) - sum(map(between.count, ")]}"))
        first += between.count("\n")
        seen, own = token.end(), range(first, first + token[0].count("\n") + 1)
        first = own[-1]
        if token[0].startswith("#"):
            continue
        if not depth and _BEGINS_STATEMENT.search(between) and _ENDS_STATEMENT.match(text, seen):
            lines.difference_update(own)
        elif token[0].startswith(_TRIPLE):  # a line of it may be empty, or begin with a number sign
            lines.update(own)
    return len(lines)


def python_in(*folders: str) -> list[str]:
    """Return the texts of the Python files in folders."""
    starts = tuple(f"{folder}/" for folder in folders)
    return [text for name, text in files().items() if name.startswith(starts) and name.endswith(".py")]


def code_of(texts: list[str]) -> int:
    """Return how many lines have code on them in all of these."""
    return sum(map(lines_of_code, texts))


def test_no_file_is_longer_than_400_lines() -> None:
    lines = {name: len(text.splitlines()) for name, text in files().items()}
    assert len(lines) > 1_000
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_most_files_of_the_program_are_short() -> None:
    lines = [
        len(text.splitlines()) for name, text in files().items() if name.startswith(tuple(f"{f}/" for f in PROGRAM))
    ]
    assert statistics.median(lines) <= MOST_LINES_MEDIAN
    assert statistics.quantiles(lines, n=10)[-1] <= MOST_LINES_P90


def test_tests_keep_up_with_the_program() -> None:
    assert code_of(python_in("tests")) >= LEAST_TESTS_PER_PROGRAM * code_of(python_in(*PROGRAM))


def test_tests_of_the_window_keep_up_with_it() -> None:
    elsewhere = [name for name in files() if name.startswith("tests/") and not name.startswith("tests/widgets/")]
    of_window = python_in("tests/widgets") + [text for name in elsewhere if _IMPORTS_UI.search(text := files()[name])]
    assert code_of(of_window) >= LEAST_TESTS_PER_WINDOW * code_of(python_in("ui"))


def test_lines_of_code_are_counted() -> None:
    text = (
        '"""Text."""\n# why\nA = 1\n"""Of A."""\n\n\ndef f() -> int:\n    """Text."""\n    return (\n        A\n    )\n'
    )
    assert lines_of_code(text) == 5


def test_a_text_is_code_unless_it_is_a_statement_of_its_own() -> None:
    assert lines_of_code('A = """\n# one\n\nthree"""\n') == 4
    assert lines_of_code('f(\n    """one\n\ntwo""",  # why\n    "(",\n)\n') == 6
    assert lines_of_code('class A:\n    r"""One (\n\n    two."""  # why\n\n    a: int = 1\n    "Of a."\n') == 2
