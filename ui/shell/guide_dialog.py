"""The documents in a window of their own, which can be left open beside the work."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QKeySequence,
    QPixmap,
    QShortcut,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QTextBrowser, QWidget

from app.wording.language import SOURCE_LANGUAGE, current_language
from ui.common.basics import column, label
from ui.common.search_field import SearchField
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
        self.text.sourceChanged.connect(self._on_source)
        body = column(margin_px=2 * GRID)
        self.setLayout(body)
        self.search = SearchField(tr("Search on this page (Ctrl+F, Enter for the next)"), tr("Search"))
        self.search.returnPressed.connect(self._find)
        self.search.textEdited.connect(self._find_first)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        self.note = label(
            tr("The documents are in English. The glossary (Ctrl+F1) lists the words of this window."), "muted"
        )
        self.note.setVisible(current_language() != SOURCE_LANGUAGE)
        body.addWidget(self.note)
        body.addWidget(self.search)
        body.addWidget(self.text, 1)
        box = QDialogButtonBox()
        self.back = box.addButton(tr("Back"), QDialogButtonBox.ButtonRole.ActionRole)
        self.back.clicked.connect(self.text.backward)
        self.back.setEnabled(False)
        self.text.backwardAvailable.connect(self.back.setEnabled)
        contents = box.addButton(tr("Contents"), QDialogButtonBox.ButtonRole.ActionRole)
        contents.clicked.connect(lambda: self.show_document(self._guide))
        self.close_button = box.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        for one in box.buttons():
            if isinstance(one, QPushButton):
                one.setAutoDefault(False)  # Enter in the field searches on
        box.rejected.connect(self.reject)
        body.addWidget(box)

    def show_document(self, path: Path, part: str = "") -> None:
        """Show a document from its beginning, or from the heading of a part on."""
        self.text.setSource(QUrl.fromLocalFile(str(path)), QTextDocument.ResourceType.MarkdownResource)
        if part:
            self._show_part(part)
        self.text.setFocus()

    def _show_part(self, heading: str) -> None:
        """Scroll to a heading; Qt gives those of Markdown no anchors."""
        block = self.text.document().begin()
        while block.isValid() and not (block.blockFormat().headingLevel() and block.text() == heading):
            block = block.next()
        if block.isValid():
            anchor = QTextCharFormat()
            anchor.setAnchor(True)
            anchor.setAnchorNames([heading])
            cursor = QTextCursor(block)
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(anchor)
            self.text.scrollToAnchor(heading)  # once it is visible, where it is not yet

    def _on_source(self) -> None:
        """Name the window after the document, and let long commands wrap: one would make all of it wider than it is."""
        block = self.text.document().begin()
        while block.isValid():
            if block.blockFormat().nonBreakableLines():
                may_wrap = QTextBlockFormat()
                may_wrap.setNonBreakableLines(False)
                QTextCursor(block).mergeBlockFormat(may_wrap)
            block = block.next()
        title = self.text.document().begin().text()
        self.setWindowTitle(title or tr("User guide"))
        self.text.setAccessibleName(self.windowTitle())

    def _find_first(self) -> None:
        """Search from the beginning while the user types."""
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self._find()

    def _find(self) -> None:
        """Show the next place of what is searched, from the beginning again after the last one."""
        wanted = self.search.text()
        if wanted and not self.text.find(wanted):
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(wanted)
