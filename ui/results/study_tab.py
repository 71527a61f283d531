"""Tab of a comparison that repeats a published study."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ranking.repeated_study import RepeatedStudy
from app.ranking.study_maps import comparison_maps
from ui.common.basics import WIDE_PX, ScrollPage, label
from ui.common.heat_maps import HeatMapsView
from ui.common.study_views import StudyFigures, StudyOrders, StudyRanks
from ui.common.texts import tr
from ui.common.theme import GRID, Theme


class StudyTab(ScrollPage):
    """Own figures beside the published ones, how the orders agree, heat maps, mean ranks, what differs.

    Args:
        theme: Colours.
        repeated: The study with own figures.
    """

    def __init__(self, theme: Theme, repeated: RepeatedStudy) -> None:
        content = QWidget()
        content.setProperty("variant", "page")
        super().__init__(content, WIDE_PX)
        self.figures, self.orders, self.ranks = StudyFigures(), StudyOrders(), StudyRanks()
        self.figures.show_study(repeated)
        self.orders.show_study(repeated)
        has_ranks = self.ranks.show_study(repeated)
        self.maps = HeatMapsView(theme, lambda: min(WIDE_PX, self.content_width_px()) - 2 * GRID)
        maps = comparison_maps(repeated)
        self.maps.show_maps(maps)
        self.resized.connect(self.maps.arrange)
        body = QVBoxLayout(content)
        body.setContentsMargins(GRID, GRID, GRID, GRID)
        body.setSpacing(GRID)
        title = f"{repeated.study.name}: {tr(repeated.study.title)}"
        body.addWidget(label(title, "strong", is_selectable=True))
        body.addWidget(self.orders)
        body.addWidget(self.figures)
        if maps:
            body.addWidget(label(tr("Heat maps"), "heading"))
            body.addWidget(self.maps)
        if has_ranks:
            body.addWidget(self.ranks)
        body.addWidget(label(tr("What differs from the study"), "heading"))
        citation = tr("Source: %1", repeated.study.citation)
        for text in (*map(tr, repeated.study.notes), citation):
            body.addWidget(label(text, "muted", is_selectable=True))
        body.addStretch(1)
