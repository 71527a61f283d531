"""Tab of a comparison that repeats a published study."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.ranking.repeated_study import RepeatedStudy
from app.ranking.study_maps import comparison_maps
from ui.common.basics import WIDE_PX, ScrollPage, column, label
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
        self.maps = HeatMapsView(theme, self)
        maps = comparison_maps(repeated)
        self.maps.show_maps(maps)
        self.resized.connect(self.maps.arrange)
        title = f"{repeated.study.name}: {tr(repeated.study.title)}"
        parts: list[QWidget] = [label(title, "strong", is_selectable=True), self.orders, self.figures]
        if maps:
            parts.append(label(tr("Heat maps"), "heading"))
        parts.append(self.maps)
        if has_ranks:
            parts.append(self.ranks)
        parts.append(label(tr("What differs from the study"), "heading"))
        texts = (*map(tr, repeated.study.notes), tr("Source: %1", repeated.study.citation))
        parts += [label(text, "muted", is_selectable=True) for text in texts]
        content.setLayout(column(*parts, 0, margin_px=GRID))
