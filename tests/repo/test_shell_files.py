"""Scripts that run on hosts are files: checked by shellcheck, understood by every shell, used, and packed."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
from sources import ROOT, python_files, text_of, tree_of

from app.domain.script_files import host_script, script_file, without_comments

HOST = ROOT / "resources" / "templates" / "host"
FILES = sorted([*HOST.rglob("*.sh"), *ROOT.glob("vpn_adapters/**/scripts/*.sh")])
SHELLS = [shell for shell in (("dash",), ("busybox", "sh"), ("bash", "--posix")) if shutil.which(shell[0])]

WRITTEN_LINE_BY_LINE = {"app/ssh/remote_line.py", "app/ssh/upload.py"}
"""Make scripts of argv lists, each word quoted; what is constant in them is single lines."""

_FILTERS = "awk|cat|cut|grep|head|sed|sort|tail|tr|uniq|wc"
_SHELL = re.compile(rf"\$[\w({{@#?!*]|/dev/null| \| (?:{_FILTERS})\b| \|\| (?:return|exit)\b")
_MORE_THAN_ONE_COMMAND = re.compile(r"\n\s*\S|;|&&| \|\|? |\b(?:if|for|while|until|case) ")
_OR_ELSE = re.compile(r" \|\| (?:return|exit) \d\s*$")
"""End of a line: its one command may fail."""


@cache
def assembled(file: Path) -> str:
    package, *rest = file.relative_to(ROOT).parts
    return script_file(package, "/".join(rest))


@cache
def included() -> frozenset[Path]:
    """Return the files that others include."""
    found = set()
    for file in [*FILES, ROOT / "resources" / "templates" / "export" / "tunnel.sh"]:
        names = re.findall(r"^# @include (\S+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        found |= {(HOST / name[1:] if name[0] == "/" else file.parent / name).resolve() for name in names}
    return frozenset(found)


def run_by_themselves() -> list[Path]:
    """Return the scripts that are sent as they are; those with lines to fill in have tests of their own."""
    return [file for file in FILES if file.parent != HOST and file not in included()]


def constants(tree: ast.Module) -> list[tuple[int, str]]:
    """Return the texts in a module's code, with their lines; docstrings are none."""
    strings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in strings
    ]


def is_script(text: str) -> bool:
    """Whether a text is a shell script: more than one command, a pipe, or control flow. One command line is none."""
    text = _OR_ELSE.sub("", text).strip()
    return bool(_SHELL.search(text) and _MORE_THAN_ONE_COMMAND.search(text))


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_scripts_are_understood_by_every_shell(shell: tuple[str, ...]) -> None:
    faults = {}
    for file in run_by_themselves():
        done = subprocess.run(
            [*shell, "-n"], input=without_comments(assembled(file)), capture_output=True, text=True, check=False
        )
        if done.returncode != 0 or done.stderr:
            faults[file.relative_to(ROOT)] = done.stderr
    assert faults == {}


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not there")
def test_scripts_have_no_faults_that_shellcheck_knows(tmp_path: Path) -> None:
    copies = []
    for file in run_by_themselves():
        copy = tmp_path / "-".join(file.relative_to(ROOT).parts)
        copy.write_text(assembled(file), encoding="utf-8")
        copies.append(copy.name)
    assert len(copies) > 60
    argv = ["shellcheck", "-s", "sh", "-S", "warning", "-f", "gcc", *copies]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr


def test_every_script_says_what_it_is_for() -> None:
    assert [
        file for file in FILES if not re.search(r"^# (?!@)\S", file.read_text(encoding="utf-8")[:300], re.MULTILINE)
    ] == []


def test_every_script_is_used() -> None:
    code = "".join(map(text_of, python_files("app", "vpn_adapters")))
    # Scripts that are left on the host are named by their words.
    named = set(re.findall(r'(?<=["/])[\w.-]+(?=")', code))
    unused = [file for file in FILES if file not in included() and not named & {file.name, file.stem}]
    assert unused == []


_FUNCTION = re.compile(r"^( *)\w+\(\) [{(](?: ([^\n]*) [})]\n|\n(.*?)^\1[})]\n)", re.MULTILINE | re.DOTALL)


def bodies(script: str) -> Iterator[str]:
    """Yield what each function of a script does, without comments and indentation."""
    for found in _FUNCTION.finditer(script):
        yield "\n".join(line.strip() for line in without_comments(found[2] or found[3]).splitlines())


def test_a_function_has_one_place() -> None:
    places = defaultdict(list)
    for file in [*FILES, *(ROOT / "resources" / "templates" / "export").glob("*.sh")]:
        for body in bodies(file.read_text(encoding="utf-8")):
            places[body].append(file.relative_to(ROOT).as_posix())
    assert len(places) > 200
    assert [found for found in places.values() if len(found) > 1] == []


def test_functions_of_a_script_are_found() -> None:
    script = (
        'has() { command -v "$1"; }\nput() {\n    # why\n    cat\n\n    if a; then { b; }; fi\n}\nask() (\n  c\n)\n'
    )
    assert list(bodies(script)) == ['command -v "$1";', "cat\nif a; then { b; }; fi", "c"]


def test_every_script_is_packed() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    for file in FILES:
        package, *rest = file.relative_to(ROOT).parts
        assert any(fnmatch("/".join(rest), pattern) for pattern in data[package]), file


@pytest.mark.parametrize("name", ["probes/latency.sh", "firewall/tables.sh"])
def test_a_script_holds_what_it_includes(name: str) -> None:
    script = host_script(name)
    assert "@include" not in script
    head = host_script("probes/guard-head.sh" if name.startswith("probes") else "firewall/rule.sh")
    assert head in script
    assert without_comments("# a\n\n  # b\necho '#c'\n") == "echo '#c'\n"


def test_no_script_is_a_text_in_a_program() -> None:
    found = []
    for file in python_files("app", "ui", "vpn_adapters"):
        name = file.relative_to(ROOT).as_posix()
        if name in WRITTEN_LINE_BY_LINE:
            continue
        tree = tree_of(file)
        found += [f"{name}:{line}: {text[:60]}" for line, text in constants(tree) if is_script(text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('cat "$1"', False),
        ('[ ! -e "$1" ] || cat "$1"', True),
        ('mkdir -m 700 "$1" 2>/dev/null || [ -d "$1" ]', True),
        ('ip route show | grep -q "^unreachable $1 .*metric $2"', True),
        ("openssl x509 -noout -fingerprint -sha256 | sed 's/.*=//'", True),
        ('print_public key > "$1/key" && [ -s "$1/key" ] || return 1', True),
        ('write_value key "$1/key" || return 1', False),
        (r"(\d+|cat|sed)$", False),
        ('umask 077; wg genkey > "$1"', True),
        ('if [ -e "$1" ]; then rm "$1"; fi', True),
        ('set -e\nrm "$1"\n', True),
        ("Read what would be done; then roll out.", False),
    ],
)
def test_what_a_script_is(text: str, *, expected: bool) -> None:
    assert is_script(text) is expected
