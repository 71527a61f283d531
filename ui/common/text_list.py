"""Lists of texts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget

from ui.common.copying import enable_copying
from ui.common.data_table import LineDelegate


def text_list(name: str, *, is_wrapping: bool) -> QListWidget:
    """Return a list whose lines can be copied; it does not scroll sideways.

    Args:
        name: For screen readers.
        is_wrapping: Whether lines are broken; else they are to be chosen from, and the current one has a frame.
    """
    result = QListWidget()
    enable_copying(result)
    result.setAccessibleName(name)
    result.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if is_wrapping:
        result.setWordWrap(True)
    else:
        result.setItemDelegate(LineDelegate(result))
    return result
