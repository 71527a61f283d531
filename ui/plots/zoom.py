"""Zoom and pan of a plot with the mouse, and the way back."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QObject, Signal

_SPANS_AROUND = 2.0
"""The view may leave what there is to see by so many times its width: farther out there is nothing to see."""
_LEAST_PART = 0.002
"""The smallest piece of an axis that can be shown, as a part of all of it."""
_X, _Y = 0, 1


class Zoom(QObject):
    """The view of a plot: all there is to see, or what a user has chosen with the mouse.

    What the plot asks for is remembered while a user has chosen, and shown again by `reset`.

    Args:
        view_box: The part of the plot that the axes surround.
    """

    changed = Signal(bool)
    """Carries whether a user has chosen what is seen."""

    def __init__(self, view_box: pg.ViewBox) -> None:
        super().__init__()
        self._view_box = view_box
        self._whole = [(0.0, 1.0), (0.0, 1.0)]
        self.is_zoomed = False
        view_box.setMouseEnabled(x=True, y=True)
        view_box.sigRangeChangedManually.connect(self._on_chosen)

    def show_x(self, low: float, high: float) -> None:
        """Show x from low to high, unless a user has chosen something else."""
        self._show(_X, low, high)

    def show_y(self, low: float, high: float) -> None:
        """Show y from low to high, unless a user has chosen something else."""
        self._show(_Y, low, high)

    def reset(self) -> None:
        """Show everything again."""
        self._set_zoomed(is_zoomed=False)
        for axis, (low, high) in enumerate(self._whole):
            self._show(axis, low, high)

    def _show(self, axis: int, low: float, high: float) -> None:
        self._whole[axis] = low, high
        if high > low:
            span = high - low
            around, least = _SPANS_AROUND * span, _LEAST_PART * span
            name = "xy"[axis]
            limits = {f"{name}Min": low - around, f"{name}Max": high + around, f"min{name.upper()}Range": least}
            self._view_box.setLimits(**limits)
        if not self.is_zoomed:
            (self._view_box.setYRange if axis else self._view_box.setXRange)(low, high, padding=0)

    def _on_chosen(self, _axes: object) -> None:
        self._set_zoomed(is_zoomed=True)

    def _set_zoomed(self, *, is_zoomed: bool) -> None:
        if is_zoomed != self.is_zoomed:
            self.is_zoomed = is_zoomed
            self.changed.emit(is_zoomed)
