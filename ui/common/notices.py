"""Notices: a sentence, the next action with its button, and details folded away."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.domain.errors import Bug, InputFault, TunnelmarkError
from app.wording.messages import local_hint, local_text
from ui.common.accessible import Role, notify_shown, set_role
from ui.common.basics import button, column, icon_label, label, row, set_variant, show_text
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID, fixed_font

_KINDS = {
    "info": ("callout", "info", "accent"),
    "done": ("callout", "check", "good"),
    "caution": ("caution", "warning", "legacy"),
    "error": ("error", "error", "bad"),
}


Actions = Mapping[str, Callable[[], object]]
"""Texts of buttons, and the actions behind them."""


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
        self._fold: DetailFold | None = None
        text = self._text = column(self._title, self._hint, self._actions, spacing_px=GRID // 2)
        outer = row(margin_px=(2 * GRID, GRID + 4, 2 * GRID, GRID + 4), spacing_px=GRID + 4)
        self.setLayout(outer)
        outer.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(text, 1)
        self._close = button("", "close", variant="tab", on_click=self.clear, tip=tr("Close"))
        self._close.setAccessibleName(tr("Close the notice"))
        outer.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.is_about_input = False
        self.setVisible(False)

    def show_message(
        self, kind: str, title: str, hint: str = "", actions: Actions | None = None, *, is_closable: bool = False
    ) -> None:
        """Show a sentence.

        Args:
            kind: `info`, `done`, `caution` or `error`.
            title: What is the matter.
            hint: What to do next.
            actions: Buttons that do it.
            is_closable: Whether it can be closed though that takes its buttons away; what is done can be without any.
        """
        variant, icon, role = _KINDS[kind]
        self.is_about_input = False
        set_variant(self, variant)
        set_icon(self._icon, icon, role, 24)
        self._title.setText(title)
        show_text(self._hint, hint)
        self._close.setVisible(is_closable or (kind == "done" and not actions))
        self._set_actions(actions or {})
        self._show_details({})
        self.setAccessibleName(title)
        self.setAccessibleDescription(hint)
        notify_shown(self)  # where it was shown already
        self.setVisible(True)

    def show_error(self, error: TunnelmarkError, actions: Actions | None = None, where: str = "") -> None:
        """Show an error, where it happened, its hint and, folded away, its context."""
        self.show_message("error", local_text(error.message), f"{where} {local_hint(error)}".strip(), actions)
        details = dict(error.context)
        if details or isinstance(error, Bug):
            details.setdefault("reason", error.reason)
            self._show_details(details)

    def _show_details(self, details: Mapping[str, str]) -> None:
        if self._fold is None:
            if not details:
                return  # a fold takes as long to make as a tenth of the first window, and few notices need one
            self._fold = DetailFold()
            self._text.addWidget(self._fold)
        self._fold.show_details(details)

    def show_input_error(self, error: InputFault) -> None:
        """Show what is wrong with an input; a page clears it once the input is edited."""
        self.show_error(error)
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

    def _set_actions(self, actions: Actions) -> None:
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
        self._toggle = button(tr("Show details"), "chevron-right", variant="tab", on_click=self._flip)
        self._copy = button(tr("Copy details"), "copy", variant="tab", on_click=self._to_clipboard)
        self._view = QPlainTextEdit()
        self._view.setReadOnly(True)
        self._view.setTabChangesFocus(True)
        self._view.setFont(fixed_font())
        self._view.setAccessibleName(tr("Details"))
        self._view.setMinimumHeight(96)
        self._view.setMaximumHeight(200)
        self.setLayout(column(row(self._toggle, self._copy, 0), self._view))
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
    texts = {name: local_text(value) for name, value in details.items()}
    return [f"{name}:\n{text}" if "\n" in text else f"{name}: {text}" for name, text in texts.items()]
