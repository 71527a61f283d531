"""Texts and trees of source files, each read and parsed once per process.

Tests of the repository share them: several go through the whole program, and parsing it takes seconds.
"""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Return the Python files below folders of the repository, in alphabetical order within each."""
    return tuple(file for folder in folders for file in sorted((ROOT / folder).rglob("*.py")))


@cache
def text_of(file: Path) -> str:
    """Return the text of a file."""
    return file.read_text(encoding="utf-8")


def parsed(text: str) -> ast.Module:
    """Return the tree of a text of Python; garbage is not collected meanwhile, which takes twice as long as parsing."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if is_collecting:
            gc.enable()


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the tree of a module."""
    return parsed(text_of(file))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module, as `ast.walk` yields them."""
    return tuple(ast.walk(tree_of(file)))
