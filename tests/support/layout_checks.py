"""Faults of a window's layout: clipped text, overlap, hidden or unexplained controls, lines that appear the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pyqtgraph as pg
from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QScrollArea,
    QScrollBar,
    QSplitterHandle,
    QTabBar,
    QTableView,
    QTabWidget,
    QTreeView,
    QWidget,
)

from ui.common.basics import ElidedLabel
from ui.common.tips import REASON

_CONTROLS = (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QComboBox,
    QAbstractSpinBox,
    QProgressBar,
    QAbstractScrollArea,
    QTabBar,
)
_SLACK_PX = 1
_LEAST_VIEW_PX = 40
"""A table or text of less height shows nothing."""
_LEAST_PLOT_PX = 80
"""In a plot of less height the numbers of its axis touch each other."""
_SMALLER = 0.85
"""No text is smaller than this part of the window's own."""
_STEP_AROUND_PX = 22
_MOST_LINES = 60
_LEAST_INSET_PX = 4
_SHORT = 14
"""Words of so many letters, verdicts for example, are never shortened."""


def layout_faults(window: QWidget) -> list[str]:
    """Return the faults of everything that is visible in a window, as sentences."""
    found: list[str] = []
    for widget in _visible(window):
        found += _cut_by_parent(widget, window)
        found += _clipped_text(widget)
        found += _overlaps(widget)
        found += _unexplained(widget)
        if isinstance(widget, QScrollArea) and widget.horizontalScrollBar().maximum() > 0:
            found.append(f"{_name(widget)} scrolls sideways by {widget.horizontalScrollBar().maximum()} px")
        if isinstance(widget, QAbstractItemView):
            found += _alike(widget)
        if isinstance(widget, pg.PlotWidget):
            found += _plot_text(widget)
    return found


def _visible(window: QWidget) -> Iterator[QWidget]:
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not window:
            continue
        parent = widget.parentWidget()
        if isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit | QHeaderView | QTabBar | QProgressBar):
            continue
        yield widget


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton | QLineEdit) else ""
    return f"{type(widget).__name__} {(text or widget.accessibleName() or widget.objectName())[:60]!r}"


def _unexplained(widget: QWidget) -> Iterator[str]:
    parent = widget.parentWidget()
    if isinstance(widget, QAbstractButton) and not widget.isEnabledTo(parent) and not widget.property(REASON):
        yield f"{_name(widget)} is disabled without a reason in its tool tip"


def _cut_by_parent(widget: QWidget, window: QWidget) -> Iterator[str]:
    if not isinstance(widget, _CONTROLS) or isinstance(widget, QScrollBar | QHeaderView):
        return
    if isinstance(widget, QLabel) and not widget.text() and widget.pixmap().isNull():
        return
    if isinstance(widget, pg.PlotWidget) and widget.height() < _LEAST_PLOT_PX:
        yield f"{_name(widget)} is {widget.height()} px high"
    if isinstance(widget, QAbstractScrollArea) and widget.height() < _LEAST_VIEW_PX:
        yield f"{_name(widget)} is {widget.height()} px high"
    ancestor = widget.parentWidget()
    while ancestor is not None:
        if isinstance(ancestor.parentWidget(), QAbstractScrollArea):
            return  # what scrolls can be reached; sideways scrolling is a fault of its own
        place = QRect(widget.mapTo(ancestor, QPoint(0, 0)), widget.size())
        if not ancestor.rect().adjusted(-_SLACK_PX, -_SLACK_PX, _SLACK_PX, _SLACK_PX).contains(place):
            yield f"{_name(widget)} lies outside {_name(ancestor)}: {place.getRect()} in {ancestor.size().toTuple()}"
            return
        if ancestor is window:
            return
        ancestor = ancestor.parentWidget()


