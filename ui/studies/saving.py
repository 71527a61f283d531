"""Files of the studies page: where a report goes, and that it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from ui.common.page import Page
from ui.common.texts import tr


def ask_file(page: Page, name: str, kind: str, then: Callable[[Path], None]) -> None:
    """Ask where a report is to be saved.

    Args:
        name: Suggested name, without ending.
        kind: Ending, `html` or `json`.
        then: Gets the file.
    """
    dialog = QFileDialog(page, tr("Save the report"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(kind)
    dialog.selectFile(f"{name.replace(':', '-')}.{kind}")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
    dialog.open()


def save(page: Page, write: Callable[[], Path]) -> None:
    """Write a report in a worker thread, and show where it is."""
    page.start(tr("Writing the report"), lambda _token, _report: write(), lambda path: _show_written(page, path))


def _show_written(page: Page, path: Path) -> None:
    actions = {
        tr("Open it"): lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))),
        tr("Show in folder"): lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))),
    }
    page.notice.show_message("done", tr("Report saved."), str(path), actions, is_closable=True)
