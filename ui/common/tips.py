"""Tool tips as plain text, and the reasons why controls are disabled."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QListWidgetItem, QTableWidgetItem, QWidget

from ui.common.texts import plain_tip

REASON = "reason"
"""Property of a disabled control: why it is disabled."""
_USUAL = "usual_tip"


def set_tip(target: QWidget | QTableWidgetItem | QListWidgetItem, text: str) -> None:
    """Give a widget or cell a tool tip that shows a text verbatim, behind a reason for being disabled."""
    if isinstance(target, QWidget):
        target.setProperty(_USUAL, text)
        text = str(target.property(REASON) or "") or text
    target.setToolTip(plain_tip(text))


def shown_keys(keys: str | QKeySequence) -> str:
    """Return keys as the keyboard of the user has them: `Strg+F` for `Ctrl+F` in German."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def enable(control: QWidget, *, is_on: bool, reason: str) -> None:
    """Enable a control, or disable it and say why in its tool tip, which screen readers read as well.

    Args:
        control: A button, box or field.
        is_on: Whether it can be used.
        reason: Why it cannot be, as a sentence.
    """
    usual = control.property(_USUAL)
    control.setProperty(REASON, "" if is_on else reason)
    control.setEnabled(is_on)
    set_tip(control, control.toolTip() if usual is None else str(usual))
