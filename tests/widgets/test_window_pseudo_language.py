"""Every text of the window is translated: with a language that brackets texts, what is without brackets is data.

Sentences that `app` makes are data here: those of hosts and checks are English still.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path

import pytest
from dialog_tour import dialogs
from page_tour import tour
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from visible_texts import visible_texts
from window_driver import Driver

from app.wording import language

_BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")
_TRIM = " .,:;!?()…0123456789%\t"
_NAMES = frozenset(
    {"Tunnelmark", "root", "user", "openvpn-udp", "openvpn-tcp", "wireguard"}
    | {"UDP", "TCP", "MAC", "AEAD", "Mbit/s", "MiB", "min"}
)
"""Names, protocols and units, which are the same in every language, or data as well."""
_KEYS = re.compile(r"\(?(Ctrl|Alt|Shift)\+\w*\)?")
_TAGS = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[A-Za-z]{3,}")


class Brackets(NullTranslations):
    """A language whose words are the English ones in brackets."""

    def gettext(self, message: str) -> str:
        """Return a text in brackets."""
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a number, in brackets."""
        return f"⟦{super().ngettext(msgid1, msgid2, n)}⟧"


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch, open_window: Callable[..., Driver]) -> Driver:
    monkeypatch.setattr(language, "_catalogue", lambda _language: Brackets())
    return open_window()


def test_every_page(bracketed: Driver) -> None:
    found = {fault for name in tour(bracketed) for fault in _untranslated(bracketed.window, name)}
    assert sorted(found) == []


def test_every_dialog(bracketed: Driver) -> None:
    found = {fault for name, dialog in dialogs(bracketed) for fault in _untranslated(dialog, name)}
    assert sorted(found) == []


def test_texts_that_are_not_translated_are_noticed(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    QLabel("Settings and guidelines", window)
    QLabel("gateway-a: Connection refused", window)
    window.show()
    assert list(_untranslated(window, "here", frozenset({"Settings and guidelines"}))) == [
        ("Settings and guidelines", "here")
    ]


def _untranslated(window: QWidget, place: str, literals: frozenset[str] | None = None) -> Iterator[tuple[str, str]]:
    """Return texts with words of the window's own that no bracket has; data and sentences of `app` are none."""
    own = _literals() if literals is None else literals
    for text in visible_texts(window):
        rest = _KEYS.sub("", _TAGS.sub("", text))
        while _BRACKETED.search(rest):
            rest = _BRACKETED.sub("\n", rest)
        parts = {part.strip(_TRIM) for part in rest.split("\n")}
        if parts & own or any(one in rest for one in own if one.count(" ") > 1):
            yield text, place


@cache
def _literals() -> frozenset[str]:
    """Return the words in the source of the window that no function translates."""
    found: set[str] = set()
    for file in (Path(__file__).parents[2] / "ui").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        skipped = {id(one) for call in ast.walk(tree) if _is_translated(call) for one in ast.walk(call)}
        skipped |= {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                found.add(node.value.strip(_TRIM))
    return frozenset(one for one in found - _NAMES if _WORD.search(one) and not _KEYS.match(one))


def _is_translated(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"tr", "trn", "mark"}
