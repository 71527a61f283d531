"""docs/architecture.md against the code: the layers, the way of a deployment, every path that it names."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = sorted(path.parent for top in ("app", "ui") for path in (ROOT / top).rglob("__init__.py"))


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


def test_every_package_is_in_a_layer() -> None:
    named = set(re.findall(r"[\w.]+", " ".join(block("Layers"))))
    rooms = {".".join(folder.relative_to(ROOT).parts[:2]) for folder in PACKAGES} - {"app", "ui"}
    assert rooms == named - {"ui.main"}


def imports(file: str, other: str) -> bool:
    """Return whether a file imports another one, or something of its package."""
    module = other.removesuffix(".py").replace("/", ".")
    package = module.rpartition(".")[0]
    nodes = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    found = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return any(one in (module, package) or one.startswith(f"{package}.") for one in found)


def test_a_deployment_goes_the_way_that_is_drawn() -> None:
    """Neighbours know each other; an interface is imported by what implements it."""
    files = [line.split()[0] for line in block("The way of a deployment")]
    for above, below in pairwise(files):
        assert imports(above, below) or imports(below, above), (above, below)


def test_paths_that_are_named_exist() -> None:
    named = re.findall(r"`((?:app|ui|vpn_adapters|resources|tests)/[\w/.]*)`", PAGE)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_package_says_what_it_promises_and_what_it_must_not_do(folder: Path) -> None:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert text
    assert text.splitlines()[0].endswith((".", ":"))
    assert 4 <= len(text.splitlines()) <= 6
    assert "Must not" in text or "must not" in text
