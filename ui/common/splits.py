"""Two widgets with a border between them that can be moved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


def split(
    first: QWidget,
    second: QWidget,
    *,
    sizes_px: tuple[int, int] | tuple[()] = (),
    stretches: tuple[int, int] = (0, 0),
    handle_px: int = 0,
    is_vertical: bool = False,
) -> QSplitter:
    """Return two widgets side by side, or one under the other, with a border that can be moved; neither can be closed.

    Args:
        sizes_px: Their sizes at first; empty for those that they ask for.
        stretches: Shares of what room is left.
        handle_px: Width of the border; 0 for the style's.
    """
    result = QSplitter(Qt.Orientation.Vertical if is_vertical else Qt.Orientation.Horizontal)
    result.setChildrenCollapsible(False)
    if handle_px:
        result.setHandleWidth(handle_px)
    for nth, part in enumerate((first, second)):
        result.addWidget(part)
        result.setStretchFactor(nth, stretches[nth])
    if sizes_px:
        result.setSizes(list(sizes_px))
    return result
