"""Height of the tabs below the ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot
from sample_records import BASELINE, WIREGUARD, Model, sample_record

from app.ranking import rank
from ui.common.theme import Theme
from ui.plots.base import ScopePlot
from ui.plots.result_data import prepare
from ui.results.result_tabs import ResultTabs

_ROW_PLOTS = ("ratios", "throughput", "cpu")


@pytest.mark.parametrize("candidates", [3, 12])
def test_each_candidate_has_a_line_of_its_own_in_plots_with_rows(qtbot: QtBot, theme: Theme, candidates: int) -> None:
    several = [replace(WIREGUARD, suite=f"s{n}", title=f"WireGuard with a long name, {n}") for n in range(candidates)]
    models = (Model(BASELINE, 0.4, 0.1, 400.0, 30.0, 0), *(Model(one, 1.0, 0.3, 40.0, 70.0, 100) for one in several))
    record = sample_record(models=models, pings=50)
    tabs = ResultTabs(theme)
    qtbot.addWidget(tabs)
    tabs.show_data(prepare(record, rank(record)))
    tabs.resize(900, tabs.minimumSizeHint().height())
    with qtbot.waitExposed(tabs):
        tabs.show()
    for nth in range(tabs.count()):
        tabs.setCurrentIndex(nth)
        qtbot.wait(20)
    for name in _ROW_PLOTS:
        plot: ScopePlot = getattr(tabs, name)
        axis = plot.getPlotItem().getAxis("left")
        (ticks,) = axis._tickLevels
        row_px = plot.view_box.height() / len(ticks)
        lines = max(len(title.splitlines()) for _, title in ticks)
        assert row_px >= 0.9 * lines * QFontMetrics(plot.small_font()).height(), name
