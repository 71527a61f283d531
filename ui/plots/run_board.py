"""The plots of a running comparison, drawn from snapshots of the live model at a steady pace."""

from __future__ import annotations

import gc

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QStackedWidget, QWidget

from app.domain.hosts import DIRECTIONS
from app.domain.results import CampaignPlan
from app.domain.solutions import BASELINE
from app.wording.messages import local_text
from ui.common.basics import column, label, row
from ui.common.live_values import Figures
from ui.common.sample_model import LiveModel
from ui.common.texts import count, ms, tr
from ui.common.theme import GRID, Theme, tabular
from ui.plots.base import plot_heading
from ui.plots.framed import PlotFrame, framed
from ui.plots.latency import LatencyPlot
from ui.plots.packet_stream import ArrivingPlot
from ui.plots.ratios import RatioPlot
from ui.plots.result_data import plot_names
from ui.plots.shown import Shown
from ui.plots.throughput_cpu import CpuKey, CpuPlot, ThroughputPlot

TICK_MS = 100
_CURVES_EVERY, _LOAD_EVERY = 4, 5
"""Ticks between two drawings of what changes more slowly: on small computers drawing must not disturb measuring."""


class PlotBoard(QWidget):
    """Curves on the left, for an adaptive comparison ratios; arriving times, throughput and CPU on the right."""

    def __init__(self, theme: Theme, model: LiveModel) -> None:
        super().__init__()
        self._model = model
        self.shown = Shown()
        self.latency = LatencyPlot(theme, shown=self.shown)
        self.ratios = RatioPlot(theme, self.shown)
        self.interim = label("", "muted")
        self._main = QStackedWidget()
        self.arriving = ArrivingPlot(theme)
        self.throughput = ThroughputPlot(theme)
        self.cpu = {"a": CpuPlot(theme, "A"), "b": CpuPlot(theme, "B")}
        self._cpu_key = CpuKey(theme)
        self.figures = _FigureLine()
        self._tick = 0
        self._drawn_version = -1
        self._plan: CampaignPlan | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.tick)
        self._lay_out()

    def begin(self, plan: CampaignPlan) -> None:
        """A campaign has started."""
        self._plan = plan
        gc.freeze()  # the collector then visits new objects only; going through all of them takes up to 100 ms
        self.shown.show_all()
        for plot in (self.latency, self.ratios, self.arriving, self.throughput, *self.cpu.values()):
            plot.zoom.reset()
        self.latency.set_sizes(plan.profile.frame_bytes)
        self.latency.set_candidates(plot_names(plan.candidates))
        self.ratios.set_candidates(plot_names(plan.candidates))
        self.interim.setText(tr("After each round: which candidates are decided, and how long it will take."))
        self._main.setCurrentIndex(1 if plan.profile.is_adaptive else 0)
        self.figures.show_percentiles(is_one=not plan.profile.is_adaptive)
        self._timer.start()

    def end(self) -> None:
        """It is over: draw the last state and rest."""
        self._timer.stop()
        self.draw()

    def tick(self) -> None:
        """Draw what is due."""
        if not self.isVisible():
            return
        self._tick += 1
        version = self._model.version
        self._draw_arriving()
        if version == self._drawn_version:
            return
        if self._tick % _CURVES_EVERY == 0:
            self._draw_curves()
            self._drawn_version = version
        if self._tick % _LOAD_EVERY == 0:
            self._draw_load()

    def draw(self) -> None:
        """Draw everything now."""
        self._draw_arriving()
        self._draw_curves()
        self._draw_load()

    def _draw_curves(self) -> None:
        if self._plan is not None and self._plan.profile.is_adaptive:
            self._draw_ratios()
            return
        self.latency.draw(self._model.curves())
        self.latency.highlight(self._model.running_key())

    def _draw_ratios(self) -> None:
        self.ratios.draw(self._model.ratios())
        result = self._model.interim()
        if result is not None and result.sentence and local_text(result.sentence) != self.interim.text():
            self.interim.setText(local_text(result.sentence))  # why candidates left is beside them in the table

    def _draw_arriving(self) -> None:
        figures = self._model.figures()
        self.figures.show_figures(figures)
        running = self._model.running_key()
        at_s, rtt_ms = self._model.recent()
        # Replies of an adaptive comparison are of all candidates in turn: none of their colours would be true.
        is_one = running is not None and not (self._plan is not None and self._plan.profile.is_adaptive)
        self.arriving.draw(
            running[0] if running is not None and is_one else BASELINE, at_s, rtt_ms, figures.frame_bytes
        )

    def _draw_load(self) -> None:
        running = self._model.running_key()
        seconds = self._plan.profile.seconds if self._plan else 3
        self.throughput.draw(
            running[0] if running else BASELINE,
            {name: self._model.throughput(name) for name in DIRECTIONS},
            seconds,
        )
        for side, plot in self.cpu.items():
            plot.draw(self._model.cpu(side))
        totals = "  ".join(plot.words for plot in self.cpu.values() if plot.words)
        self._cpu_heading.setText(f"{tr('CPU')}  {totals}" if totals else tr("CPU, %"))

    def _lay_out(self) -> None:
        self.interim.setContentsMargins(GRID, 0, GRID, GRID // 2)
        self._main.addWidget(framed(self.latency))
        self._main.addWidget(framed(self.ratios, self.interim))
        now = framed(self.arriving, self.figures)
        self.throughput.newest.setContentsMargins(GRID, 0, 0, 0)
        lower = row((framed(self.throughput, self.throughput.newest), 5), (self._cpu_frame(), 4))
        self.setLayout(row((self._main, 10), (column((now, 6), (lower, 5)), 11)))

    def _cpu_frame(self) -> PlotFrame:
        self._cpu_heading = plot_heading(tr("CPU, %"))
        self._cpu_key.setContentsMargins(GRID, 0, 0, 0)
        plots = tuple(self.cpu.values())
        return PlotFrame(self._cpu_heading, tr("CPU, %"), plots, (self._cpu_key,), "card")


class _FigureLine(QWidget):
    """Percentiles of the frame size that is being probed."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(GRID, 0, GRID, GRID // 2)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(0)
        self._values: dict[str, QLabel] = {}
        self._names: dict[str, str] = {}
        self._percentiles: list[QLabel] = []
        for nth, (name, text) in enumerate(
            (
                ("count", tr("replies")),
                ("p50", tr("median")),
                ("p95", "95 %"),
                ("p99", "99 %"),
                ("max", tr("most")),
                ("lost", tr("lost")),
            )
        ):
            value = label("–", is_wrapping=False)
            value.setFont(tabular(value.font()))
            self._values[name] = value
            self._names[name] = text
            head = label(text, "muted", is_wrapping=False)
            grid.addWidget(head, 0, nth)
            grid.addWidget(value, 1, nth)
            if name not in ("count", "lost"):
                self._percentiles += [head, value]
            grid.setColumnStretch(nth, 2 if name == "count" else 1)

    def show_percentiles(self, *, is_one: bool) -> None:
        """Hide percentiles unless the replies are those of one candidate."""
        for widget in self._percentiles:
            widget.setVisible(is_one)

    def show_figures(self, figures: Figures) -> None:
        """Show figures with their units."""
        of = f" / {count(figures.expected)}" if figures.expected else ""
        texts = {
            "count": f"{count(figures.count)}{of}" if figures.count else "–",
            "p50": ms(figures.p50_ms),
            "p95": ms(figures.p95_ms),
            "p99": ms(figures.p99_ms),
            "max": ms(figures.max_ms),
            "lost": count(figures.lost) if figures.count else "–",
        }
        for name, text in texts.items():
            if self._values[name].text() != text:
                self._values[name].setText(text)
                self._values[name].setAccessibleName(f"{self._names[name]}: {text}")
