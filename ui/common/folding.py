"""Groups, cards and form fields side by side, or below each other where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QWidget

from ui.common.basics import row
from ui.common.theme import GRID


class _Folding(QWidget):
    """Widget that lays out its parts anew where its width or their texts change."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the content to the new width."""
        super().resizeEvent(event)
        self._fold()

    def event(self, event: QEvent) -> bool:
        """Follow texts that become longer or larger."""
        result = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fold()
        return result

    def _fold(self) -> None:
        """Lay out the parts for the width that there is."""
        raise NotImplementedError


class FoldingRow(_Folding):
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

    def _fold(self) -> None:
        least = max(self._texts.minimumSize().width(), self._least_em * self.fontMetrics().height())
        is_roomy = least + GRID + self._buttons.minimumSize().width() <= self.width()
        wanted = QBoxLayout.Direction.LeftToRight if is_roomy else QBoxLayout.Direction.TopToBottom
        if self._both.direction() is not wanted:
            self._both.setDirection(wanted)
            self.updateGeometry()


class FoldingCards(_Folding):
    """Cards of equal width in as few lines as their room allows.

    Args:
        least_em: Least width of a card, in heights of its letters.
        numbers: How many cards a line may hold, the most first.
    """

    def __init__(self, least_em: int, numbers: Sequence[int]) -> None:
        super().__init__()
        self._least_em, self._numbers = least_em, tuple(numbers)
        self._cards: list[QWidget] = []
        self._in_line = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2 * GRID)

    def show_cards(self, cards: Sequence[QWidget]) -> None:
        """Show cards instead of the former ones, which are deleted."""
        for former in self._cards:
            self._grid.removeWidget(former)
            former.deleteLater()
        self._cards, self._in_line = list(cards), 0
        for card in cards:
            card.setParent(self)
            card.show()
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest card: narrower lines hold one card each."""
        hint = super().minimumSizeHint()
        hint.setWidth(max((card.minimumSizeHint().width() for card in self._cards), default=0))
        return hint

    def _needed_px(self, in_line: int) -> int:
        """Return the least width of lines of so many cards."""
        least = self._least_em * self.fontMetrics().height()
        widths = [max(least, card.minimumSizeHint().width()) for card in self._cards]
        return sum(max(widths[nth::in_line], default=0) for nth in range(in_line)) + 2 * GRID * (in_line - 1)

    def _fold(self) -> None:
        wanted = next((one for one in self._numbers if self._needed_px(one) <= self.width()), self._numbers[-1])
        if wanted == self._in_line:
            return
        self._in_line = wanted
        for nth, card in enumerate(self._cards):
            self._grid.addWidget(card, nth // wanted, nth % wanted)
        for column in range(self._numbers[0]):
            self._grid.setColumnStretch(column, 1 if column < wanted else 0)
        self.updateGeometry()


@dataclass(frozen=True, slots=True)
class _Place:
    widget: QWidget
    row: int
    column: int
    span: int

    def folded(self) -> _Place:
        """Return the position in a form of two columns: the right half of a line is below its left one."""
        row = 2 * self.row + self.column // 2
        return _Place(self.widget, row, self.column % 2 if self.span == 1 else 1, 1)


class FoldingForm(_Folding):
    """Names and fields in four columns, or in two where the fields would be cut.

    Args:
        stretches: How the columns of fields, the second and the fourth, share what room is left.
    """

    def __init__(self, stretches: tuple[int, int]) -> None:
        super().__init__()
        self._stretches = stretches
        self._places: list[_Place] = []
        self._is_folded: bool | None = None
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)

    def add(self, widget: QWidget, row: int, column: int, span: int = 1) -> None:
        """Add a name or a field at its place in the form of four columns."""
        self._places.append(_Place(widget, row, column, span))
        self.grid.addWidget(widget, row, column, 1, span)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the form of two columns."""
        hint = super().minimumSizeHint()
        hint.setWidth(self._needed_px([place.folded() for place in self._places]))
        return hint

    def _needed_px(self, places: Sequence[_Place]) -> int:
        """Return the width at which no visible widget is narrower than it may be."""
        gap, widths = self.grid.horizontalSpacing(), [0, 0, 0, 0]
        for place in sorted(places, key=lambda one: one.span):
            if place.widget.isHidden():
                continue
            held = range(place.column, place.column + place.span)
            lacking = place.widget.minimumSizeHint().width() - sum(widths[one] for one in held) - gap * (len(held) - 1)
            widths[held[-1]] += max(0, lacking)
        return sum(widths) + gap * (sum(width > 0 for width in widths) - 1)

    def _fold(self) -> None:
        is_folded = self._needed_px(self._places) > self.width()
        if is_folded == self._is_folded:
            return
        self._is_folded = is_folded
        for place in self._places:
            shown = place.folded() if is_folded else place
            self.grid.addWidget(shown.widget, shown.row, shown.column, 1, shown.span)
        self.grid.setColumnStretch(1, self._stretches[0])
        self.grid.setColumnStretch(3, 0 if is_folded else self._stretches[1])
        self.updateGeometry()
