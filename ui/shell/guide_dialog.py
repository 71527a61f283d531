"""The documents in a window of their own, which stays open beside the work."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QPixmap, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from ui.common.texts import tr
from ui.common.theme import GRID

_SIZE_PX = (820, 620)


class _Document(QTextBrowser):
    """A document whose pictures are no wider than it is."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return what a document asks for; Qt calls it."""
        found = super().loadResource(kind, name)
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return found
        picture = QPixmap(self.source().resolved(QUrl(name)).toLocalFile())
        width_px = self.viewport().width() - 5 * GRID  # margins, and a scroll bar that may still come
        is_wide = picture.width() > width_px
        return picture.scaledToWidth(width_px, Qt.TransformationMode.SmoothTransformation) if is_wide else picture


class GuideDialog(QDialog):
    """Shows a document; links between documents are followed here, others in the browser.

    Args:
        parent: The window.
        guide: The document to begin with, which the button Contents leads back to.
    """

    def __init__(self, parent: QWidget | None, guide: Path) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("User guide"))
        self.resize(*_SIZE_PX)
        self._guide = guide
        self.text = _Document()
        self.text.setAccessibleName(tr("User guide"))
        self.text.setOpenExternalLinks(True)
        self.text.setSearchPaths([str(guide.parent)])
        body = QVBoxLayout(self)
        body.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        body.setSpacing(GRID)
        body.addWidget(self.text, 1)
        box = QDialogButtonBox()
        self.back = box.addButton(tr("Back"), QDialogButtonBox.ButtonRole.ActionRole)
        self.back.clicked.connect(self.text.backward)
        self.back.setEnabled(False)
        self.text.backwardAvailable.connect(self.back.setEnabled)
        contents = box.addButton(tr("Contents"), QDialogButtonBox.ButtonRole.ActionRole)
        contents.clicked.connect(lambda: self.show_document(self._guide))
        self.close_button = box.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        box.rejected.connect(self.reject)
        body.addWidget(box)

    def show_document(self, path: Path) -> None:
        """Show a document from its beginning."""
        self.text.setSource(QUrl.fromLocalFile(str(path)), QTextDocument.ResourceType.MarkdownResource)
        self.text.setFocus()
