"""Words that the glossary retired (docs/glossary.md) are in no text that people read, and in no name."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from sources import ROOT, parsed, python_files

THIS = Path(__file__)

RETIRED = {
    "active, provisional, partial": r"stands?|standing|stood|lasting",
    "remain, keep": r"stay(s|ed|ing)?",
    "deploy, deployment": r"(roll|rolls|rolled|rolling) ?-?(\w+ )?outs?",
    "roll back, restore, remove, return": r"(put(s|ting)?|go(es|ing|ne)?|went|take[ns]?|took|taking) (\w+ ){0,2}back",
    "rollback timer, lease": r"(the|both|hosts'|their) timers?|we are still",
    "suspend, replace": r"aside|makes? room|made room|making room",
    "inspect, refresh, snapshot": r"look(s|ed|ing)?(?! up\b)|surveys?",
    "supervise, monitor": r"watch(es|ed|ing)? over",
    "canary frame, script event, run id": r"marked (frames?|packets?)",
    "side, host, peer": r"(both|either|the other|neither) ends?",
    "boot bundle": r"kits?",
    "sequential, in turn; parallel": r"one after (the other|another)|both at once",
    "fail-closed": r"fail(s|ed|ing)? closed|held back",
    "report, warn; user, operator": r"told|said|somebody|nobody|whoever|anybody|everybody",
    "attempt, round": r"(a|its|their|the|\d+|%\d) turns?",
    "packet capture": r"wires?",
}
"""Patterns of retired words, by the words to use instead."""

HONEST = (
    r"stands for\b",
    r"look-?(alike|ahead|behind)",
    r"standing in\b",
    r"\bold news\b",
    r"the other end (does not answer|answers|has been silent)",
    r"^'the other end'$",
    r"taken back(?=\s*\||\s+\d{4}\b)",
    r"\"taken back +\"",
    r"\"standing yes\"",
    r"time of day goes back\b",
    r"user nobody\b",
)
"""Uses that are no idea of the glossary, and lines of hosts' logs that earlier versions write and read."""

NAMES = {
    "is up, active, provisional; remain": r"stands?|standing|stood|lasting|stays?|stayed|staying",
    "deploy, deployment": r"(roll|rolls|rolled|rolling)_outs?|rollouts?",
    "roll back, remove, return": r"(put|puts|putting|go|goes|gone|went|take|takes|taken|took|taking)_(\w+_)?back",
    "suspend, replace": r"aside",
    "inspect, refresh, appearance, variant": r"looks?|looked(?!_up)|looking|surveys?",
    "side, host, peer": r"(both|other|neither|one)_ends?",
    "boot bundle": r"kits?",
    "sequential, in turn; parallel": r"one_after_(the_other|another)|both_at_once",
    "report, show, print": r"tells?|telling|told|says?|saying|said",
    "user, another instance": r"somebody|nobody|whoever|anybody|everybody",
    "attempt, round, position": r"(?<!in_)turns?",
    "capture, packet test, underlay": r"wires?",
}
"""Patterns of retired words within names, in lower case with underscores, by the words to use instead."""

OF_A_TRANSACTION = {"host, side": r"ends?"}
"""Further one where a tunnel is built: a host is no end of it."""
_TRANSACTION = ("app/host/", "app/tunnel/")

OF_TESTS = {"report, show, print": r"told|said"}
"""Instead of its own pattern for names of tests, which are sentences: a page may say something there."""

HONEST_NAMES = {"on_both_to_the_end", "rolled_back_at_end"}
"""Names that mean what they say."""

