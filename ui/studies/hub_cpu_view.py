"""CPU of a hub at the highest rate of each solution, as stacked plots with what was asked of it."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.domain.hub_study import HubResult
from app.ranking.hub_study import in_order
from app.reports.hub_study import cpu_caption
from app.storage.lab_results import HubResults
from ui.common.basics import label
from ui.common.theme import GRID, Theme
from ui.plots.framed import PlotFrame, framed
from ui.plots.hub_cpu import HubCpuKey, HubCpuPlot

_PLOT_PX = 240


class HubCpuView(QWidget):
    """One plot for each solution whose long window was measured; plots are made once they are on show."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(2 * GRID)
        self._wanted: tuple[HubResult, ...] = ()
        self._made: list[tuple[HubResult, HubCpuPlot, PlotFrame]] = []

    @property
    def has_plots(self) -> bool:
        """Whether there is something to show."""
        return bool(self._wanted)

    @property
    def plots(self) -> tuple[HubCpuPlot, ...]:
        """Plots that were made."""
        return tuple(plot for _, plot, _ in self._made)

    def show_results(self, results: HubResults | None) -> None:
        """Show plots of results instead of those before."""
        found = in_order(results.results) if results is not None else ()
        self._wanted = tuple(one for one in found if one.cpu and one.window is not None)
        if self.isVisible():
            self._make()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the plots."""
        super().showEvent(event)
        self._make()

    def _make(self) -> None:
        """Make the plots that are missing; those of the same results remain."""
        former, self._made = self._made, []
        for one in self._wanted:
            kept = next((made for made in former if made[0] == one), None)
            self._made.append(kept or self._new(one))
        kept_frames = [frame for _, _, frame in self._made]
        for _, _, frame in former:
            if frame not in kept_frames:
                self._body.removeWidget(frame)
                frame.hide()
                frame.deleteLater()
        for nth, frame in enumerate(kept_frames):
            self._body.insertWidget(nth, frame)
            frame.show()

    def _new(self, result: HubResult) -> tuple[HubResult, HubCpuPlot, PlotFrame]:
        plot = HubCpuPlot(self._theme, result.cell.title)
        plot.draw(result.cpu)
        plot.setFixedHeight(_PLOT_PX)
        caption = cpu_caption(result.window) if result.window is not None else ""
        return result, plot, framed(plot, HubCpuKey(), label(caption, "muted", is_selectable=True))
