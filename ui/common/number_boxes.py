"""Fields for numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QLineEdit, QSpinBox

_INSET_PX = 6
"""The padding of other fields."""


def inset_text(box: QAbstractSpinBox) -> None:
    """Move a number box's text away from its border."""
    # WORKAROUND(Qt 6.11.3, QStyleSheetStyle): where the style sheet gives the arrows a width, the text begins at the
    # border, whatever the padding; and rules for the line edit inside do not count.
    line_edit = box.findChild(QLineEdit)
    if line_edit is not None:
        line_edit.setTextMargins(_INSET_PX, 0, 0, 0)


def whole_box(name: str, least: int, most: int, value: int, *, suffix: str = "", step: int = 1) -> QSpinBox:
    """Return a field for a whole number.

    Args:
        name: For screen readers; empty where a label names it.
        suffix: Unit behind the number.
        step: Change by an arrow.
    """
    box = QSpinBox()
    inset_text(box)
    box.setAccessibleName(name)
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.setSingleStep(step)
    box.setValue(value)
    return box


def decimal_box(name: str, least: float, most: float, value: float, suffix: str) -> QDoubleSpinBox:
    """Return a field for a number with one decimal; arguments as those of `whole_box`."""
    box = QDoubleSpinBox()
    inset_text(box)
    box.setAccessibleName(name)
    box.setDecimals(1)
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
