"""Export of plots by their menu: the files that are written."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from ui.common.theme import Theme
from ui.plots.export import export_menu
from ui.plots.framed import PlotFrame, framed
from ui.plots.throughput_cpu import ThroughputPlot

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def frame(qtbot: QtBot, theme: Theme) -> PlotFrame:
    """Return a plot with two curves."""
    plot = ThroughputPlot(theme)
    made = framed(plot)
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    plot.draw("ipsec", {"a_to_b": np.array([[1.0, 250.0]]), "b_to_a": np.array([[1.0, 321.6]])}, 3)
    return made


def _save(frame: PlotFrame, nth: int, path: Path) -> None:
    menu = export_menu(frame, frame._plots)
    menu.actions()[nth].trigger()
    dialog = frame.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    dialog.setParent(None)
    menu.deleteLater()


def test_a_png_has_twice_the_pixels_of_the_plot(frame: PlotFrame, tmp_path: Path) -> None:
    _save(frame, 0, tmp_path / "plot.png")
    image = QImage(str(tmp_path / "plot.png"))
    assert image.width() == pytest.approx(2 * frame._plots[0].getPlotItem().width(), abs=2)
    colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert len(colours) > 10


def test_an_svg_shows_the_same_picture_as_the_png(frame: PlotFrame, tmp_path: Path) -> None:
    _save(frame, 0, tmp_path / "plot.png")
    _save(frame, 1, tmp_path / "plot.svg")
    root = ET.fromstring((tmp_path / "plot.svg").read_bytes())  # noqa: S314 - written a moment ago
    assert root.find(f"{_SVG}title") is not None
    texts = {text.strip() for one in root.iter(f"{_SVG}text") for text in one.itertext()}
    assert {"1 s", "300"} <= texts, "text is text"
    assert not list(root.iter(f"{_SVG}image")), "symbols are no pictures"
    png = QImage(str(tmp_path / "plot.png"))
    drawn = QImage(png.size(), QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    renderer = QSvgRenderer(str(tmp_path / "plot.svg"))
    assert renderer.isValid()
    renderer.render(painter)
    painter.end()
    grey = [_grey(image) for image in (png, drawn)]
    assert np.abs(grey[0] - grey[1]).mean() < 4
    assert np.corrcoef(grey[0].ravel(), grey[1].ravel())[0, 1] > 0.6


def _grey(image: QImage) -> np.ndarray:
    """Return lightness in cells of 8 by 8 pixels: letters and lines may be half a pixel beside each other."""
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.array(grey.constBits()).reshape(grey.height(), grey.bytesPerLine())[:, : grey.width()].astype(float)
    high, wide = (size // 8 for size in rows.shape)
    cells: np.ndarray = rows[: 8 * high, : 8 * wide].reshape(high, 8, wide, 8).mean(axis=(1, 3))
    return cells


def test_a_csv_has_the_figures_that_are_shown(frame: PlotFrame, tmp_path: Path) -> None:
    _save(frame, 2, tmp_path / "plot.csv")
    rows = list(csv.reader((tmp_path / "plot.csv").read_text("utf-8").splitlines()))
    assert rows[0] == list(frame._plots[0].figures().headers)
    assert rows[1:] == [["A→B", "1 s", "250.0 Mbit/s"], ["B→A", "1 s", "321.6 Mbit/s"]]


def test_a_folder_that_is_missing_is_reported(frame: PlotFrame, tmp_path: Path) -> None:
    _save(frame, 2, tmp_path / "missing" / "plot.csv")
    box = frame.findChild(QMessageBox)
    assert box is not None
    assert str(tmp_path / "missing" / "plot.csv") in box.text()
    box.reject()


@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_the_button_opens_the_menu(frame: PlotFrame, qtbot: QtBot) -> None:
    assert frame.save.accessibleName() == "Export plot: Throughput, Mbit/s"
    frame.save.click()
    menu = frame.findChild(QMenu)
    assert menu is not None
    qtbot.waitUntil(menu.isVisible)
    assert len(menu.actions()) == 3
    menu.close()
    QApplication.processEvents()