_PARTS = (
    *("stand", "stood", "lasting", "stay", "roll", "back", "timer", "still", "aside", "room", "look", "survey"),
    *("marked", "end", "kit", "one after", "both at once", "fail", "held", "told", "said", "body", "whoever", "turn"),
    *("wire", "watch"),
)
"""Parts of words in lower case: what has none of them has no retired word, and need not be searched for each."""
_PART = re.compile("|".join(_PARTS))
_HONEST = re.compile("|".join(HONEST))
_SEARCH = {use: re.compile(rf"\b({pattern})\b", re.IGNORECASE) for use, pattern in RETIRED.items()}
_CODE = re.compile(
    r"(?m:^ +\w+: )|(?m:^\w+ = )|\{[{%][^}]*[%}]\}|[\w./{}$-]*(start|lasting)\.sh\"? [\w|]+|\$\w+|"
    r"\b\w+(?:\.\w+)+\b|look=\"\w+\"|`[^`]*`|"
    r"\]\([^)]*\)|https?:\S+|<[^<>]*>|--[\w-]+|[\w.~]*(/[\w.{}*-]+)+|\w*_\w+|\b[\w-]+\.(sh|md|py|toml|sql|json)\b"
)
"""Code, paths and links within a text, which keep their names."""
_WORD = re.compile(r"\"[^\" ]*\"")
"""A quoted word of a shell script."""
_SPOKEN = re.compile(r"(^|\s)#.*|\"[^\"]* [^\"]*\"|'[^']* [^']*'")
"""Comments and quoted texts of several words within a line of a shell script."""
_RIDDLE = re.compile(r"(What|How|Which|Who|Whoever|Everything|Where|All that|Says?|Tells?|Forget them|Of|The same)\b")
_SOURCES = ("app", "ui", "vpn_adapters", "resources", "packaging", "tests")
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.Name, ast.Attribute)
Patterns: TypeAlias = tuple[tuple[str, str], ...]
_HAVE_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def retired(text: str) -> list[str]:
    """Return each retired word of a text with its replacement."""
    if not _PART.search(text.lower()):
        return []
    plain = _HONEST.sub(" ", _CODE.sub(" ", text))
    return [f"{found[0]!r}: {use}" for use, search in _SEARCH.items() if (found := search.search(plain))]


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a module with their lines; without one that has a retired word, none or all."""
    if any(retired(line[place:]) for line in source.splitlines() for place in places_of("#", line)):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def places_of(sign: str, line: str) -> Iterator[int]:
    """Yield where a sign is in a line; each may begin a comment."""
    place = line.find(sign)
    while place >= 0:
        yield place
        place = line.find(sign, place + 1)


def docstrings(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module, its classes, functions and constants."""
    for node in nodes:
        if isinstance(node, _HAVE_DOCSTRINGS):
            for one in node.body:
                if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                    yield one.lineno, str(one.value.value)


