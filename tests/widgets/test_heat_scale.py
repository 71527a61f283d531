"""The legend of heat maps, which is that of the report."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import SATCOM, cells_of
from app.reports.heat_map_view import percent_text
from app.reports.study_report import study_to_html
from app.storage.study_results import StudyResults
from app.wording.colours import HEAT_SCALE_PCT
from ui.common.heat_map import HeatScale
from ui.common.theme import Theme

_STEP = re.compile(r"rgba\((\d+), (\d+), (\d+), ([\d.]+)\)\">([^<]+)</span>")


def test_window_and_report_have_the_same_legend(qtbot: QtBot, theme: Theme) -> None:
    page = study_to_html(StudyResults(SATCOM, "lab:x", "1.0", TRANSFER_BYTES), cells_of("quick"))
    legend = re.search(r'class="heat-scale">(.*?)</p>', page, re.DOTALL)
    assert legend is not None
    steps = _STEP.findall(legend[1])
    assert [text for *_, text in steps] == [percent_text(value) for value in HEAT_SCALE_PCT]
    scale = HeatScale(theme)
    qtbot.addWidget(scale)
    image, step_px = scale.grab().toImage(), scale.width() / len(steps)
    base = QColor(theme.colours.base)
    for nth, (*parts, share, text) in enumerate(steps):
        seen = image.pixelColor(round(nth * step_px) + 2, 2)
        over, under = (int(part) for part in parts), (base.red(), base.green(), base.blue())
        for there, one, other in zip((seen.red(), seen.green(), seen.blue()), over, under, strict=True):
            assert abs(there - (one * float(share) + other * (1 - float(share)))) <= 2, text
