"""Export of plots by their menu: the files that are written."""

from __future__ import annotations

import csv
import math
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from app.deployment.monitor_log import MonitorSample
from app.ranking.pictures import ratio_rows
from app.ranking.rank import rank
from support.sample_records import sample_record
from ui.common.theme import Theme
from ui.plots.export import csv_of, export_menu
from ui.plots.framed import PlotFrame, framed
from ui.plots.intervals import IntervalPlot
from ui.plots.latency import LatencyPlot
from ui.plots.result_bars import CpuBarsPlot, ThroughputBarsPlot
from ui.plots.result_data import prepare
from ui.plots.result_plots import CdfPlot, FrontierPlot
from ui.plots.rtt_history import RttHistoryPlot
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


def test_a_csv_has_plain_numbers_with_their_units_in_the_headers(frame: PlotFrame, tmp_path: Path) -> None:
    _save(frame, 2, tmp_path / "plot.csv")
    rows = list(csv.reader((tmp_path / "plot.csv").read_text("utf-8").splitlines()))
    assert rows[0] == ["direction", "at_s", "throughput_mbit_s"]
    assert rows[1:] == [["a_to_b", "1", "250"], ["b_to_a", "1", "321.6"]]


def test_a_csv_has_all_status_checks_although_the_table_has_the_newest(qtbot: QtBot, theme: Theme) -> None:
    plot = RttHistoryPlot(theme)
    qtbot.addWidget(plot)
    start = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
    samples = [MonitorSample(start + timedelta(seconds=5 * nth), (None, 0.53), 0.0) for nth in range(450)]
    plot.draw("wireguard", samples)
    assert len(plot.figures().rows) == 200
    rows = list(csv.reader(csv_of([plot]).decode().splitlines()))
    assert rows[0] == ["at", "a_rtt_ms", "b_rtt_ms", "loss_pct"]
    assert len(rows) == 451
    assert rows[1] == ["2026-03-04T09:30:00+00:00", "", "0.53", "0"]


def test_the_csv_of_every_plot_of_results_holds_words_or_plain_numbers(
    qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = sample_record(rounds=3)
    data = prepare(record, rank(record))
    cdf, frontier, cpu = CdfPlot(theme), FrontierPlot(theme), CpuBarsPlot(theme)
    throughput, latency = ThroughputBarsPlot(theme), LatencyPlot(theme)
    ratios = IntervalPlot(theme, "Ratios", "times the fastest")
    for plot in (cdf, frontier, cpu, throughput, latency, ratios):
        qtbot.addWidget(plot)
    cdf.draw(data, 60)
    for plot in (frontier, cpu, throughput):
        plot.draw(data)
    latency.set_candidates(data.names)
    latency.draw(data.curves)
    ratios.draw(data.names, {(one.solution, one.suite): ratio for one, ratio in ratio_rows(data.ranking)}, {})
    words = {"candidate", "direction", "host", "is_dominated"}
    monkeypatch.setattr("app.wording.numbers.with_local_sign", lambda text: text.replace(".", ","))
    for plot in (cdf, frontier, cpu, throughput, latency, ratios):
        rows = list(csv.DictReader(csv_of([plot]).decode().splitlines()))
        assert rows, plot.name
        for name, cell in ((name, cell) for row in rows for name, cell in row.items()):
            assert name in words or not cell or math.isfinite(float(cell)), (plot.name, name, cell)
    assert len(csv_of([cdf]).splitlines()) > 1000, "the curve, not some shares"


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
