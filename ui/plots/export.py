"""Export of plots as PNG and SVG, and of their figures as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pyqtgraph.exporters import ImageExporter
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from app.domain.atomic import replace_file
from app.domain.plain_text import formula_safe
from app.wording.language import source_language
from app.wording.titles import stored_title
from ui.common.file_dialogs import ask_save
from ui.common.texts import tr
from ui.plots.base import ScopePlot
from ui.plots.export_rows import plain
from ui.plots.svg_export import svg_of

_PNG_SCALE = 2
"""Pixels of a PNG per logical pixel of the window, so that it is sharp in a document."""


def png_of(plot: ScopePlot) -> bytes:
    """Return a plot as it is shown, with two pixels per logical pixel."""
    exporter = ImageExporter(plot.getPlotItem())
    exporter.parameters()["width"] = round(_PNG_SCALE * plot.getPlotItem().width())
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    exporter.export(toBytes=True).save(buffer, "PNG")
    return bytes(buffer.data().data())


def csv_of(plots: Sequence[ScopePlot]) -> bytes:
    """Return the figures of plots with the same columns, headers first, in UTF-8; English in every language."""
    text = io.StringIO()
    writer = csv.writer(text)
    with source_language():
        made = [plot.export_rows() for plot in plots]
    writer.writerow(made[0].headers)
    for row in (row for one in made for row in one.rows):
        writer.writerow(formula_safe(stored_title(cell)) if isinstance(cell, str) else plain(cell) for cell in row)
    return text.getvalue().encode()


def export_menu(parent: QWidget, plots: Sequence[ScopePlot]) -> QMenu:
    """Return a menu that saves plots as PNG or SVG, and their figures as CSV.

    Args:
        parent: Owns the menu and the dialogs.
        plots: All with the same columns.
    """
    menu = QMenu(parent)
    for plot in plots:
        after = f": {plot.name}" if len(plots) > 1 else ""
        menu.addAction(tr("Save as PNG") + after + " …", partial(_ask, parent, "png", partial(png_of, plot)))
        menu.addAction(tr("Save as SVG") + after + " …", partial(_ask, parent, "svg", partial(svg_of, plot)))
    menu.addAction(tr("Save figures as CSV") + " …", partial(_ask, parent, "csv", partial(csv_of, tuple(plots))))
    return menu


def _ask(parent: QWidget, kind: str, render: partial[bytes]) -> None:
    content = render()  # what is shown now, not when the dialog closes
    filters = {kind: f"{kind.upper()} (*.{kind})"}
    ask_save(parent, tr("Save the plot"), filters, lambda path: _write(parent, path, content), name="plot")


def _write(parent: QWidget, path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        why = error.strerror or str(error)
        box = QMessageBox(QMessageBox.Icon.Warning, tr("Save the plot"), "", parent=parent)
        box.setText(tr("The file %1 was not written: %2. Choose another folder.", path, why))
        box.finished.connect(box.deleteLater)
        box.open()
