"""Figures of the point under the mouse."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

from app.domain.ranking import Estimate
from ui.common.sample_model import Floats
from ui.common.texts import tr
from ui.common.theme import Theme
from ui.plots.pens import plot_pen

_NEAR_PX = 24.0
"""A point is under the mouse within this distance."""
_RING_PX = 14
_AWAY_PX = 14


def _point_size() -> Floats:
    return np.zeros(1)


@dataclass(frozen=True, slots=True)
class HoverSeries:
    """Points of a plot that have a text.

    Attributes:
        x: Their places in the axes' units, shape (n,).
        y: The same, shape (n,); NaN where there is no point.
        text: Returns the figures of a point by its number, in lines.
        half_width: What belongs to a point on either side of x, shape (n,) or (1,); bars have a width.
        half_height: The same of y.
    """

    x: Floats
    y: Floats
    text: Callable[[int], str]
    half_width: Floats = field(default_factory=_point_size)
    half_height: Floats = field(default_factory=_point_size)


def interval_text(low: str, high: str) -> str:
    """Return the bounds of an interval as they are shown under the mouse."""
    return tr("%1 to %2", low, high)


def estimate_text(estimate: Estimate, words: Callable[[float], str]) -> str:
    """Return a mean, with its interval where there is one."""
    if estimate.ci is None:
        return words(estimate.mean)
    ends = interval_text(words(estimate.ci[0]), words(estimate.ci[1]))
    return f"{words(estimate.mean)} ({tr('95 % interval: %1', ends)})"


class HoverPlot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no annotations
    """Plot whose points have figures under the mouse.

    Attributes:
        view_box: Its axes' ranges.
    """

    view_box: pg.ViewBox

    def small_font(self) -> QFont:
        """Return the font of numbers and notes in the plot."""
        raise NotImplementedError

    def hover_series(self) -> Sequence[HoverSeries]:
        """Return the points whose figures are shown under the mouse."""
        return ()


class Hover:
    """A ring around the point under the mouse, and a label with its figures.

    Args:
        plot: Its `hover_series` are searched.
    """

    def __init__(self, plot: HoverPlot) -> None:
        # Without a reference to it, a plot is gone with the last one that others hold, not some time later.
        self._plot = cast("HoverPlot", weakref.proxy(plot))
        self._at: QPointF | None = None
        self.tip = QLabel(plot)
        self.tip.setTextFormat(Qt.TextFormat.PlainText)
        self.tip.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.tip.hide()
        self._ring = pg.ScatterPlotItem(size=_RING_PX, brush=None)
        self._ring.setZValue(150)
        self._ring.hide()
        plot.view_box.addItem(self._ring, ignoreBounds=True)  # the plot itself may clear its items
        plot.scene().sigMouseMoved.connect(self._on_move)

    def restyle(self, theme: Theme) -> None:
        """Take the scheme's colours."""
        colours = theme.colours
        self.tip.setFont(self._plot.small_font())
        self.tip.setStyleSheet(
            f"color: {colours.text}; background: {colours.raised}; border: 1px solid {colours.border}; padding: 4px;"
        )
        self._ring.setPen(plot_pen(colours.text, 1.5))

    def leave(self) -> None:
        """The mouse has left the plot."""
        self._at = None
        self._hide()

    def refresh(self) -> None:
        """Show what is under the mouse now that the plot has other figures or another view."""
        if self._at is not None:
            self._show(self._at)

    def _on_move(self, at: QPointF) -> None:
        self._at = at
        self._show(at)

    def _show(self, at: QPointF) -> None:
        box = self._plot.view_box
        if not box.sceneBoundingRect().contains(at):
            self._hide()
            return
        place = box.mapSceneToView(at)
        pixel_x, pixel_y = (abs(size) for size in box.viewPixelSize())
        found = nearest(self._plot.hover_series(), (place.x(), place.y()), (pixel_x, pixel_y), box.viewRange())
        if found is None:
            self._hide()
            return
        series, nth = found
        self._ring.setData([float(series.x[nth])], [float(series.y[nth])])
        self._ring.show()
        self._place_tip(series.text(nth), self._plot.mapFromScene(at))

    def _place_tip(self, text: str, at: QPointF) -> None:
        self.tip.setText(text)
        self.tip.adjustSize()
        room, size = self._plot.rect(), self.tip.size()
        x, y = round(at.x()) + _AWAY_PX, round(at.y()) + _AWAY_PX
        if x + size.width() > room.width():
            x = round(at.x()) - _AWAY_PX - size.width()
        if y + size.height() > room.height():
            y = round(at.y()) - _AWAY_PX - size.height()
        most_x, most_y = room.width() - size.width(), room.height() - size.height()
        self.tip.move(max(0, min(x, most_x)), max(0, min(y, most_y)))
        self.tip.show()

    def _hide(self) -> None:
        self.tip.hide()
        self._ring.hide()


def nearest(
    series: Sequence[HoverSeries],
    place: tuple[float, float],
    pixel: tuple[float, float],
    view: Sequence[Sequence[float]],
) -> tuple[HoverSeries, int] | None:
    """Return the point nearest to a place on the screen.

    Args:
        series: Points to search; of two that are equally near the earlier one is taken.
        place: In the axes' units.
        pixel: Width and height of a pixel in these units.
        view: What is seen of both axes, low and high each.

    Returns:
        The series and the number of the point in it; None where no point that is seen is near.
    """
    best: tuple[float, HoverSeries, int] | None = None
    for one in series:
        if not one.x.size:
            continue
        wide, high = one.half_width, one.half_height
        beside = np.maximum(0.0, np.abs(one.x - place[0]) - wide) / pixel[0]
        above = np.maximum(0.0, np.abs(one.y - place[1]) - high) / pixel[1]
        is_seen = (one.x + wide >= view[0][0]) & (one.x - wide <= view[0][1])
        is_seen &= (one.y + high >= view[1][0]) & (one.y - high <= view[1][1])
        distance = np.where(is_seen & np.isfinite(one.y), np.hypot(beside, above), np.inf)
        nth = int(np.argmin(distance))
        if distance[nth] <= _NEAR_PX and (best is None or distance[nth] < best[0]):
            best = float(distance[nth]), one, nth
    return None if best is None else best[1:]
