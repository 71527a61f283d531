"""Small building blocks of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ui.common.accessible import Role, set_role
from ui.common.icons import set_icon
from ui.common.texts import plain_tip
from ui.common.theme import GRID
from ui.common.tips import set_tip

_UNIT, _UNBROKEN_UNIT = "Mbit/s", "Mbit/\u2060s"
"""The second with a word joiner, which takes no room."""

_HEADINGS = ("title", "heading")
"""Label styles that are headings for screen readers, too."""


class _Label(QLabel):
    """Label that does not break a line within a unit: Qt breaks it after each stroke, also that of `Mbit/s`."""

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(text.replace(_UNIT, _UNBROKEN_UNIT))

    def text(self) -> str:
        """Return the text as it was set."""
        return super().text().replace(_UNBROKEN_UNIT, _UNIT)


def label(
    text: str = "",
    variant: str = "",
    *,
    is_wrapping: bool = True,
    is_selectable: bool = False,
    role: Role | None = None,
) -> QLabel:
    """Return a label in a style of the style sheet.

    Args:
        variant: Style in the style sheet.
        is_wrapping: Whether it may take several lines.
        is_selectable: Whether its text can be selected.
        role: For screen readers; None for that of the style.
    """
    result = _Label()
    set_role(result, role if role is not None else Role.Heading if variant in _HEADINGS else Role.NoRole)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setText(text)
    result.setWordWrap(is_wrapping)
    if variant:
        result.setProperty("variant", variant)
    if is_selectable:
        result.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return result


def button(
    text: str,
    icon: str = "",
    *,
    variant: str = "",
    on_click: Callable[[], object] | None = None,
    shortcut: str = "",
    tip: str = "",
    role: Role = Role.NoRole,
) -> QPushButton:
    """Return a push button with an icon beside its word.

    Args:
        text: With `&` before the letter that Alt chooses.
        icon: Name of an icon.
        variant: Style in the style sheet.
        on_click: Called without arguments.
        shortcut: Keys, for example `Alt+Right`; they are added to the tool tip.
        tip: Longer than the text.
        role: For screen readers, where it is no plain button.
    """
    result = QPushButton()
    set_role(result, role)
    result.setText(text)
    if variant:
        result.setProperty("variant", variant)
    if icon:
        set_icon(result, icon, "on_accent" if variant == "primary" else "text")
    if on_click is not None:
        result.clicked.connect(lambda: on_click())  # noqa: PLW0108 - `clicked` carries an argument
    if shortcut:
        if "&" in text:  # one button has one key, and its letter is that one
            QShortcut(QKeySequence(shortcut), result, result.click)
        else:
            result.setShortcut(QKeySequence(shortcut))
        tip = f"{tip} ({shortcut})".strip()
    if tip:
        set_tip(result, tip)
    result.setAccessibleName(text.replace("&", ""))
    return result


def label_for(text: str, widget: QWidget, variant: str = "") -> QLabel:
    """Return a label that names an input, also for screen readers: combo boxes take their name from nothing else."""
    result = label(text, variant, is_wrapping=False)
    result.setBuddy(widget)
    return result


class _NameTag(QLabel):
    """A hidden label that names a box without a visible one.

    It has to be a child of the box's own parent: only there Qt searches for the label of a widget.
    """

    def __init__(self, text: str, box: QComboBox) -> None:
        super().__init__(text)
        self.setVisible(False)
        self.setBuddy(box)
        self.setParent(box.parentWidget() or box)
        box.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the box into a layout."""
        if event.type() is QEvent.Type.ParentChange and isinstance(watched, QComboBox):
            self.setParent(watched.parentWidget() or watched)
        return False


