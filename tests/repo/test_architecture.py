"""docs/architecture.md against the code: the layers, the way of a deployment, every path that it names."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from sources import ROOT, nodes_of, python_files, tree_of

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = sorted(path.parent for top in ("app", "ui") for path in (ROOT / top).rglob("__init__.py"))
ADAPTERS = sorted(path.parent for path in (ROOT / "vpn_adapters").rglob("__init__.py"))


def block(heading: str) -> list[str]:
    """Return the lines of the first drawing below a heading."""
    text = PAGE.partition(f"## {heading}\n")[2]
    return text.split("```")[1].strip().splitlines()


def test_layers_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    window, program = (
        next(one["layers"] for one in contracts if one["name"] == name)
        for name in ("Features of the window do not know each other", "Imports go down only")
    )
    assert block("Layers") == [*window, *program[1:]]
    assert program[0] == "ui"
    drawn = [one for one in contracts if one["type"] == "layers"]
    assert [one["layers"] for one in drawn] == [program, window]
    assert not any("ignore_imports" in one for one in drawn)


def test_every_package_is_in_a_layer() -> None:
    named = set(re.findall(r"[\w.]+", " ".join(block("Layers"))))
    rooms = {".".join(folder.relative_to(ROOT).parts[:2]) for folder in PACKAGES} - {"app", "ui"}
    assert rooms == named - {"ui.main"}


@cache
def level(room: str) -> int | None:
    """Return the line of the drawing that names a package of two parts or a module in it; None for what has no line."""
    for number, line in enumerate(block("Layers")):
        if room in line.split(" | "):
            return number
    return None


def room_of(module: str) -> str:
    """Return the part of the drawing that a module belongs to."""
    return ".".join(module.split(".")[:2])


def imported_by(path: Path) -> set[str]:
    """Return the modules that a file imports anything from, wherever in the file it does."""
    return {node.module for node in nodes_of(path) if isinstance(node, ast.ImportFrom) and node.module}


def is_downwards(importer: str, imported: str) -> bool:
    """Whether the drawing lets a module import another one: of the same part, or of one on a lower line."""
    above, below = level(room_of(importer)), level(room_of(imported))
    return above is None or below is None or above < below or room_of(importer) == room_of(imported)


def test_imports_go_down_in_the_drawing() -> None:
    """Each import of the code itself, so that neither drawing nor contract can be turned over."""
    arrows = {
        (".".join(path.relative_to(ROOT).with_suffix("").parts), module)
        for path in python_files("app", "ui")
        for module in imported_by(path)
    }
    assert len({one for one in arrows if level(room_of(one[1])) is not None}) > 2000
    assert sorted(one for one in arrows if not is_downwards(*one)) == []


def test_directions_differ() -> None:
    assert is_downwards("app.cli.main", "app.domain.hosts")
    assert is_downwards("app.domain.link", "app.domain.hosts")
    assert not is_downwards("app.domain.hosts", "app.cli.main")
    assert not is_downwards("app.probes.latency", "app.host.remote_host"), "parts on one line do not know each other"
    assert not is_downwards("ui.plots.axes", "ui.results.page")


def imports(file: str, other: str) -> bool:
    """Return whether a file imports another one."""
    return other.removesuffix(".py").replace("/", ".") in imported_by(ROOT / file)


def implements(file: str, other: str, interface: str) -> bool:
    """Return whether the classes of a file have every method of an interface of another one."""
    methods = {
        part.name
        for node in nodes_of(ROOT / other)
        if isinstance(node, ast.ClassDef) and node.name == interface
        for part in node.body
        if isinstance(part, ast.FunctionDef)
    }
    names = set()
    for node in nodes_of(ROOT / file):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return bool(methods) and methods <= names


def test_a_deployment_goes_the_way_that_is_drawn() -> None:
    """Each line knows the next one and not the other way round; what implements an interface has all its methods."""
    lines = block("The way of a deployment")
    for line, next_line in pairwise(lines):
        above, below = line.split()[0], next_line.split()[0]
        if "which the next one implements" in line:
            assert implements(below, above, line.split()[1].rstrip(",")), (below, above)
            above, below = below, above
        else:
            assert imports(above, below), (above, below)
        assert not imports(below, above), (below, above)


def test_a_deployment_is_planned_by_one_call() -> None:
    """One function of the planning is called, at one place, and its result goes down."""
    calls = []
    for path in python_files("app"):
        nodes = nodes_of(path)
        imported = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "app.deployment.planning"
            for alias in node.names
        }
        called = [node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        calls += [
            (path.relative_to(ROOT).as_posix(), name) for name in called if name in imported - {"RequestedDeployment"}
        ]
    assert calls == [("app/deployment/operations.py", "plan_deployment")]


def test_paths_that_are_named_exist() -> None:
    named = re.findall(r"`((?:app|ui|vpn_adapters|resources|tests)/[\w/.]*)`", PAGE)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []
    of_every_vpn = re.findall(r"`vpn_adapters/<vpn>/([\w.]*)`", PAGE)
    assert len(of_every_vpn) > 2
    assert [name for name in of_every_vpn if not (ROOT / "vpn_adapters" / "openvpn" / name).exists()] == []


def test_constants_that_are_named_are_where_the_page_says() -> None:
    named = re.findall(r"`([A-Z_]+)` (?:\w+ )*in `([\w/]+\.py)`", PAGE)
    assert named
    for name, path in named:
        assert re.search(rf"^{name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), (name, path)


@pytest.mark.parametrize("folder", [*PACKAGES, *ADAPTERS], ids=lambda path: str(path.relative_to(ROOT)))
def test_package_says_what_it_promises_and_what_it_must_not_do(folder: Path) -> None:
    text = ast.get_docstring(tree_of(folder / "__init__.py"))
    assert text
    assert text.splitlines()[0].endswith((".", ":"))
    assert 4 <= len(text.splitlines()) <= 6
    assert "Must not" in text or "must not" in text
