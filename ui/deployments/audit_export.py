"""Export of the audit log to a file that the user chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.services.interfaces.deployments import AUDIT_KINDS
from ui.common.texts import tr


def ask_audit_file(parent: QWidget, write: Callable[[Path], None]) -> None:
    """Ask for a file.

    Args:
        write: Gets the file; its kind follows from the ending.
    """
    dialog = QFileDialog(parent, tr("Save the audit log"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters([f"{kind.upper()} (*.{kind})" for kind in AUDIT_KINDS])
    dialog.setDefaultSuffix(AUDIT_KINDS[0])
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(chosen.split(" ")[0].lower()))
    dialog.selectFile(f"audit.{AUDIT_KINDS[0]}")
    dialog.fileSelected.connect(lambda name: write(Path(name)))
    dialog.open()
