"""Every page and dialog in German: its texts are longer, and nothing may be clipped, covered or out of sight.

No key has two controls of a page, either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from dialog_tour import dialogs, settle
from layout_checks import layout_faults
from page_tour import tour
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from window_driver import Driver

from app.wording import language
from ui.common.theme import Theme


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch, open_window: Callable[..., Driver]) -> Driver:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    return open_window()


@pytest.fixture(params=[1.25, pytest.param(1.0, marks=pytest.mark.full)])
def text_scale(request: pytest.FixtureRequest, theme: Theme) -> Iterator[float]:
    theme.zoom(request.param)
    yield request.param
    theme.zoom(0)


@pytest.mark.parametrize("size", [(1024, 700), pytest.param((1366, 768), marks=pytest.mark.full)])
def test_no_page_clips_or_hides_anything_or_has_two_controls_of_one_key(german: Driver, size: tuple[int, int]) -> None:
    found = []
    for name in tour(german):
        german.window.resize(*size)
        for _ in range(3):
            settle()
        assert german.window.size().toTuple() == size, name
        found += [f"{name}: {fault}" for fault in (*layout_faults(german.window), *_shared_keys(german.window))]
    assert found == []


def test_no_dialog_clips_or_hides_anything(text_scale: float, german: Driver) -> None:
    german.window.resize(1024, 700)
    found = []
    for name, dialog in dialogs(german):
        found += [f"{name}: {fault}" for fault in layout_faults(dialog)]
        if dialog.width() > 1024 or dialog.height() > 700:
            found.append(f"{name} has {dialog.width()}x{dialog.height()} px")
    assert found == [], f"with texts {text_scale} times as large"


def _shared_keys(window: QWidget) -> Iterator[str]:
    """Return the keys after Alt that more than one control has, with their texts."""
    texts: dict[str, set[str]] = {}
    for widget in window.findChildren(QWidget):
        if not isinstance(widget, QAbstractButton | QLabel) or not widget.isVisible():
            continue
        if key := QKeySequence.mnemonic(widget.text()).toString():
            texts.setdefault(key, set()).add(widget.text())
    yield from (f"{key} of {sorted(same)}" for key, same in texts.items() if len(same) > 1)