def _clipped_text(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel) and not isinstance(widget, ElidedLabel) and widget.text():
        needed_w, needed_h = _needed(widget)
        if needed_w > widget.width() + _SLACK_PX or needed_h > widget.height() + _SLACK_PX:
            yield f"{_name(widget)} is clipped: {widget.size().toTuple()}, needs {needed_w}x{needed_h}"
    elif isinstance(widget, QAbstractButton) and widget.text():
        hint = widget.minimumSizeHint()
        if widget.width() < hint.width() or widget.height() < hint.height():
            yield f"{_name(widget)} is clipped: {widget.size().toTuple()}, needs {hint.toTuple()}"
    elif isinstance(widget, QLineEdit) and not widget.text() and widget.placeholderText():
        needed = widget.fontMetrics().horizontalAdvance(widget.placeholderText()) + 16
        if needed > widget.width():
            yield f"placeholder {widget.placeholderText()!r} is clipped: {widget.width()} px, needs {needed}"
    elif isinstance(widget, QComboBox) and widget.currentText():
        needed = widget.fontMetrics().horizontalAdvance(widget.currentText()) + 34
        if needed > widget.width():
            yield f"QComboBox {widget.currentText()!r} is clipped: {widget.width()} px, needs {needed}"
    elif isinstance(widget, QAbstractSpinBox):
        yield from _number_faults(widget)
    else:
        yield from _clipped_bar(widget)


def _number_faults(box: QAbstractSpinBox) -> Iterator[str]:
    if box.width() < box.minimumSizeHint().width():
        yield f"{_name(box)} is clipped: {box.width()} px"
    line_edit = box.findChild(QLineEdit)
    if line_edit is not None and line_edit.textMargins().left() < _LEAST_INSET_PX:
        yield f"the text of {_name(box)} touches its border"


def _clipped_bar(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QHeaderView) and widget.orientation() is Qt.Orientation.Horizontal:
        yield from _clipped_headers(widget)
    elif isinstance(widget, QTabBar):
        needed = sum(widget.tabSizeHint(nth).width() for nth in range(widget.count()) if widget.isTabVisible(nth))
        if needed > widget.parentWidget().width():
            yield f"{_name(widget)} has no room for all tabs: {widget.parentWidget().width()} px, needs {needed}"


def _needed(widget: QLabel) -> tuple[int, int]:
    margins = widget.contentsMargins()
    if widget.textFormat() is Qt.TextFormat.RichText:
        document = QTextDocument()
        document.setDefaultFont(widget.font())
        document.setDocumentMargin(0)
        document.setHtml(widget.text())
        return round(document.idealWidth()), 0
    if widget.wordWrap():
        words = max(widget.text().split() or [""], key=widget.fontMetrics().horizontalAdvance)
        width = widget.fontMetrics().horizontalAdvance(words) + margins.left() + margins.right()
        return width, widget.heightForWidth(widget.width())
    hint = widget.sizeHint()
    return hint.width(), hint.height()


def _clipped_headers(header: QHeaderView) -> Iterator[str]:
    model = header.model()
    for nth in range(header.count()):
        text = model.headerData(nth, Qt.Orientation.Horizontal)
        if header.isSectionHidden(nth) or not text:
            continue
        needed = header.sectionSizeFromContents(nth).width()
        if needed > header.sectionSize(nth) + _SLACK_PX:
            yield f"header {text!r} is clipped: {header.sectionSize(nth)} px, needs {needed}"
    if header.length() > header.width() + _SLACK_PX and header.parentWidget().horizontalScrollBar().maximum() > 0:
        yield f"columns of {_name(header.parentWidget())} are out of sight: {header.length()} px in {header.width()}"


def _overlaps(parent: QWidget) -> Iterator[str]:
    if isinstance(parent, QAbstractScrollArea | QTabWidget | QAbstractButton):
        return
    children = [
        child
        for child in parent.children()
        if isinstance(child, QWidget)
        and child.isVisible()
        and not child.isWindow()
        and not isinstance(child, QSplitterHandle)
        and not child.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    ]
    for one, other in combinations(children, 2):
        both = one.geometry().intersected(other.geometry())
        if both.width() > _SLACK_PX and both.height() > _SLACK_PX:
            yield f"{_name(one)} and {_name(other)} overlap by {both.size().toTuple()} in {_name(parent)}"


