"""No circle of imports anywhere in the program, those inside functions and for annotations alone counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sources import ROOT, python_files, tree_of

TOP = ("app", "ui", "vpn_adapters", "resources")


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in python_files(*TOP)}
_HAVE_BODIES = (ast.stmt, ast.ExceptHandler, ast.match_case)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _HAVE_BODIES):
            yield child
            yield from statements(child)


def imports(tree: ast.Module, modules: frozenset[str]) -> set[str]:
    """Return which of the modules a module imports; a name that is no module stands for what it is taken from."""
    found = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= whole & modules or {node.module}
    return found & modules


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return a circle; empty without one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_program_has_no_circle_of_imports() -> None:
    modules = frozenset(FILES)
    graph = {name: imports(tree_of(file), modules) - {name} for name, file in FILES.items()}
    assert sum(map(len, graph.values())) > 3000
    assert circle(graph) == []


@pytest.mark.parametrize(
    "source",
    [
        "import a.b",
        "from a.b import name",
        "from a import b",
        "def late():\n    from a.b import name",
        "if TYPE_CHECKING:\n    from a.b import name",
    ],
)
def test_every_kind_of_import_counts(source: str) -> None:
    modules = frozenset({"a", "a.b", "c"})
    assert imports(ast.parse(source), modules) == {"a.b"}
    assert circle({"c": imports(ast.parse(source), modules), "a.b": {"c"}}) == ["c", "a.b", "c"]
