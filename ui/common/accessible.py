"""Roles and announcements for screen readers, where Qt's widgets have another role or none."""

from __future__ import annotations

from functools import cache
from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QLabel, QWidget

Role = QAccessible.Role

_ROLE = "accessible_role"
_PRESS, _FOCUS = "Press", "SetFocus"
"""Names of actions. Source: Qt's documentation, QAccessibleActionInterface."""


def set_role(widget: QWidget, role: Role) -> None:
    """Give a widget the role that screen readers are to name.

    Where a screen reader runs, the first text or name of a widget makes its accessible interface, with the role that
    it has then: set the role first.

    Args:
        widget: A label, a button that will be checkable, or a frame.
        role: `NoRole` leaves it that of its class.
    """
    _install()
    if role is Role.NoRole:
        return
    if isinstance(widget, QAbstractButton):
        widget.toggled.connect(lambda is_on: _report_selected(widget, is_on=is_on))
    widget.setProperty(_ROLE, role.value)


def announce(widget: QWidget, text: str) -> None:
    """Make a screen reader announce a sentence that is not at the focus.

    Args:
        widget: Widget that it belongs to.
        text: The sentence; empty announces nothing.
    """
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(event)


def notify_shown(widget: QWidget) -> None:
    """Report a notification as shown once more: its text is new, and screen readers are to read it.

    Screen readers on Linux read notifications when they appear; Orca before version 45 knows no announcements.
    """
    if QAccessible.isActive() and widget.isVisible():
        QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.ObjectShow))


class _Leaf(QAccessibleWidget):
    """A widget without parts."""

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: ARG002
        return None


class _Entry(_Leaf):
    """A button that chooses one of several pages: a page tab or a list item."""

    def _button(self) -> QAbstractButton:
        return cast("QAbstractButton", self.widget())

    def state(self) -> QAccessible.State:
        state = super().state()
        state.selectable = True
        state.selected = self._button().isChecked()
        return state

    def actionNames(self) -> list[str]:
        return [_PRESS, _FOCUS] if self._button().isEnabled() else []

    def doAction(self, actionName: str) -> None:  # noqa: N803 - Qt's name
        if actionName == _PRESS:
            self._button().click()
        elif actionName == _FOCUS:
            self._button().setFocus()

    def keyBindingsForAction(self, actionName: str) -> list[str]:  # noqa: N803 - the same
        keys = self._button().shortcut().toString()
        return [keys] if actionName == _PRESS and keys else []


class _Text(_Leaf):
    """A label, for example a heading."""

    def text(self, t: QAccessible.Text) -> str:
        label = self.widget()
        if t is QAccessible.Text.Name and isinstance(label, QLabel) and not label.accessibleName():
            return label.text()
        return super().text(t)


@cache
def _install() -> None:
    QAccessible.installFactory(_interface)


def _interface(_class_name: str, of: QObject) -> QAccessibleInterface | None:
    value = of.property(_ROLE)
    if not value or not isinstance(of, QWidget):
        return None
    role = Role(value)
    if isinstance(of, QAbstractButton):
        return _Entry(of, role)
    if isinstance(of, QLabel):
        return _Text(of, role)
    return _Leaf(of, role) if role is Role.Chart else QAccessibleWidget(of, role)


def _report_selected(button: QAbstractButton, *, is_on: bool) -> None:
    if QAccessible.isActive():
        kind = QAccessible.Event.Selection if is_on else QAccessible.Event.SelectionRemove
        QAccessible.updateAccessibility(QAccessibleEvent(button, kind))
