"""Two groups side by side, or one below the other where there is little room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from ui.theme import GRID
from ui.widgets.basics import row


class FoldingRow(QWidget):
    """Texts on the left and buttons beside them; below them where the texts would become a narrow column.

    Args:
        texts: Widgets on the left; the last one takes what room there is.
        buttons: Widgets on the right.
        least_em: Least width of the texts, in heights of their letters, beside the buttons.
    """

    def __init__(self, texts: tuple[QWidget | int, ...], buttons: tuple[QWidget, ...], least_em: int) -> None:
        super().__init__()
        self._least_em = least_em
        self._texts, self._buttons = row(*texts), row(0, *buttons)
        self._texts.setStretch(self._texts.count() - 1, 1)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._both.setContentsMargins(0, 0, 0, 0)
        self._both.setSpacing(GRID)
        self._both.addLayout(self._texts, 1)
        self._both.addLayout(self._buttons)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the wider group: narrower ones are put below each other."""
        hint = super().minimumSizeHint()
        hint.setWidth(max(self._texts.minimumSize().width(), self._buttons.minimumSize().width()))
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room that there is."""
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        """Follow texts that become longer or larger."""
        result = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fold()
        return result

    def _fold(self) -> None:
        least = max(self._texts.minimumSize().width(), self._least_em * self.fontMetrics().height())
        is_roomy = least + GRID + self._buttons.minimumSize().width() <= self.width()
        wanted = QBoxLayout.Direction.LeftToRight if is_roomy else QBoxLayout.Direction.TopToBottom
        if self._both.direction() is not wanted:
            self._both.setDirection(wanted)
            self.updateGeometry()
