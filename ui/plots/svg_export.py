"""Export of a plot as SVG: lines and text that can be enlarged and edited."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

import pyqtgraph as pg
from pyqtgraph.exporters import ImageExporter
from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem

from ui.plots.base import ScopePlot

_SVG = "http://www.w3.org/2000/svg"
_CLIP = "view"


def svg_of(plot: ScopePlot) -> bytes:
    """Return a plot as it is shown.

    The axes and what they surround are drawn in two passes: QSvgGenerator cannot end the clipping of a part, and
    without clipping a zoomed curve leaves the plot. pyqtgraph's own exporter fails on paths with curves, such as round
    symbols.
    """
    item, box = plot.getPlotItem(), plot.view_box
    area = item.mapRectToScene(item.boundingRect())
    axes = [item.getAxis(side) for side in ("left", "bottom", "top", "right")]
    root = _drawn(plot, area, [box.childGroup], has_ground=True)
    inside = _drawn(plot, area, axes, has_ground=False)
    view = box.sceneBoundingRect().translated(-area.topLeft())
    clip = ET.SubElement(ET.SubElement(root, f"{{{_SVG}}}defs"), f"{{{_SVG}}}clipPath", id=_CLIP)
    place = {"x": view.x(), "y": view.y(), "width": view.width(), "height": view.height()}
    ET.SubElement(clip, f"{{{_SVG}}}rect", {name: f"{value:g}" for name, value in place.items()})
    group = ET.SubElement(root, f"{{{_SVG}}}g", {"clip-path": f"url(#{_CLIP})"})
    group.extend(inside.findall(f"{{{_SVG}}}g"))
    root.attrib.pop("baseProfile", None)
    root.set("version", "1.1")
    ET.register_namespace("", _SVG)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _drawn(plot: ScopePlot, area: QRectF, left_out: Sequence[QGraphicsItem], *, has_ground: bool) -> ET.Element:
    """Return an SVG of a plot without some of its parts."""
    page = QRectF(0, 0, round(area.width()), round(area.height()))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(page.size().toSize())
    generator.setViewBox(page)
    generator.setResolution(plot.logicalDpiX())
    generator.setTitle(plot.name)
    exporter = ImageExporter(plot.getPlotItem())
    painter = QPainter(generator)
    try:
        for item in left_out:
            item.setOpacity(0)
        exporter.setExportMode(export=True, opts={"painter": painter, "antialias": True})
        if has_ground:
            painter.fillRect(page, pg.mkBrush(plot.backgroundBrush()))
        plot.scene().render(painter, page, area)
    finally:
        painter.end()
        exporter.setExportMode(export=False)
        for item in left_out:
            item.setOpacity(1)
    root = ET.fromstring(bytes(buffer.data().data()))  # noqa: S314 - written by Qt a moment ago
    for parent in list(root.iter()):
        for child in [one for one in parent if one.get("d") == ""]:
            parent.remove(child)  # readers complain of paths without a point
    return root
