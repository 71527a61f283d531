"""Texts that a widget shows."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from ui.common.basics import ScrollPage


def shown_text(part: QWidget) -> str:
    """Return the texts of what is or has a page that scrolls, from top to bottom, a line each."""
    scroll = part if isinstance(part, ScrollPage) else part.findChild(ScrollPage)
    assert scroll is not None
    return "".join(f"{one.text()}\n" for one in scroll.content.findChildren(QLabel) if one.text())
