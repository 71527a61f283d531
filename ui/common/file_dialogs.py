"""Dialogs that ask for a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

SSH_FOLDER = "~/.ssh"


def ask_save(
    parent: QWidget, title: str, kinds: Mapping[str, str], then: Callable[[Path], object], *, name: str = ""
) -> None:
    """Ask where something is to be saved.

    Args:
        kinds: Endings that it can have, the default first, each with its filter as Qt has it; empty shows every file.
        then: Gets the file.
        name: Suggested name, without ending.
    """
    filters = {text: kind for kind, text in kinds.items() if text}
    default = next(iter(kinds))
    dialog = _dialog(parent, title, then, tuple(filters))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(default)
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters.get(chosen, default)))
    if name:
        dialog.selectFile(f"{name.replace(':', '-')}.{default}")
    dialog.open()


def ask_open(
    parent: QWidget, title: str, then: Callable[[Path], object], *, folder: str = "", filters: Sequence[str] = ()
) -> None:
    """Ask for a file that is there.

    Args:
        then: Gets the file.
        folder: The folder that is shown first; empty for this process's own.
        filters: Kinds of files that are offered, as Qt has them; none shows every file.
    """
    dialog = _dialog(parent, title, then, filters)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    if folder:
        dialog.setDirectory(str(Path(folder).expanduser()))
    dialog.open()


def _dialog(parent: QWidget, title: str, then: Callable[[Path], object], filters: Sequence[str]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    if filters:
        dialog.setNameFilters(filters)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    return dialog
