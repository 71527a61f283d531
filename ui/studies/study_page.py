"""A view of a study: widgets one under the other, scrolled."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ui.common.basics import WIDE_PX, ScrollPage, column
from ui.common.theme import GRID


def study_page(*widgets: QWidget) -> ScrollPage:
    """Return a page with some widgets."""
    content = QWidget()
    content.setProperty("variant", "page")
    content.setLayout(column(*widgets, 0, margin_px=GRID))
    return ScrollPage(content, WIDE_PX)
