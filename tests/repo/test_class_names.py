"""A class name means one class in the whole program, so that a search finds it; private ones and those within count."""

import ast
from collections import defaultdict

from sources import ROOT, nodes_of, python_files


def classes() -> dict[str, list[str]]:
    """Return the files of each class of the program and of its programs for hosts, by its name."""
    found = defaultdict(list)
    for path in python_files("app", "ui", "vpn_adapters", "resources"):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def test_class_names_are_unique_in_the_program() -> None:
    found = classes()
    assert len(found) > 500
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
