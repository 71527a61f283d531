"""Messages: each has one code and one home, is used, and gets what fills its gaps; errors are raised with them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from sources import ROOT, nodes_of, python_files

import app.domain.errors
from app.domain.errors import TunnelmarkError
from app.domain.messages import TEXT, MessageForm

FILES = python_files("app", "ui", "vpn_adapters")
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*")

PLAIN = frozenset({"app/domain/errors.py", "app/domain/messages/__init__.py"})
"""Modules in which errors are made of texts that already are messages, or that are none."""


def _is_home(file: Path) -> bool:
    return file.name == "messages.py" or file.parent.name == "messages"


HOMES = [file for file in FILES if _is_home(file) and file.relative_to(ROOT).as_posix() != "app/wording/messages.py"]


def _forms() -> Iterator[tuple[Path, str, MessageForm]]:
    for home in HOMES:
        module = importlib.import_module(
            ".".join(home.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        for name, value in vars(module).items():
            if isinstance(value, MessageForm):
                yield home, name, value


FORMS = list(_forms())
BY_NAME = {name: form for _, name, form in FORMS}


@cache
def _calls(file: Path) -> tuple[tuple[str, ast.Call], ...]:
    return tuple(
        (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""), node)
        for node in nodes_of(file)
        if isinstance(node, ast.Call)
    )


def test_forms_are_declared_in_homes_only() -> None:
    strays = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in FILES
        if file not in HOMES
        for name, call in _calls(file)
        if name == "MessageForm"
    ]
    assert strays == []


def test_codes_and_names_are_unique_and_well_formed() -> None:
    codes = [form.code for _, _, form in FORMS]
    names = [name for _, name, _ in FORMS]
    assert sorted({code for code in codes if codes.count(code) > 1}) == []
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert [code for code in codes if not _CODE.fullmatch(code)] == []
    assert [name for name in names if name != name.upper()] == []


def test_every_form_is_used() -> None:
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for file in FILES
        for node in nodes_of(file)
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)
    }
    assert sorted(set(BY_NAME) - used) == []


def test_every_call_fills_the_gaps_of_its_form() -> None:
    faults = []
    for file in FILES:
        for name, call in _calls(file):
            form = BY_NAME.get(name)
            if form is None or any(word.arg is None for word in call.keywords):
                continue
            given, gaps = {str(word.arg) for word in call.keywords}, _gaps(form)
            if given != gaps or call.args:
                faults.append(
                    f"{file.relative_to(ROOT)}:{call.lineno}: {name} takes {sorted(gaps)}, gets {sorted(given)}"
                )
    assert faults == []


def test_words_among_data_are_translated_with_their_message() -> None:
    """A datum that is a word of the program needs a gap like `{reason:text}`, and a word that is not marked is none."""
    faults = [
        f"{file.relative_to(ROOT)}:{call.lineno}: {name} of {word.arg}"
        for file in FILES
        for name, call in _calls(file)
        if name in BY_NAME
        for word in call.keywords
        if any(one == "" or _specs(BY_NAME[name]).get(word.arg) != TEXT for one in _words_of(word.value))
    ]
    assert faults == []


def _words_of(value: ast.expr, *, is_fallback: bool = False) -> Iterator[str]:
    """Yield `mark` for marked words of an expression, and nothing for unmarked ones in place of an empty text."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "mark":
        yield "mark"
    elif isinstance(value, ast.BoolOp):
        yield from (one for part in value.values for one in _words_of(part, is_fallback=True))
    elif isinstance(value, ast.IfExp):
        yield from (one for part in (value.body, value.orelse) for one in _words_of(part, is_fallback=True))
    elif is_fallback and isinstance(value, ast.Constant) and re.search(r"[A-Za-z]{3,}", str(value.value)):
        yield ""


def _specs(form: MessageForm) -> dict[str | None, str | None]:
    return {gap: spec for text in (form.text, form.hint) for _, gap, spec, _ in Formatter().parse(text)}


def _gaps(form: MessageForm) -> set[str]:
    return {name for text in (form.text, form.hint) for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_errors_are_raised_with_messages() -> None:
    errors = _error_names()
    found = {
        file.relative_to(ROOT).as_posix()
        for file in FILES
        for name, call in _calls(file)
        if name in errors and _has_text(call)
    }
    assert sorted(found - PLAIN) == [], "declare a MessageForm in the package's messages.py"


def _has_text(call: ast.Call) -> bool:
    values = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "hint")]
    texts = [
        value for value in values if isinstance(value, ast.JoinedStr) or isinstance(getattr(value, "value", None), str)
    ]
    return any(not isinstance(text, ast.Constant) or text.value for text in texts)


def _error_names() -> frozenset[str]:
    found = {
        name
        for name, value in vars(app.domain.errors).items()
        if inspect.isclass(value) and issubclass(value, TunnelmarkError)
    }
    classes = [node for file in FILES for node in nodes_of(file) if isinstance(node, ast.ClassDef)]
    while True:
        more = {
            node.name
            for node in classes
            if any(getattr(base, "id", getattr(base, "attr", "")) in found for base in node.bases)
        }
        if more <= found:
            return frozenset(found)
        found |= more