def sentences(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module that have a space, docstrings included."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document; of a script its comments and messages."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        is_script = path.suffix in {".sh", ".pl"}
        yield number, " ".join(found[0] for found in _SPOKEN.finditer(_WORD.sub("", line))) if is_script else line


@dataclass(frozen=True)
class Module:
    """A Python file.

    Attributes:
        place: Its path within the repository.
        texts: Its comments, docstrings and, unless it is of a test, other texts, with their lines.
        docstrings: Its docstrings with their lines.
        names: The names that it gives, with their lines.
    """

    place: str
    texts: tuple[tuple[int, str], ...]
    docstrings: tuple[tuple[int, str], ...]
    names: tuple[tuple[int, str], ...]


@cache
def modules(folder: str) -> tuple[Module, ...]:
    """Return the Python files of a folder except this one."""
    return tuple(read(path) for path in python_files(folder) if path != THIS)


def read(path: Path) -> Module:
    """Return a Python file; its tree, which is large, is not kept."""
    place, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    nodes = list(ast.walk(parsed(source)))
    own = tuple(docstrings(nodes))
    others = () if place.startswith("tests/") else sentences(nodes)
    return Module(place, (*comments(source), *own, *others), own, tuple(names(nodes)))


@pytest.mark.parametrize("folder", _SOURCES)
def test_no_retired_word_is_in_docstrings_comments_and_messages(folder: str) -> None:
    faults = []
    for module in modules(folder):
        found = {(line, word) for line, text in module.texts for word in retired(text)}
        found |= {(line, "say what it is") for line, text in module.docstrings if _RIDDLE.match(text)}
        faults += [f"{module.place}:{line}: {word}" for line, word in sorted(found)]
    assert not faults, "\n".join(faults)


def test_no_retired_word_is_in_documents_and_templates() -> None:
    names = ("README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", ".ci/run", "packaging/setup")
    pages = [*(ROOT / name for name in names), *(ROOT / "docs").rglob("*.md")]
    scripts = [*(ROOT / "resources").rglob("*"), *(ROOT / "vpn_adapters").rglob("*.pl")]
    templates = [path for path in scripts if path.suffix in {".sh", ".pl", ".toml", ".yml", ".j2", ".typ"}]
    faults = [
        f"{path.relative_to(ROOT)}:{number}: {word}"
        for path in (*pages, *templates)
        for number, line in lines(path)
        for word in retired(line)
    ]
    assert not faults, "\n".join(faults)


def names(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield the names that a module gives to functions, classes, parameters, variables and attributes."""
    for node in nodes:
        if isinstance(node, _NAMED):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    yield node.lineno, name
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    yield node.lineno, name


@cache
def retired_in_name(name: str, patterns: Patterns) -> tuple[str, ...]:
    """Return what to use instead of each retired word of a name."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return tuple(use for use, pattern in patterns if re.search(rf"(?:^|_)(?:{pattern})(?=_|$)", words))


def patterns_of(place: str) -> tuple[Patterns, Patterns]:
    """Return the patterns of names in a file, and those of its tests."""
    patterns = NAMES | (OF_A_TRANSACTION if place.startswith(_TRANSACTION) else {})
    return tuple(patterns.items()), tuple((patterns | OF_TESTS).items())


@pytest.mark.parametrize("folder", _SOURCES)
def test_no_retired_word_is_in_a_name(folder: str) -> None:
    faults = []
    for module in modules(folder):
        patterns, of_tests = patterns_of(module.place)
        faults += [f"{module.place}: {use}" for use in retired_in_name(Path(module.place).stem, patterns)]
        faults += [
            f"{module.place}:{line}: {name}: {use}"
            for line, name in module.names
            for use in retired_in_name(name, of_tests if name.startswith("test_") else patterns)
            if name not in HONEST_NAMES
        ]
    assert not faults, "\n".join(faults)


OF_SCRIPTS = {
    "rollback, undo": r"(give|gives|step|steps)_(\w+_)?back",
    "processes of a tunnel": r"marked",
}
"""Further ones in shell scripts."""

HONEST_SCRIPT_NAMES = {
    "lasting": "each deployment has a lasting.sh on its hosts, which later versions call by that name",
    "nobody": "a variable in each deployment's about.sh on its hosts",
    "stands": "each deployment's steps.sh calls it",
}
"""Names in scripts that hosts have from earlier versions, and why they remain."""

_GIVEN = re.compile(
    r"^\s*(?:function )?(?P<function>\w+)\(\)|(?:^|[\s;({])(?P<variable>[A-Za-z_]\w*)=|"
    r"\bread (?:-r )?(?P<read>[a-z_]+(?: [a-z_]+)*)|\bfor (?P<each>\w+) in\b"
)


def names_in_script(text: str) -> Iterator[tuple[int, str]]:
    """Yield the names that a shell script gives to functions and variables, with their lines."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith("#"):
            for found in _GIVEN.finditer(line):
                yield from ((number, name) for one in found.groups() if one for name in one.split())


def test_no_retired_word_is_in_a_name_of_a_script() -> None:
    scripts = [path for folder in ("resources", "vpn_adapters") for path in sorted((ROOT / folder).rglob("*.sh"))]
    patterns = tuple((NAMES | OF_SCRIPTS).items())
    given = [(path, 0, path.stem.replace("-", "_")) for path in scripts]
    given += [(path, *one) for path in scripts for one in names_in_script(path.read_text(encoding="utf-8"))]
    assert len(given) > 1000
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {name}: {use}"
        for path, line, name in given
        for use in retired_in_name(name, patterns)
        if name not in HONEST_SCRIPT_NAMES
    ]
    assert not faults, "\n".join(faults)
    assert {name for _, _, name in given} >= set(HONEST_SCRIPT_NAMES)


def test_names_of_a_script_are_those_that_it_gives() -> None:
    script = '# stands: told=1\ntake_back() {\n    read -r told rest < "$1"; for turn in a b; do kept=$told; done\n}\n'
    assert list(names_in_script(script)) == [(2, "take_back"), (3, "told"), (3, "rest"), (3, "turn"), (3, "kept")]
    found = {name for _, name in names_in_script(script) if retired_in_name(name, tuple((NAMES | OF_SCRIPTS).items()))}
    assert found == {"take_back", "told", "turn"}


@pytest.mark.parametrize("name", ["look_at_wire", "StandingTunnel", "_told", "PUT_HOSTS_BACK", "on_both_ends"])
def test_a_retired_word_is_found_in_a_name(name: str) -> None:
    assert retired_in_name(name, tuple(NAMES.items()))


@pytest.mark.parametrize("name", ["lookup", "roll_back", "standard", "essay", "outlook", "return_address"])
def test_names_with_other_words_are_left_alone(name: str) -> None:
    assert not retired_in_name(name, tuple(NAMES.items()))


@pytest.mark.parametrize(
    "text", ["Look at both hosts", "It stands on both hosts.", "Nobody has said it.", "put both hosts back"]
)
def test_a_retired_word_is_found(text: str) -> None:
    assert retired(text)


@pytest.mark.parametrize(
    "text", ["Use `look.sh`.", "see /etc/tunnelmark/lasting.sh", "looked up", "[x](on-the-wire.md)"]
)
def test_code_and_paths_keep_their_names(text: str) -> None:
    assert not retired(text)
