"""Plots in a frame, and the same figures as a table: what is drawn cannot be read aloud."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QStackedWidget, QWidget

from ui.common.basics import ElidedLabel, button, column, holder, row
from ui.common.data_table import DataTable
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import set_tip
from ui.plots.base import PlotTable, ScopePlot
from ui.plots.export import export_menu
from ui.plots.shown import CandidatePlot, ShownMenu

_REFRESH_MS = 1000
_LEAST_TABLE_PX = (104, 80)


class PlotFrame(QFrame):
    """Plots side by side, a heading above them with a button that shows a table instead, widgets below.

    Args:
        heading: Text above.
        name: Of all the plots together, for screen readers.
        plots: All with the same columns.
        below: Widgets under the plots.
        variant: Style in the style sheet.
        beside: Widgets to the right of the heading.
    """

    def __init__(
        self,
        heading: ElidedLabel,
        name: str,
        plots: Sequence[ScopePlot],
        below: Sequence[QWidget] = (),
        variant: str = "",
        beside: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self.setProperty("variant", variant)
        self._plots = tuple(plots)
        self._name = name
        self.table: DataTable | None = None
        self.switch = button("", "table", variant="switch", on_click=self._flip)
        self.reset = button("", "undo", variant="switch", on_click=self.reset_view)
        self._name_button(self.reset, tr("Reset view"))
        self.reset.hide()
        for plot in self._plots:
            plot.zoom.changed.connect(self._on_zoom)
        self.save = button("", "folder", variant="switch", on_click=self._show_export_menu)
        self._name_button(self.save, tr("Export plot"))
        self.scale = button("", "scale", variant="switch", on_click=self._change_scale)
        self.choose = button("", "eye", variant="switch", on_click=self._show_candidates)
        self._name_button(self.choose, tr("Candidates shown"))
        self._stack = QStackedWidget()
        self._stack.addWidget(_side_by_side(self._plots))
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._on_tick)
        heading.setContentsMargins(GRID, 2, 0, 0)
        top = row((heading, 1), *beside, spacing_px=GRID if beside else 0)
        for switch in (self.choose, self.scale, self.reset, self.save, self.switch):
            top.addWidget(switch, 0, Qt.AlignmentFlag.AlignTop)
        self.setLayout(column(top, (self._stack, 1), *below, margin_px=4, spacing_px=2))
        self._name_switch()
        self._name_scale()
        self.shown = next((plot.shown for plot in self._plots if isinstance(plot, CandidatePlot)), None)
        self.choose.hide()
        if self.shown is not None:
            self.shown.changed.connect(self._name_choice)
            self.shown.renamed.connect(self._name_choice)
            self._name_choice()

    @property
    def is_table(self) -> bool:
        """Whether the figures are shown as a table."""
        return self._stack.currentIndex() > 0

    def refresh(self) -> None:
        """Take the newest figures over into the table."""
        if self.table is not None:
            _fill(self.table, [row for plot in self._plots for row in plot.figures().rows])

    def reset_view(self) -> None:
        """Show everything again in plots that were zoomed or moved."""
        for plot in self._plots:
            plot.zoom.reset()

    def _on_zoom(self) -> None:
        is_zoomed = any(plot.zoom.is_zoomed for plot in self._plots)
        if not is_zoomed and self.reset.hasFocus():
            self.switch.setFocus()
        self.reset.setVisible(is_zoomed)

    def _show_export_menu(self) -> None:
        _drop_down(export_menu(self, self._plots), self.save)

    def _show_candidates(self) -> None:
        if self.shown is not None:
            _drop_down(ShownMenu(self, self.shown), self.choose)

    def _name_choice(self) -> None:
        if self.shown is None:
            return
        shown, whole = self.shown.number, len(self.shown.names)
        self.choose.setVisible(whole > 1)
        self.choose.setText(f"{shown}/{whole}" if shown < whole else "")
        text = tr("Candidates shown: %1 of %2", shown, whole)
        self._name_button(self.choose, text)

    def _change_scale(self) -> None:
        is_log = not self._is_log
        for plot in self._plots:
            plot.set_log(is_log=is_log)
        self._name_scale()

    @property
    def _is_log(self) -> bool:
        return any(plot.scale_axis.is_log for plot in self._plots if plot.scale_axis is not None)

    def _name_scale(self) -> None:
        self.scale.setVisible(any(plot.scale_axis is not None for plot in self._plots))
        text = next((plot.scale_axis.other_scale() for plot in self._plots if plot.scale_axis is not None), "")
        self._name_button(self.scale, text)

    def _flip(self) -> None:
        if self.table is None:
            self.table = _make_table(self._plots[0].figures(), self._name)
            self._stack.addWidget(self.table)
        self._stack.setCurrentIndex(0 if self.is_table else 1)
        if self.is_table:
            self.refresh()
            self._timer.start()
        else:
            self._timer.stop()
        self._name_switch()

    def _name_switch(self) -> None:
        set_icon(self.switch, "compare" if self.is_table else "table")
        self._name_button(self.switch, tr("Show as plot") if self.is_table else tr("Show as table"))

    def _name_button(self, switch: QPushButton, text: str) -> None:
        set_tip(switch, text)
        switch.setAccessibleName(f"{text}: {self._name}")

    def _on_tick(self) -> None:
        if self.isVisible():
            self.refresh()


def _drop_down(menu: QMenu, under: QWidget) -> None:
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(under.mapToGlobal(under.rect().bottomLeft()))


def framed(plot: ScopePlot, *below: QWidget, variant: str = "card", beside: Sequence[QWidget] = ()) -> PlotFrame:
    """Return a plot in a frame, its name above it and other widgets under it and beside its name."""
    return PlotFrame(plot.heading, plot.name, (plot,), below, variant, beside)


def _side_by_side(plots: Sequence[ScopePlot]) -> QWidget:
    if len(plots) == 1:
        return plots[0]
    return holder(row(*plots, spacing_px=2))


def _make_table(figures: PlotTable, name: str) -> DataTable:
    texts = range(figures.texts, len(figures.headers))
    table = DataTable(figures.headers, texts, name)
    table.setMinimumSize(*_LEAST_TABLE_PX)
    table.verticalHeader().setDefaultSectionSize(3 * GRID)
    table.size_by_contents()
    return table


def _fill(table: DataTable, rows: Sequence[tuple[str, ...]]) -> None:
    """Change only what is different, so that neither selection nor focus moves."""
    if table.rowCount() != len(rows):
        table.setRowCount(len(rows))
    for nth, texts in enumerate(rows):
        for place, text in enumerate(texts):
            cell = table.cell(nth, place)
            if cell.text() != text:
                cell.setText(text)
