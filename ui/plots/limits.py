"""Limits of controllers in a plot of times: dashed lines that a user can show."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox

from app.domain.controllers import ControllerLimit, ControllerSetting
from app.ranking.controllers import controller_limits
from app.wording.controllers import controller_protocol, limit_words
from ui.common.basics import ChoiceBox, name_box
from ui.common.texts import tr
from ui.common.theme import Theme
from ui.common.tips import set_tip
from ui.plots.base import ScopePlot
from ui.plots.pens import plot_pen

_WIDTH_PX = 1.0
_LABEL_AT = 0.01
"""Labels begin at this part of the width."""


class LimitLines:
    """Lines at the round trips that end connections of controllers, one for each value of a setting that is in sight.

    Args:
        plot: Its vertical axis has round-trip times in ms.

    Attributes:
        setting: Setting whose limits are shown; None for none.
        least_ms: Shortest round trip, from which the limits of cyclic data count; None where it is not known.
    """

    def __init__(self, plot: ScopePlot, theme: Theme) -> None:
        self._plot, self._theme = plot, theme
        self.setting: ControllerSetting | None = None
        self.least_ms: float | None = None
        self._lines: list[tuple[ControllerLimit, pg.InfiniteLine]] = []
        plot.view_box.sigRangeChanged.connect(self._place)

    @property
    def seen(self) -> tuple[tuple[ControllerLimit, str], ...]:
        """Limits in sight, lowest first, each with its label; empty where it has no room."""
        return tuple((one, line.label.format if line.label.isVisible() else "") for one, line in self._seen())

    def show(self, setting: ControllerSetting | None) -> None:
        """Show the limits of a setting; None for none."""
        self.setting = setting
        self.make()

    def count_from(self, least_ms: float | None) -> None:
        """Take the shortest round trip of the candidate, in ms; None where it is not known."""
        if least_ms != self.least_ms:
            self.least_ms = least_ms
            self.make()

    def make(self) -> None:
        """Make the lines anew, in the colours of the scheme; a closed plot has none."""
        if self._plot.closed:
            return
        for _, line in self._lines:
            self._plot.removeItem(line)
        limits = controller_limits(self.setting, self.least_ms) if self.setting is not None else ()
        self._lines = [(one, self._line(one)) for one in limits]
        self._place()

    def _line(self, limit: ControllerLimit) -> pg.InfiniteLine:
        colours = self._theme.colours
        pen = plot_pen(colours.muted, _WIDTH_PX)
        pen.setStyle(Qt.PenStyle.DashLine)
        # Below the line in the upper half of the plot and above it in the lower one, so that each label is in sight.
        options = {"position": _LABEL_AT, "anchors": [(0, 0), (0, 1)], "color": QColor(colours.text), "movable": False}
        line = pg.InfiniteLine(0.0, angle=0, pen=pen, label=limit_words(limit), labelOpts=options)
        line.label.setFont(self._plot.small_font())
        line.setZValue(5)
        self._plot.addItem(line, ignoreBounds=True)
        return line

    def _seen(self) -> list[tuple[ControllerLimit, pg.InfiniteLine]]:
        return [(one, line) for one, line in self._lines if line.isVisible()]

    def _place(self) -> None:
        """Put lines where the axis has their times; labels that would touch another one are left out."""
        low, high = self._plot.view_box.viewRange()[1]
        for limit, line in self._lines:
            at = math.log10(limit.limit_ms) if self._plot.is_log else float(limit.limit_ms)
            line.setPos(at)
            line.setVisible(low <= at <= high)
        pixel = abs(self._plot.view_box.viewPixelSize()[1]) if self._lines else 0.0
        bottom = high
        for _, line in reversed(self._seen()):
            height = line.label.boundingRect().height() * pixel
            under = height if line.value() > (low + high) / 2 else 0.0
            has_room = line.value() - under + height <= bottom
            line.label.setVisible(has_room)
            if has_room:
                bottom = line.value() - under


class LimitsBox(ChoiceBox):
    """The choice of a setting whose limits plots show; none at first.

    Args:
        plots: Plots of round-trip times.
    """

    def __init__(self, theme: Theme, *plots: ScopePlot) -> None:
        super().__init__()
        self.limits = [LimitLines(one, theme) for one in plots]
        name_box(self, tr("Limits of controllers"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.addItem(tr("No limits of controllers"), None)
        for setting in ControllerSetting:
            self.addItem(tr("Limits of %1", controller_protocol(setting)), setting)
        set_tip(
            self,
            tr(
                "Dashed lines: a controller with this value gives up at longer round trips, even if no frame is lost. "
                "Cyclic data counts from the shortest round trip (RTT) of the selected candidate, by frames of up to "
                "128 bytes except in samples of longer ones: PROFINET plus 2 × update time, EtherNet/IP plus 3 × RPI. "
                "Modbus/TCP and OPC UA: the time-out itself. Only those in sight are drawn."
            ),
        )
        self.currentIndexChanged.connect(self._show)
        theme.changed.connect(self._restyle)  # of a widget: the connection ends with it

    def count_from(self, least_ms: float | None) -> None:
        """Take the shortest round trip of the candidate, in ms; None where it is not known."""
        for one in self.limits:
            one.count_from(least_ms)

    def _restyle(self) -> None:
        for one in self.limits:
            one.make()

    def _show(self) -> None:
        chosen = self.currentData()
        for one in self.limits:
            one.show(ControllerSetting(chosen) if chosen is not None else None)
