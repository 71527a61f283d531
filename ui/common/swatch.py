"""A short piece of a candidate's line, as in the plots."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPen, QPixmap

from app.wording.colours import series_style

_WIDTH_PX, _HEIGHT_PX, _SCALE = 20, 16, 3


@lru_cache(maxsize=64)
def swatch_icon(solution: str, nth_suite: int = 0) -> QIcon:
    """Return a line in a candidate's colour and dashes."""
    style = series_style(solution, nth_suite)
    image = QImage(_WIDTH_PX * _SCALE, _WIDTH_PX * _SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(QColor(style.colour), 3.0 * _SCALE)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if style.dash:
        pen.setDashPattern([length * 0.6 for length in style.dash])
    painter.setPen(pen)
    middle = _WIDTH_PX * _SCALE / 2
    painter.drawLine(QPointF(_SCALE, middle), QPointF((_WIDTH_PX - 1) * _SCALE, middle))
    painter.end()
    pixmap = QPixmap.fromImage(image)
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # else Qt tints it, and it is no longer the colour of the curve
    return icon
