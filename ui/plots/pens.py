"""Pens, brushes and symbols of curves, and round ends of axes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainterPath, QPen, QPolygonF, QTransform

from app.wording.colours import Marker, series_style

_LINE_WIDTH_PX = 2.0
_BAND_ALPHA = 46


def plot_pen(colour: str, width_px: float = _LINE_WIDTH_PX) -> QPen:
    """Return a pen that is as wide in logical pixels on every screen."""
    # The widths of cosmetic pens, as pyqtgraph makes them, count the screen's own pixels.
    pen: QPen = pg.mkPen(colour, width=width_px * QGuiApplication.instance().devicePixelRatio())  # type: ignore[union-attr]
    return pen


def solution_pen(solution: str, nth_suite: int = 0, width_px: float = _LINE_WIDTH_PX) -> QPen:
    """Return the pen of a candidate's curves."""
    style = series_style(solution, nth_suite)
    pen = plot_pen(style.colour, width_px)
    if style.dash:
        pen.setDashPattern([float(part) for part in style.dash])
    return pen


def _shape(*corners: tuple[float, float], turned_deg: float = 0.0) -> QPainterPath:
    """Return a filled shape around the origin, turned clockwise on the screen."""
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(*at) for at in corners]))
    path.closeSubpath()
    return QTransform().rotate(turned_deg).map(path)


def _crosshair() -> QPainterPath:
    """Return a disc with a cross cut out. pyqtgraph's own one is its disc where there is no outline."""
    disc, gap = QPainterPath(), QPainterPath()
    disc.addEllipse(QPointF(0.0, 0.0), 0.5, 0.5)
    for wide, high in ((1.0, _GAP), (_GAP, 1.0)):
        gap.addRect(-wide / 2, -high / 2, wide, high)
    gap.setFillRule(Qt.FillRule.WindingFill)
    return disc.subtracted(gap)


_GAP = 0.2
_BOW_TIE = ((-0.5, -0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, 0.5))
_CHEVRON = ((-0.5, -0.5), (0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.5), (0.0, 0.0))
"""It points to the right. pyqtgraph's own arrows are hardly there without an outline."""

_SYMBOLS: Mapping[Marker, str | QPainterPath] = {
    Marker.CIRCLE: "o",
    Marker.SQUARE: "s",
    Marker.TRIANGLE: "t1",
    Marker.TRIANGLE_DOWN: "t",
    Marker.TRIANGLE_LEFT: "t3",
    Marker.TRIANGLE_RIGHT: "t2",
    Marker.DIAMOND: "d",
    Marker.PENTAGON: "p",
    Marker.HEXAGON: "h",
    Marker.STAR: "star",
    Marker.PLUS: "+",
    Marker.CROSS: "x",
    Marker.NARROW: "|",
    Marker.BAR: "_",
    Marker.ARROW: _shape(*_CHEVRON, turned_deg=-90.0),
    Marker.CROSSHAIR: _crosshair(),
    Marker.ARROW_DOWN: _shape(*_CHEVRON, turned_deg=90.0),
    Marker.ARROW_RIGHT: _shape(*_CHEVRON),
    Marker.ARROW_LEFT: _shape(*_CHEVRON, turned_deg=180.0),
    Marker.BOW_TIE: _shape(*_BOW_TIE),
}
"""Names of pyqtgraph, or shapes one unit wide around the origin."""


def symbol_of(marker: Marker) -> str | QPainterPath:
    """Return the shape of a marker, as pyqtgraph calls it."""
    return _SYMBOLS[marker]


def solution_symbol(solution: str) -> str | QPainterPath:
    """Return the shape of a solution's points, as pyqtgraph calls it."""
    return symbol_of(series_style(solution).marker)


def solution_brush(solution: str) -> QColor:
    """Return the fill of a candidate's band."""
    colour = QColor(series_style(solution).colour)
    colour.setAlpha(_BAND_ALPHA)
    return colour


def nice_top(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten, so that an axis does not twitch."""
    if not math.isfinite(value) or value <= 0:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(value))
    return float(next(step * decade for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * decade >= value * 0.999))


def log_floor(value: float) -> float:
    """Return a logarithm a little below that of a value, in steps of a fifth of a decade, so that an axis rests."""
    return math.floor((math.log10(value) - 0.02) * 5) / 5


def log_ceiling(value: float) -> float:
    """Return a logarithm a little above that of a value, in the same steps."""
    return math.ceil((math.log10(value) + 0.02) * 5) / 5
