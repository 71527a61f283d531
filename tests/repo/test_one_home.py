"""One home each for replacing a file, ending processes on hosts, reading TOML, composing transactions, wiring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from sources import ROOT, nodes_of, python_files, text_of

PROGRAM = python_files("app", "ui", "vpn_adapters")

RENAMES = {
    "app/domain/atomic.py": "the one that replaces files",
    "app/export/tree.py": "replaces a folder",
    "app/lab/image.py": "puts a finished folder in its place",
    "app/lab/saved.py": "puts a finished folder in its place, and a disk into it",
    "app/storage/in_use.py": "names a process in a table of its own; no file",
}
"""Files that rename something → why."""
_RENAMING = {("os", "replace"), ("os", "rename"), ("shutil", "move"), ("tempfile", "NamedTemporaryFile")}

ENDS_PROCESSES = {
    "resources/templates/host/end-processes.sh": "the one that ends processes",
    "resources/templates/host/trees.sh": "stops a script and its children before they can start anything more",
    "resources/templates/host/ssh/kill.sh": "searches anew in each round, and ends groups",
    "resources/templates/host/release.sh": "ends the group of the rollback timer",
    "resources/templates/host/lasting.sh": "ends the supervisor, whose children are stopped first",
    "resources/templates/host/probes/guard-head.sh": "its own children",
    "resources/templates/host/probes/guard-tail.sh": "its own child",
    "resources/templates/host/probes/smoke-test.sh": "its own capture",
    "resources/templates/host/injection/copy.sh": "its own capture",
    "vpn_adapters/tinc/scripts/hub-connect.sh": "ends none: tincd reads its configuration anew",
}
"""Scripts that send a signal after which a process ends → why. All others include the first one."""
_ENDING = re.compile(r"^(?!\s*#).*\bkill (?!-0\b|-USR2\b|-ALRM\b)", re.MULTILINE)

READS_TOML = {
    "app/cli/fleet.py": "rows of pairs, with the defaults of the file",
    "app/domain/condition_files.py": "conditions",
    "app/domain/structured.py": "files that come with the program",
    "app/policy/data.py": "the policy",
    "app/policy/settings_file.py": "the settings",
}
"""Files that read TOML → of what. Each hands what it read to `structured`, which checks it."""
ONE_KEY = "app/wording/language_choice.py"
"""Takes a single key, before the window has loaded the converters; `settings_file` reports a malformed file."""

COLOURS = {
    "app/reports/svg.py": "of paper, and stand-ins for those of the page's style",
    "app/wording/colours.py": "of series, heat maps and CPU figures",
    "ui/common/colours.py": "of the window",
    "ui/common/icons.py": "a stand-in for the colour that an icon leaves open",
}
"""Files with colours → which."""
_COLOUR = re.compile(r"""["']#[0-9A-Fa-f]{6}["']""")

TRANSACTIONS = ("app/tunnel", "app/deployment")
MOST_LINES_OF_SERVICES = 1_200


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def called(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the owner and the name of every method and function that is called by an attribute."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield (owner.id if isinstance(owner, ast.Name) else ""), node.func.attr


@cache
def calls_of(path: Path) -> frozenset[tuple[str, str]]:
    return frozenset(called(nodes_of(path)))


def renames(calls: Iterable[tuple[str, str]]) -> bool:
    return any(call in _RENAMING or call[1] == "rename" for call in calls)


def test_one_function_replaces_files() -> None:
    assert {name_of(path) for path in PROGRAM if renames(calls_of(path))} == set(RENAMES)


@pytest.mark.parametrize("source", ["import os\nos.replace(a, b)", "path.rename(b)", "a.parent.rename(b)"])
def test_renaming_is_noticed(source: str) -> None:
    assert renames(called(ast.walk(ast.parse(source))))


def makes_console(nodes: Iterable[ast.AST]) -> bool:
    """Whether a console of Rich is made: through another one, text of a host could steer the terminal."""
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in {"Console", "CleanConsole"}
        for node in nodes
    )


def test_one_function_makes_consoles() -> None:
    assert {name_of(path) for path in PROGRAM if makes_console(nodes_of(path))} == {"app/cli/terminal.py"}


@pytest.mark.parametrize("source", ["Console()", "rich.console.Console(stderr=True)", "CleanConsole()"])
def test_making_a_console_is_noticed(source: str) -> None:
    assert makes_console(ast.walk(ast.parse(source)))


def test_one_script_ends_processes() -> None:
    scripts = [*(ROOT / "resources").rglob("*.sh"), *(ROOT / "vpn_adapters").rglob("*.sh")]
    found = {name_of(path): path.read_text(encoding="utf-8") for path in scripts}
    assert {name for name, text in found.items() if _ENDING.search(text)} == set(ENDS_PROCESSES)
    assert "end_processes" in found["vpn_adapters/shared/scripts/end-named.sh"]


@pytest.mark.parametrize("line", ["  kill -KILL 1", 'for one in 1; do kill "$one"; done', "kill -s TERM -- -1"])
def test_ending_a_process_is_noticed(line: str) -> None:
    assert _ENDING.search(line)
    assert not _ENDING.search(f"# {line}\n  kill -0 1\n")


def test_toml_is_checked_by_the_converters() -> None:
    reading = {name_of(path): path for path in PROGRAM if ("tomllib", "loads") in calls_of(path)}
    assert set(reading) == {*READS_TOML, ONE_KEY}
    for name in READS_TOML:
        nodes = nodes_of(reading[name])
        assert "structured" in {
            node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }, name


def test_transactions_are_composed() -> None:
    """None inherits from another class of the program, and no step is found by its title."""
    for path in PROGRAM:
        if not name_of(path).startswith(TRANSACTIONS):
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and node.name.endswith(("Transaction", "Build", "Commit", "Run")):
                assert node.bases == [], f"{name_of(path)}: {node.name}"
            if isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                titles = [side for side in sides if isinstance(side, ast.Attribute) and side.attr == "title"]
                assert titles == [], f"{name_of(path)}:{node.lineno}"


def test_services_are_wiring() -> None:
    lines = {
        name_of(path): len(text_of(path).splitlines()) for path in PROGRAM if name_of(path).startswith("app/services/")
    }
    assert len(lines) > 10
    assert sum(lines.values()) <= MOST_LINES_OF_SERVICES


def test_services_refuse_no_plan() -> None:
    """Choices of what is measured, deployed or stored are made below them."""
    names = {
        (name_of(path), node.id)
        for path in PROGRAM
        if name_of(path).startswith("app/services/")
        for node in nodes_of(path)
        if isinstance(node, ast.Name)
    }
    assert ("app/services/wiring.py", "HostUnreachable") in names
    refusals = ("InvalidOption", "InvalidPlan", "NotFound", "PreflightRefused")
    assert [one for one in names if one[1] in refusals] == []


def test_colours_are_where_the_architecture_says() -> None:
    assert {name_of(path) for path in PROGRAM if _COLOUR.search(text_of(path))} == set(COLOURS)
