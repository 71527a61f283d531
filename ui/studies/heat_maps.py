"""The study's comparisons as heat maps: own beside published, with correlation and names of what differs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QComboBox, QWidget

from app.reports.study_view import StudyView, comparison_lines, figure_title
from ui.common.basics import ChoiceBox, ScrollPage, column, label, label_for, row
from ui.common.texts import tr
from ui.common.theme import GRID, Theme
from ui.studies.heat_map import HeatMap, HeatScale


class HeatMaps(ScrollPage):
    """One comparison at a time; side by side where there is room, else one under the other."""

    def __init__(self, theme: Theme) -> None:
        content = QWidget()
        super().__init__(content, None)
        self._view: StudyView | None = None
        self.choice = ChoiceBox()
        self.choice.setAccessibleName(tr("Comparison of the study"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.own, self.published = HeatMap(theme, is_own=True), HeatMap(theme, is_own=False)
        self.own_title = label(tr("Own"), "strong", is_wrapping=False)
        self.lines = label("", is_selectable=True)
        self.lines.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        explanation = label(
            tr(
                "(row − column) / row in percent. Positive, blue: the column is faster; negative, orange: it is "
                "slower. *: other order than in the study. –: no own time."
            ),
            "muted",
        )
        self.pair = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.pair.setSpacing(2 * GRID)
        published_title = label(tr("Published"), "strong", is_wrapping=False)
        for title, one in ((self.own_title, self.own), (published_title, self.published)):
            side = column(title, one, 0)
            side.setAlignment(one, Qt.AlignmentFlag.AlignLeft)
            self.pair.addLayout(side)
            one.fitted.connect(self._arrange)
        self.pair.addStretch(1)
        outer = column(margin_px=GRID)
        outer.addLayout(row(label_for(tr("Comparison"), self.choice), self.choice, 0))
        outer.addLayout(row(explanation, HeatScale(theme)))
        outer.addLayout(self.pair)
        outer.addWidget(self.lines)
        outer.addStretch(1)
        content.setLayout(outer)
        self.resized.connect(self._arrange)

    def show_view(self, view: StudyView) -> None:
        """Show the comparisons of a part; the chosen one remains where it has that."""
        self._view = view
        chosen = self.choice.currentText()
        titles = [figure_title(one) for one in view.comparisons]
        self.choice.blockSignals(True)  # noqa: FBT003 - Qt has it so
        if titles != [self.choice.itemText(nth) for nth in range(self.choice.count())]:
            self.choice.clear()
            self.choice.addItems(titles)
            self.choice.setCurrentIndex(max(0, self.choice.findText(chosen)))
        self.choice.blockSignals(False)  # noqa: FBT003 - Qt has it so
        self.own_title.setText(tr("Own, %1").replace("%1", view.results.pair) if view.results.pair else tr("Own"))
        self._show_chosen()

    def _show_chosen(self) -> None:
        nth = self.choice.currentIndex()
        if self._view is None or not 0 <= nth < len(self._view.comparisons):
            return
        found = self._view.comparisons[nth]
        for one in (self.own, self.published):
            one.show_comparison(found)
        self.lines.setText("\n".join(comparison_lines(self._view, found)))
        self._arrange()

    def _arrange(self) -> None:
        """Put both maps side by side where they have room."""
        needed_px = self.own.width() + self.published.width() + 5 * GRID
        is_wide = self.content_width_px() >= needed_px
        direction = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if self.pair.direction() is not direction:
            self.pair.setDirection(direction)
