"""Functions remain simple enough to be read at once, and say what they take and return."""

from __future__ import annotations

import ast
import statistics
from functools import cache
from typing import TypeAlias

import pytest
from sources import ROOT, nodes_of, python_files

MOST_PATHS = 15
"""Cyclomatic complexity: 1, and 1 for each branch, loop, handler, condition of a comprehension, `and` and `or`.

Source: McCabe, "A Complexity Measure", 1976, counted as radon does. ruff's C901, which holds 12 here, leaves out
comprehensions and conditions.
"""
MOST_LINES_P90 = 25
MOST_LINES = 44
"""Most lines of one function, besides its docstring."""
LAYOUTS = {
    "ui/comparison/candidates_page.py",
    "ui/results/ranking_table.py",
}
"""Files with a longer constructor, which makes the parts of a page in the order in which they are seen."""
MOST_LINES_OF_A_LAYOUT = 62

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions() -> tuple[tuple[str, Function], ...]:
    """Return every function of the program with its place."""
    return tuple(
        (f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node)
        for path in python_files("app", "ui", "vpn_adapters")
        for node in nodes_of(path)
        if isinstance(node, Function)
    )


def paths_of(node: ast.AST) -> int:
    """Return how many branches a node adds; functions within it count for themselves."""
    own = 0
    match node:
        case ast.If() | ast.IfExp() | ast.Assert():
            own = 1
        case ast.For() | ast.AsyncFor() | ast.While():
            own = 1 + bool(node.orelse)
        case ast.Try():
            own = len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            own = len(node.values) - 1
        case ast.comprehension():
            own = 1 + len(node.ifs)
        case ast.Match():
            own = sum(
                not isinstance(case.pattern, ast.MatchAs) or case.pattern.pattern is not None for case in node.cases
            )
    inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, Function))
    return own + sum(paths_of(child) for child in inner)


def is_annotated(function: Function) -> bool:
    """Whether every argument and what is returned has a type."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    wanted = [one for one in named if one is not None and one.arg not in ("self", "cls")]
    return function.returns is not None and all(one.annotation is not None for one in wanted)


def test_no_function_has_more_than_15_paths() -> None:
    assert len(functions()) > 5_000
    assert [place for place, function in functions() if 1 + paths_of(function) > MOST_PATHS] == []


def test_nine_of_ten_functions_have_at_most_25_lines() -> None:
    lines = [(function.end_lineno or 0) - function.lineno + 1 for _, function in functions()]
    assert statistics.quantiles(lines, n=10)[-1] <= MOST_LINES_P90


def lines_of(function: Function) -> int:
    """Return how many lines a function has besides its docstring."""
    first = function.body[0]
    has_text = ast.get_docstring(function, clean=False) is not None
    text = (first.end_lineno or 0) - first.lineno + 1 if has_text else 0
    return (function.end_lineno or 0) - function.lineno + 1 - text


def test_no_function_has_more_than_44_lines() -> None:
    longer = {place: lines for place, function in functions() if (lines := lines_of(function)) > MOST_LINES}
    layouts = {place.partition(":")[0] for place in longer if place.endswith(" __init__")}
    assert [
        place for place in longer if place.partition(":")[0] not in LAYOUTS or not place.endswith(" __init__")
    ] == []
    assert layouts == LAYOUTS
    assert max(longer.values()) <= MOST_LINES_OF_A_LAYOUT


def test_lines_besides_the_docstring_are_counted() -> None:
    assert lines_of(ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    g()\n    return 1\n').body[0]) == 3
    assert lines_of(ast.parse("def f():\n    return 1\n").body[0]) == 2


def test_every_function_is_annotated() -> None:
    assert [place for place, function in functions() if not is_annotated(function)] == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("def f(): return 1", 1),
        ("def f(a):\n if a: return 1\n elif not a: return 2", 3),
        ("def f(a): return a and not a or a", 3),
        ("def f(a): return [b for b in a if b if b > 1]", 4),
        ("def f(a):\n for b in a: pass\n else: pass", 3),
        ("def f(a):\n try: a()\n except OSError: pass\n except ValueError: pass", 3),
        ("def f(a):\n match a:\n  case 1: pass\n  case 2: pass\n  case _: pass", 3),
        ("def f(a):\n def g(b):\n  if b: return 1\n return g", 1),
    ],
)
def test_paths_are_counted(text: str, paths: int) -> None:
    assert 1 + paths_of(ast.parse(text).body[0]) == paths
