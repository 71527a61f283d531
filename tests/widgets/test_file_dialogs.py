"""Dialogs that ask for a file: where to save, with an ending per kind, and which file to open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from ui.common.file_dialogs import ask_open, ask_save

KINDS = {"csv": "CSV (*.csv)", "json": "JSON (*.json)"}


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def asked(parent: QWidget, ask: Callable[[], None]) -> QFileDialog:
    ask()
    dialog = parent.findChild(QFileDialog)
    assert dialog is not None
    return dialog


def test_the_file_that_is_to_be_saved_has_the_ending_of_the_chosen_kind(parent: QWidget, tmp_path: Path) -> None:
    chosen: list[Path] = []
    dialog = asked(parent, lambda: ask_save(parent, "Save", KINDS, chosen.append, name="lab:audit"))
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    assert dialog.defaultSuffix() == "csv"
    assert Path(dialog.selectedFiles()[0]).name == "lab-audit.csv", "no colon, which other systems do not take"
    dialog.filterSelected.emit(KINDS["json"])
    assert dialog.defaultSuffix() == "json"
    dialog.fileSelected.emit(str(tmp_path / "own.json"))
    assert chosen == [tmp_path / "own.json"]
    dialog.reject()


def test_without_filters_every_file_is_offered(parent: QWidget) -> None:
    dialog = asked(parent, lambda: ask_save(parent, "Save", {"log": ""}, print))
    assert dialog.defaultSuffix() == "log"
    assert len(dialog.nameFilters()) == 1
    assert "(*)" in dialog.nameFilters()[0]
    dialog.reject()


def test_a_file_that_is_there_is_asked_for_in_the_folder(parent: QWidget, tmp_path: Path) -> None:
    chosen: list[Path] = []
    dialog = asked(
        parent, lambda: ask_open(parent, "Open", chosen.append, folder=str(tmp_path), filters=[KINDS["csv"]])
    )
    assert dialog.fileMode() is QFileDialog.FileMode.ExistingFile
    assert Path(dialog.directory().path()) == tmp_path
    assert dialog.nameFilters() == [KINDS["csv"]]
    dialog.fileSelected.emit(str(tmp_path / "there.csv"))
    assert chosen == [tmp_path / "there.csv"]
    dialog.reject()