def _alike(view: QAbstractItemView) -> Iterator[str]:
    """Find short texts that are shortened, and different ones of a column that therefore appear the same."""
    header = view.horizontalHeader() if isinstance(view, QTableView) else None
    header = view.header() if isinstance(view, QTreeView) else header
    shown: dict[tuple[int, object, str], str] = {}
    for line in _lines(view):
        for column in range(header.count() if header is not None else 1):
            index = line.siblingAtColumn(column)
            text, rect = str(index.data() or ""), view.visualRect(index)
            if rect.width() <= 0:
                continue
            icon = index.data(Qt.ItemDataRole.DecorationRole)
            icon_px = 0 if icon is None or (isinstance(icon, QIcon) and icon.isNull()) else 24
            check_px = 24 if index.data(Qt.ItemDataRole.CheckStateRole) is not None else 0
            room = rect.width() - 16 - icon_px - check_px
            elided = view.fontMetrics().elidedText(text, view.textElideMode(), room)
            if elided != text and len(text) <= _SHORT:
                yield f"{text!r} is shortened in {_name(view)}: {elided!r}"
            place = (column, view.model().parent(index), elided) if isinstance(view, QTreeView) else (column, 0, elided)
            if shown.setdefault(place, text) != text:
                yield f"{shown[place]!r} and {text!r} look alike in {_name(view)}: {elided!r}"


def _lines(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """Return the first cell of every line, as far as it is unfolded."""
    model = view.model()
    if isinstance(view, QTreeView):
        index = model.index(0, 0)
        while index.isValid():
            yield index
            index = view.indexBelow(index)
    else:
        yield from (model.index(row, 0) for row in range(min(model.rowCount(), _MOST_LINES)))


def _plot_text(plot: QGraphicsView) -> Iterator[str]:
    area = plot.viewport().rect().adjusted(-2, -2, 2, 2)
    for item in plot.scene().items():
        if isinstance(item, pg.TextItem) and item.isVisible() and item.textItem.toPlainText():
            place = item.mapRectToScene(item.boundingRect()).toRect()
            if not area.contains(place):
                text = item.textItem.toPlainText()
                yield f"label {text!r} is cut in plot {plot.accessibleName()[:40]!r}: {place.getRect()}"


def bold_faults(window: QWidget) -> list[str]:
    """Return the steps whose name has no room in the bold letters of the step on show."""
    found = []
    for step in window.findChildren(QAbstractButton):
        if step.isVisible() and step.property("variant") == "step":
            bold = QFont(step.font())
            bold.setWeight(QFont.Weight.DemiBold)
            needed = max(map(QFontMetrics(bold).horizontalAdvance, step.text().splitlines())) + _STEP_AROUND_PX
            if needed > step.width():
                found.append(f"{_name(step)} is cut when bold: {step.width()} px, needs {needed}")
    return found


def size_faults(window: QWidget) -> list[str]:
    """Return the cells and axes whose texts are much smaller than the window's own."""
    least = _SMALLER * window.fontMetrics().height()
    found = []
    for widget in _visible(window):
        if isinstance(widget, QTableView) and widget.model().rowCount():
            for column in range(widget.model().columnCount()):
                font = widget.model().index(0, column).data(Qt.ItemDataRole.FontRole)
                height = QFontMetrics(font.resolve(widget.font()) if font is not None else widget.font()).height()
                if height < least:
                    found.append(f"column {column} of {_name(widget)} is {height} px high")
        elif isinstance(widget, pg.PlotWidget):
            font = widget.getPlotItem().getAxis("bottom").style["tickFont"] or QApplication.font()
            if QFontMetrics(font).height() < least:
                found.append(f"the numbers of {_name(widget)} are {QFontMetrics(font).height()} px high")
    return found
