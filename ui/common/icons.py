"""Bundled SVG icons, drawn in the colour of the text beside them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

import resources
from ui.common.colours import DARK, LIGHT, Colours

ICONS_DIR = Path(resources.__file__).parent / "icons"
"""Folder of the icons; importlib.resources would double the time it takes to import this module."""

_GAP = 0.375
"""Empty room to the right of a button's icon, in parts of its size: Fusion puts the text closer than is pleasant."""
_NAME = "icon_name"
_ROLE = "icon_role"
_SIZE = "icon_size"


def set_icon(widget: QAbstractButton | QLabel, name: str, role: str = "text", size_px: int = 16) -> None:
    """Give a button or label an icon that follows the colour scheme.

    Args:
        widget: Gets the icon.
        name: File name in resources/icons without its ending.
        role: Name of a colour in `Colours`.
        size_px: Edge length in logical pixels.
    """
    widget.setProperty(_NAME, name)
    widget.setProperty(_ROLE, role)
    widget.setProperty(_SIZE, size_px)
    # A style sheet may give a widget a transparent ground, whose colour says nothing of the scheme.
    is_dark = QApplication.palette().window().color().lightnessF() < 0.5
    _draw(widget, DARK if is_dark else LIGHT)


def refresh_icons(root: QWidget, colours: Colours) -> None:
    """Draw the icons of a widget and of all below it in the colours given."""
    for widget in (root, *root.findChildren(QWidget)):
        if isinstance(widget, QAbstractButton | QLabel) and widget.property(_NAME):
            _draw(widget, colours)


def _draw(widget: QAbstractButton | QLabel, colours: Colours) -> None:
    size_px = int(widget.property(_SIZE))
    name, colour = str(widget.property(_NAME)), getattr(colours, str(widget.property(_ROLE)))
    if isinstance(widget, QLabel):
        widget.setPixmap(
            make_icon(name, colour, 0.0, size_px).pixmap(QSize(size_px, size_px), widget.devicePixelRatio())
        )
        return
    gap = _GAP if widget.text() else 0.0
    icon = make_icon(name, colour, gap, size_px)
    muted = make_icon(name, colours.muted, gap, size_px)
    icon = QIcon(icon)
    for size in muted.availableSizes():
        icon.addPixmap(muted.pixmap(size), QIcon.Mode.Disabled)
    widget.setIcon(icon)
    widget.setIconSize(QSize(round(size_px * (1 + gap)), size_px))


def _scales() -> tuple[int, ...]:
    """Return what icons are drawn for: ordinary screens, and finely pixelled ones where there is one."""
    is_fine = max(screen.devicePixelRatio() for screen in QApplication.screens()) > 1
    return (1, 2) if is_fine else (1,)


@lru_cache(maxsize=256)
def make_icon(name: str, colour: str, gap: float = 0.0, size_px: int = 16) -> QIcon:
    """Return an icon in one colour, sharp at every size.

    Args:
        name: File name in resources/icons without its ending.
        colour: `#rrggbb`, put where the file says `currentColor`.
        gap: Empty room to the right, in parts of the size.
        size_px: Edge length in logical pixels.

    Returns:
        The icon; the same object for the same arguments.
    """
    icon = QIcon()
    for scale in _scales():
        pixmap = QPixmap.fromImage(_tinted(_shape(name, scale * size_px, gap), colour))
        icon.addPixmap(pixmap)
        icon.addPixmap(pixmap, QIcon.Mode.Selected)  # else Qt tints it towards the colour of the selection
    return icon


@lru_cache(maxsize=256)
def _shape(name: str, edge_px: int, gap: float) -> QImage:
    """Return an icon in black; drawing it takes much longer than giving it another colour."""
    svg = (ICONS_DIR / f"{name}.svg").read_bytes().replace(b"currentColor", b"#000000")
    renderer = QSvgRenderer(QByteArray(svg))
    image = QImage(round(edge_px * (1 + gap)), edge_px, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, edge_px, edge_px))
    painter.end()
    return image


def _tinted(shape: QImage, colour: str) -> QImage:
    image = QImage(shape)
    painter = QPainter(image)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(image.rect(), QColor(colour))
    painter.end()
    return image
