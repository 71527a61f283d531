"""A class name means one class in the whole program, so that a search finds it."""

import ast
from collections import defaultdict

from sources import ROOT, python_files, tree_of


def classes() -> dict[str, list[str]]:
    """Return the files of each public class of the program, by its name."""
    found = defaultdict(list)
    for path in python_files("app", "ui", "vpn_adapters"):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def test_class_names_are_unique_in_the_program() -> None:
    found = classes()
    assert len(found) > 500
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
