"""Texts for users are messages, or marked, where they are made: f-strings and bare literals cannot be translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from sources import ROOT, nodes_of, python_files

FILES = python_files("app", "vpn_adapters")

SINKS: dict[str, dict[str, int]] = {
    "PlanStep": {"title": 0},
    "UpCheck": {"title": 0},
    "Breakage": {"title": 0},
    "SharedSecret": {"title": 0},
    "EncapsulatedSecret": {"title": 0},
    "Planned": {"title": 1},
    "PlannedItem": {"title": 2},
    "PlannedCommand": {"title": 0},
    "Obstacle": {"what": 1, "hint": 2},
    "DeploymentObstacle": {"what": 1, "hint": 2},
    "HostRecovery": {"sentence": 3},
    "SolutionSupport": {"note": 99},
    "LogLine": {"text": 1},
    "UnderlayChanged": {"text": 1},
    "StageStarted": {"text": 2},
    "DeploymentStageStarted": {"detail": 1},
    "DeploymentNote": {"text": 0},
    "CampaignEnded": {"message": 2},
    "LabProgress": {"text": 1},
    "on_progress": {"text": 0},
    "on_stage": {"text": 1},
    "report": {"text": 0},
    "LeakProof": {"note": 6},
    "BreakOutcome": {"title": 0, "note": 5},
    "FrameCrossing": {"note": 2},
    "ProtocolWay": {"note": 3},
    "InjectionTrial": {"title": 1},
    "WorkloadResult": {"message": 2},
    "FleetOutcome": {"message": 3},
    "AuditCheck": {"why": 99},
    "write": {"what": 0},
    "hold": {"what": 1},
}
"""Calls that take a text for users, by the name of its parameter and its place."""

_OTHERS = frozenset({"app/reports", "app/export", "app/cli", "app/probes/workloads"})
"""Folders in which `write` writes files, or `report` reports a figure by its name."""

_WORD = re.compile(r"[A-Za-z]{3,}")


def test_texts_for_users_are_messages() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in FILES
        if not any(file.is_relative_to(ROOT / folder) for folder in _OTHERS)
        for line in faults(nodes_of(file))
    ]
    assert found == [], "declare a MessageForm in the package's messages.py, or use mark() for a text without gaps"


def test_the_window_joins_sentences_in_its_language() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}" for file in python_files("ui") for line in untranslated_joins(nodes_of(file))
    ]
    assert found == [], "join map(local_text, …): a plain text made of messages is English"


def test_titles_and_messages_are_shown_in_the_readers_language() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in python_files("ui", "app/cli")
        for line in english_fields(nodes_of(file))
    ]
    assert found == [], "use local_title for a title, local_text for a message"


def test_fields_in_english_are_noticed() -> None:
    source = """
label(candidate.title)
label(local_title(candidate.title))
f"{deployment.message} {hint}"
text.replace("%1", one.message)
text.replace("%1", local_text(one.message))
title = info.title if info else ""
{one.key: one.title for one in plan.candidates}
same = one.message == other.message
raise InvalidOption(error.message)
tr("%1 failed", candidate.title)
tr("%1 failed", local_title(candidate.title))
"""
    assert sorted(english_fields(walk(source))) == [2, 4, 5, 7, 8, 11]


def test_sentences_that_are_joined_in_english_are_noticed() -> None:
    source = """
" ".join(found.sentences)
" ".join(report.sentences())
" ".join(sentences)
" ".join(map(local_text, sentences))
" ".join(lines)
thread.join()
"""
    assert list(untranslated_joins(walk(source))) == [2, 3, 4]


def test_texts_that_are_no_messages_are_noticed() -> None:
    source = """
PlanStep(title=f"Make {name}")
Obstacle(side, MESSAGE(), f"{port} is taken." if port else "It is taken.")
LogLine(LogLevel.INFO, text or "Nothing is known.")
UpCheck(title=mark("It is up"))
Obstacle(side, MESSAGE(host="gw a"), "")
LogLine(LogLevel.INFO, f"{a}: {b}")
"""
    assert list(faults(walk(source))) == [2, 3, 3, 4]


def walk(source: str) -> Iterator[ast.AST]:
    """Yield the nodes of a text of Python."""
    return ast.walk(ast.parse(source))


def faults(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yield the lines of a module in which a text for users cannot be translated."""
    for node in nodes:
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            places = SINKS.get(name, {})
            values = [word.value for word in node.keywords if word.arg in places]
            values += [node.args[place] for place in places.values() if place < len(node.args)]
            yield from (text.lineno for value in values for text in _texts(value))


def untranslated_joins(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yield the lines of a module in which sentences become one plain text without being translated."""
    for node in nodes:
        if isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", "") == "join":
            joined = ast.unparse(node.args[0])
            if re.search(r"\bsentences\b", joined) and "local_text" not in joined:
                yield node.lineno


TITLED = frozenset({"active", "candidate", "deployment", "former", "half", "info", "replaced", "waiting"})
"""Names of variables with the title of a solution or candidate."""

_TRANSLATED = frozenset({"local_text", "local_title", "local_name", "tr"})
_SHOWN_BY = frozenset({"_add_text", "format", "label", "plain_tip", "print", "print_prose", "replace", "setText"})
"""Calls that show a text, or make one of parts."""


def english_fields(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yield the lines of a module that show titles or messages as they are stored."""
    for node in nodes:
        if isinstance(node, ast.FormattedValue):
            yield from _english(node.value)
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            shown = [*node.args, *(word.value for word in node.keywords)] if name in _SHOWN_BY else []
            if name == "tr":
                shown = node.args[1:]  # what is put into the gaps of the text
            yield from (line for value in shown for line in _english(value))
        elif isinstance(node, ast.Assign):
            yield from (line for line in _english(node.value) if _has_title(node.value))
        elif isinstance(node, ast.DictComp) and "candidates" in ast.unparse(node.generators[0].iter):
            yield from (node.lineno for _ in (1,) if ast.unparse(node.value).endswith(".title"))


def _english(value: ast.expr) -> Iterator[int]:
    """Yield the lines of fields that are used as they are; those within a call are the call's own."""
    if isinstance(value, ast.Attribute):
        owner = getattr(value.value, "id", "")
        if value.attr == "message" or (value.attr == "title" and owner in TITLED):
            yield value.lineno
    elif isinstance(value, ast.IfExp):
        yield from (*_english(value.body), *_english(value.orelse))
    elif isinstance(value, ast.BoolOp):
        yield from (line for part in value.values for line in _english(part))


def _has_title(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "title" for node in ast.walk(value))


def _texts(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the literals with words of an expression; those within a call are the call's own."""
    if isinstance(value, ast.JoinedStr):
        if _WORD.search("".join(str(part.value) for part in value.values if isinstance(part, ast.Constant))):
            yield value
    elif isinstance(value, ast.Constant):
        if isinstance(value.value, str) and _WORD.search(value.value):
            yield value
    elif isinstance(value, ast.IfExp):
        yield from (*_texts(value.body), *_texts(value.orelse))
    elif isinstance(value, ast.BoolOp):
        yield from (text for part in value.values for text in _texts(part))
    elif isinstance(value, ast.BinOp):
        yield from (*_texts(value.left), *_texts(value.right))