class ChoiceBox(QComboBox):
    """A list to choose from, in which Alt and a letter search nothing: they press a button, or do nothing.

    Args:
        name: For screen readers; empty where a hidden label is to name it, see `name_box`.
        entries: Texts, each with its data.
        chosen: Data of the entry that is chosen; the first one where there is none.
    """

    def __init__(self, name: str = "", entries: Iterable[tuple[str, object]] = (), chosen: object = None) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.offer(entries, chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Search for letters without Alt; Alt with an arrow opens the list."""
        is_search = bool(event.text()) and event.text().isprintable()
        if is_search and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def offer(self, entries: Iterable[tuple[str, object]], chosen: object = None) -> None:
        """Offer other entries, of text and data, without a signal.

        Args:
            chosen: Data of the entry that is chosen; the first one where there is none.
        """
        with QSignalBlocker(self):
            self.clear()
            for text, data in entries:
                self.addItem(text, data)
            self.setCurrentIndex(max(0, self.findData(chosen)))  # one with a placeholder chooses nothing by itself


def name_box(box: QComboBox, name: str) -> None:
    """Name a combo box that has no visible label: on Linux Qt tells screen readers its value, and its label's text."""
    box.setAccessibleName(name)
    _NameTag(name, box)


def name_tabs(tabs: QTabWidget, name: str) -> None:
    """Name tabs for screen readers. Only their bar takes the focus: the widget around it has neither name nor role."""
    tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    tabs.tabBar().setAccessibleName(name)


def set_style(widget: QWidget, name: str, value: object) -> None:
    """Change a property that the style sheet reads, after the widget has been shown."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_variant(widget: QWidget, variant: str) -> None:
    """Change a widget's style."""
    set_style(widget, "variant", variant)


def set_fault(widget: QWidget, *, is_wrong: bool) -> None:
    """Mark an input as wrong, or as mended."""
    if is_wrong or widget.property("fault"):
        set_style(widget, "fault", is_wrong)


def show_text(shown: QLabel, text: str) -> None:
    """Show a text; the label is hidden where it is empty."""
    shown.setText(text)
    shown.setVisible(bool(text))


def icon_label(name: str, role: str = "text", size_px: int = 16) -> QLabel:
    """Return a label that shows an icon; the word is beside it."""
    result = QLabel()
    set_icon(result, name, role, size_px)
    result.setFixedSize(QSize(size_px, size_px))
    return result


Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""Part of a row or column: a widget or layout, also with its stretch; 0 is a stretch, other numbers gaps in pixels."""
Margins = int | tuple[int, int, int, int]
"""Margins of a layout in pixels: the same on all sides, or left, top, right, bottom."""


def row(*items: Item, margin_px: Margins = 0, spacing_px: int = GRID) -> QHBoxLayout:
    """Return widgets and layouts side by side."""
    return _fill(QHBoxLayout(), items, margin_px, spacing_px)


def column(*items: Item, margin_px: Margins = 0, spacing_px: int = GRID) -> QVBoxLayout:
    """Return widgets and layouts one under the other."""
    return _fill(QVBoxLayout(), items, margin_px, spacing_px)


def holder(layout: QLayout, variant: str = "") -> QWidget:
    """Return a widget with a layout."""
    result = QWidget()
    if variant:
        result.setProperty("variant", variant)
    result.setLayout(layout)
    return result


L = TypeVar("L", bound=QBoxLayout)


def _fill(layout: L, items: tuple[Item, ...], margin_px: Margins, spacing_px: int) -> L:
    layout.setContentsMargins(*(margin_px if isinstance(margin_px, tuple) else 4 * (margin_px,)))
    layout.setSpacing(spacing_px)
    for item in items:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        elif part:
            layout.addSpacing(part)
        else:
            layout.addStretch(1)
    return layout


class Card(QFrame):
    """A framed group with a heading.

    Args:
        title: Heading; empty for none.
        icon: Beside the heading.
    """

    def __init__(self, title: str = "", icon: str = "") -> None:
        super().__init__()
        self.setProperty("variant", "card")
        self.body = column(margin_px=2 * GRID)
        self.setLayout(self.body)
        self.title = label(title, "heading", is_wrapping=False)
        if title:
            self.heading = row(*([icon_label(icon)] if icon else []), self.title, 0)
            self.body.addLayout(self.heading)
            self.setAccessibleName(title)


class ElidedLabel(QLabel):
    """A line that is shortened with an ellipsis where there is no room; the tool tip has all of it."""

    def __init__(self, text: str = "", variant: str = "") -> None:
        super().__init__()
        self.setProperty("variant", variant)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(text)
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what fits."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            self.palette(),
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw again."""
        super().resizeEvent(event)
        self.update()


_CONTENT_STRETCH = 100
WIDE_PX = 1600
"""Widest content of pages with tables and columns side by side, in logical pixels."""


class ScrollPage(QScrollArea):
    """Scrolls a page's content when the window is small, and keeps it readable when it is wide.

    Args:
        content: What is scrolled.
        max_width_px: Widest the content becomes, in logical pixels; None for any width.
        is_never_sideways: Whether layouts must leave it as wide as its content needs.
    """

    resized = Signal()
    """There is more or less room for the content."""

    def __init__(self, content: QWidget, max_width_px: int | None = 1280, *, is_never_sideways: bool = False) -> None:
        super().__init__()
        # WORKAROUND(Qt 6.11.3, QAccessibleAbstractScrollArea::child): it does not check the index. A screen reader that
        # asks for a scroll bar which has just gone ends the program. With a role of its own it is a plain widget.
        set_role(self, Role.Pane)
        self._is_never_sideways = is_never_sideways
        self.content = content
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        page = QWidget()
        page.setProperty("variant", "page")
        if max_width_px is not None:
            content.setMaximumWidth(max_width_px)
        self._outer = QHBoxLayout(page)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self._outer.addWidget(content, _CONTENT_STRETCH)
        self._outer.addStretch(1)
        self.setWidget(page)

    def content_width_px(self) -> int:
        """Return how wide a content that is not limited becomes in the room that there is."""
        return self.viewport().width() * _CONTENT_STRETCH // (_CONTENT_STRETCH + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Report that the room has changed."""
        super().resizeEvent(event)
        self.resized.emit()

    def minimumSizeHint(self) -> QSize:
        """Return a size at which nothing scrolls sideways, where that is wanted."""
        hint = super().minimumSizeHint()
        content = self.widget()
        if self._is_never_sideways and content is not None:
            hint.setWidth(content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width())
        return hint

    def show_content(self, new: QWidget) -> None:
        """Show other content."""
        old, self.content = self.content, new
        new.setMaximumWidth(old.maximumWidth())
        self._outer.replaceWidget(old, new)
        old.hide()
        old.deleteLater()


def line() -> QFrame:
    """Return a thin horizontal line."""
    result = QFrame()
    result.setProperty("variant", "line")
    result.setFixedHeight(1)
    return result
