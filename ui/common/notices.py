"""Notices: a sentence, the next action with its button, and details folded away."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.domain.errors import Bug, InputFault, TunnelmarkError
from ui.common.accessible import Role, notify_shown, set_role
from ui.common.basics import button, icon_label, label, set_look
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID, fixed_font

_KINDS = {
    "info": ("callout", "info", "accent"),
    "done": ("callout", "check", "good"),
    "caution": ("caution", "warning", "legacy"),
    "error": ("error", "error", "bad"),
}


class Notice(QFrame):
    """A framed sentence; hidden while it has nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        set_role(self, Role.Notification)
        self._icon = icon_label("info", "accent", 24)
        # Screen readers read the plain labels of a notification.
        self._title = label("", "heading", is_selectable=True, role=Role.NoRole)
        self._title.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._hint = label("", is_selectable=True)
        self._hint.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(GRID)
        self._fold = DetailFold()
        text = QVBoxLayout()
        text.setSpacing(GRID // 2)
        for item in (self._title, self._hint):
            text.addWidget(item)
        text.addLayout(self._actions)
        text.addWidget(self._fold)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        outer.setSpacing(GRID + 4)
        outer.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(text, 1)
        self._close = button("", "close", look="tab", on_click=self.clear, tip=tr("Close"))
        self._close.setAccessibleName(tr("Close the notice"))
        outer.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.is_about_input = False
        self.setVisible(False)

    def say(
        self, kind: str, title: str, hint: str = "", actions: Mapping[str, Callable[[], object]] | None = None
    ) -> None:
        """Show a sentence.

        Args:
            kind: `info`, `done`, `caution` or `error`.
            title: What is the matter.
            hint: What to do next.
            actions: Buttons that do it, by their text.
        """
        look, icon, role = _KINDS[kind]
        self.is_about_input = False
        set_look(self, look)
        set_icon(self._icon, icon, role, 24)
        self._title.setText(title)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._close.setVisible(kind == "done" and not actions)  # closing it would take its buttons away
        self._set_actions(actions or {})
        self._fold.show_details({})
        self.setAccessibleName(title)
        self.setAccessibleDescription(hint)
        notify_shown(self)  # where it was shown already
        self.setVisible(True)

    def say_error(
        self, error: TunnelmarkError, actions: Mapping[str, Callable[[], object]] | None = None, where: str = ""
    ) -> None:
        """Show an error, where it happened, its hint and, folded away, its context."""
        self.say("error", error.message, f"{where} {error.hint}".strip(), actions)
        details = dict(error.context)
        if details or isinstance(error, Bug):
            details.setdefault("reason", error.reason)
            self._fold.show_details(details)

    def say_input(self, error: InputFault) -> None:
        """Show what is wrong with an input; a page clears it once the input is edited."""
        self.say_error(error)
        self.is_about_input = True

    def clear(self) -> None:
        """Show nothing."""
        self.is_about_input = False
        self.setVisible(False)

    @property
    def text(self) -> str:
        """Its text, for tests and screen readers; empty while hidden."""
        return "" if self.isHidden() else f"{self._title.text()} {self._hint.text()}".strip()

    def action(self, text: str) -> QPushButton:
        """Return one of its buttons."""
        return next(found for found in self.findChildren(QPushButton) if found.text() == text)

    def _set_actions(self, actions: Mapping[str, Callable[[], object]]) -> None:
        while (item := self._actions.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.setParent(None)
                widget.deleteLater()
        for text, on_click in actions.items():
            self._actions.addWidget(button(text, on_click=on_click))
        self._actions.addStretch(1)  # without it Qt keeps the sentences as narrow as their longest word


class DetailFold(QWidget):
    """Details that are folded away and can be copied."""

    def __init__(self) -> None:
        super().__init__()
        self._toggle = button(tr("Show details"), "chevron-right", look="tab", on_click=self._flip)
        self._copy = button(tr("Copy details"), "copy", look="tab", on_click=self._to_clipboard)
        self._view = QPlainTextEdit()
        self._view.setReadOnly(True)
        self._view.setTabChangesFocus(True)
        self._view.setFont(fixed_font())
        self._view.setAccessibleName(tr("Details"))
        self._view.setMinimumHeight(96)
        self._view.setMaximumHeight(200)
        buttons = QHBoxLayout()
        buttons.addWidget(self._toggle)
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(buttons)
        outer.addWidget(self._view)
        self.show_details({})

    def show_details(self, details: Mapping[str, str]) -> None:
        """Take details; without any, the fold is hidden."""
        self._view.setPlainText("\n".join(_lines(details)))
        self._view.setVisible(False)
        self._copy.setVisible(False)
        self._toggle.setText(tr("Show details"))
        set_icon(self._toggle, "chevron-right")
        self.setVisible(bool(details))

    def _flip(self) -> None:
        is_open = self._view.isHidden()
        self._view.setVisible(is_open)
        self._copy.setVisible(is_open)
        self._toggle.setText(tr("Hide details") if is_open else tr("Show details"))
        set_icon(self._toggle, "chevron-down" if is_open else "chevron-right")

    def _to_clipboard(self) -> None:
        QGuiApplication.clipboard().setText(self._view.toPlainText())


def _lines(details: Mapping[str, str]) -> list[str]:
    return [f"{name}:\n{value}" if "\n" in value else f"{name}: {value}" for name, value in details.items()]
