"""Heat maps of a study: own beside published, with correlation and names of what differs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QComboBox, QTabWidget, QWidget
from shiboken6 import isValid

from app.ranking.heat_maps import HeatMap
from app.reports.heat_map_view import heat_lines
from ui.common.basics import ChoiceBox, ScrollPage, column, label, label_for, row
from ui.common.heat_map import HeatScale, HeatTable
from ui.common.texts import tr
from ui.common.theme import GRID, Theme


class HeatMapsView(QWidget):
    """One comparison at a time; side by side where there is room, else one under the other.

    Without own figures the published map is shown alone.

    Args:
        theme: Colours.
        page: The page whose width there is.
    """

    def __init__(self, theme: Theme, page: ScrollPage) -> None:
        super().__init__()
        self._page = page
        self._maps: Sequence[HeatMap] = ()
        self.choice = ChoiceBox(tr("Comparison of the study"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.currentIndexChanged.connect(self._show_chosen)
        self.own, self.published = HeatTable(theme, is_own=True), HeatTable(theme, is_own=False)
        self.own_title = label(tr("Own"), "strong", is_wrapping=False)
        self.lines = label("", is_selectable=True)
        self.lines.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        explanation = label(
            tr(
                "(row − column) / row in percent, the other way round where more is better. Positive, blue: the column "
                "is ahead; negative, orange: it is behind. *: other order than in the study. –: not known."
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
            one.fitted.connect(self.arrange)
        self.pair.addStretch(1)
        choice = row(label_for(tr("Comparison"), self.choice), self.choice, 0)
        self.setLayout(column(choice, row(explanation, HeatScale(theme)), self.pair, self.lines))

    def show_maps(self, maps: Sequence[HeatMap], pair: str = "") -> None:
        """Show the maps of a part; the chosen one remains where it has that.

        Args:
            maps: The maps; with none nothing is shown.
            pair: Name of the pair that own figures are of; empty where it is named elsewhere.
        """
        self._maps = maps
        self.setVisible(bool(maps))
        titles = [one.title for one in maps]
        if titles != [self.choice.itemText(nth) for nth in range(self.choice.count())]:  # an open list remains as it is
            self.choice.offer(zip(titles, titles, strict=True), self.choice.currentText())
        self.own_title.setText(tr("Own, %1", pair) if pair else tr("Own"))
        self._show_chosen()

    def _show_chosen(self) -> None:
        nth = self.choice.currentIndex()
        if not 0 <= nth < len(self._maps):
            return
        found = self._maps[nth]
        for one in (self.own, self.published):
            one.show_map(found)
        for widget in (self.own_title, self.own):
            widget.setVisible(found.has_own)
        self.lines.setText("\n".join(heat_lines(found)))
        self.arrange()

    def arrange(self) -> None:
        """Put both maps side by side where they have room."""
        if not isValid(self._page):
            return  # it is being deleted, and this widget with it
        needed_px = self.own.width() + self.published.width() + 5 * GRID
        room_px = min(self._page.content.maximumWidth(), self._page.content_width_px()) - 2 * GRID
        is_wide = not self.own.isHidden() and room_px >= needed_px
        direction = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if self.pair.direction() is not direction:
            self.pair.setDirection(direction)
            self.pair.update()
            self.updateGeometry()  # the layout around this widget has to ask for its new size


class HeatMaps(ScrollPage):
    """The maps on a page of their own.

    Attributes:
        view: The maps.
    """

    def __init__(self, theme: Theme) -> None:
        content = QWidget()
        super().__init__(content, None)
        self.view = HeatMapsView(theme, self)
        content.setLayout(column(self.view, 0, margin_px=GRID))
        self.resized.connect(self.view.arrange)

    def show_in(self, tabs: QTabWidget, maps: Sequence[HeatMap], pair: str = "") -> None:
        """Show maps as `HeatMapsView.show_maps` does; the page's tab is hidden where there are none."""
        self.view.show_maps(maps, pair)
        tabs.setTabVisible(tabs.indexOf(self), bool(maps))
