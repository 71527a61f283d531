"""Tabs of the results: curves, ratios, distribution, throughput, CPU, packet tests, hosts, warnings, configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidgetItem, QTabWidget, QVBoxLayout, QWidget

from app.discovery.pair_discovery import HostCheck
from app.domain.hosts import Side
from app.ranking.pictures import ratio_rows
from app.ranking.warnings import harmless_drift, warnings_of
from app.ranking.workloads import workload_table
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title
from ui.common.attempt_story import attempt_story
from ui.common.basics import (
    WIDE_PX,
    ChoiceBox,
    ElidedLabel,
    ScrollPage,
    column,
    holder,
    icon_label,
    label,
    label_for,
    name_tabs,
    row,
)
from ui.common.candidate_rows import Key
from ui.common.code_view import CodeView
from ui.common.folding import FoldingCards
from ui.common.host_card import HostCard
from ui.common.swatch import swatch_icon
from ui.common.text_list import text_list
from ui.common.texts import count, tr
from ui.common.theme import GRID, Theme
from ui.common.tips import set_tip
from ui.plots.base import ScopePlot
from ui.plots.framed import framed
from ui.plots.intervals import IntervalPlot
from ui.plots.latency import LatencyPlot
from ui.plots.limits import LimitsBox
from ui.plots.result_bars import CpuBarsPlot, ThroughputBarsPlot
from ui.plots.result_data import ResultData
from ui.plots.result_plots import CdfPlot, FrontierPlot, ring_words
from ui.plots.shown import Shown
from ui.results.capture_view import CaptureView
from ui.results.study_tab import StudyTab
from ui.results.workload_view import WorkloadView

_LEAST_PX, _LEAST_EM = 254, 14
"""Leaves some 200 px to a plot with larger texts, 150 px with usual ones; the ranking above it has the rest."""

_AROUND_ROWS_EM = 8
"""Height of what is above and below the rows of a plot with a row for each candidate."""

_LEAST_HOST_EM = 21
_KEY = Qt.ItemDataRole.UserRole


_CURVES, _RATIOS, _DISTRIBUTION, _THROUGHPUT, _FRONTIER, _CPU, _CAPTURES = range(7)
"""Places of the tabs that are made when they are opened: a plot takes 30 ms."""
SomePlot = TypeVar("SomePlot", bound=ScopePlot)


class ResultTabs(QTabWidget):
    """The tabs below the ranking."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setDocumentMode(False)
        name_tabs(self, tr("Views of the results"))
        self._theme = theme
        self._data: ResultData | None = None
        self._undrawn: dict[int, Callable[[ResultData], None]] = {}
        self._key: Key | None = None
        self.shown = Shown()
        self.frame_size = ChoiceBox(tr("Frame size of the distribution"))
        self.frame_size.currentIndexChanged.connect(self._draw_cdf)
        self.candidates = text_list(tr("Candidates"), is_wrapping=False)
        self.candidates.setMaximumWidth(280)
        self.candidates.currentItemChanged.connect(self._show_candidate)
        self.code = CodeView(theme)
        self._places: list[QVBoxLayout] = []
        self._draws = {
            self._add_empty(tr("Latency")): self._draw_latency,
            self._add_empty(tr("Ratios")): self._draw_ratios,
            self._add_empty(tr("Distribution")): self._draw_cdfs,
            self._add_empty(tr("Throughput")): lambda data: self.throughput.draw(data),  # noqa: PLW0108 - made when wanted
            self._add_empty(tr("Frontier")): lambda data: self.frontier.draw(data),  # noqa: PLW0108 - made when wanted
            self._add_empty(tr("CPU")): lambda data: self.cpu.draw(data),  # noqa: PLW0108 - made when wanted
            self._add_empty(tr("Packet tests")): self._draw_captures,
        }
        self._why_at = self.addTab(QWidget(), tr("Rationale"))
        self._hosts_at = self.addTab(QWidget(), tr("Hosts"))
        self._warnings_at = self.addTab(QWidget(), tr("Warnings"))
        self.addTab(holder(row((self.candidates, 1), (self.code, 3), margin_px=GRID)), tr("Configuration"))
        self.workloads: WorkloadView | None = None
        self.study: StudyTab | None = None
        self.currentChanged.connect(self._draw)

    def sizeHint(self) -> QSize:
        """Ask for no more height than a plot needs: a page that scrolls gives all that is asked for."""
        return QSize(super().sizeHint().width(), self._least_px())

    def minimumSizeHint(self) -> QSize:
        """Leave enough to a plot."""
        return QSize(super().minimumSizeHint().width(), self._least_px())

    def _least_px(self) -> int:
        em_px = self.fontMetrics().height()
        rows = len(self._data.names) if self._data is not None else 0
        return max(min(_LEAST_PX, _LEAST_EM * em_px), (_AROUND_ROWS_EM + rows) * em_px)

    @cached_property
    def latency(self) -> LatencyPlot:
        """The curves."""
        plot = LatencyPlot(self._theme, shown=self.shown)
        self.limits = LimitsBox(self._theme, plot)
        return self._put(_CURVES, plot, (self.limits,))

    @cached_property
    def ratios(self) -> IntervalPlot:
        """Latency over that of the fastest."""
        name, axis = tr("Latency over that of the fastest, with 95 % intervals"), tr("times the fastest")
        return self._put(_RATIOS, IntervalPlot(self._theme, name, axis, self.shown))

    @cached_property
    def cdf(self) -> CdfPlot:
        """The distribution of one frame size."""
        size = label_for(tr("Frame size"), self.frame_size)
        return self._put(_DISTRIBUTION, CdfPlot(self._theme, self.shown), (size, self.frame_size))

    @cached_property
    def throughput(self) -> ThroughputBarsPlot:
        """Throughput in both directions."""
        return self._put(_THROUGHPUT, ThroughputBarsPlot(self._theme, self.shown))

    @cached_property
    def frontier(self) -> FrontierPlot:
        """Throughput against latency."""
        legend = ElidedLabel(ring_words(), "muted")
        legend.setContentsMargins(GRID, 0, GRID, 0)
        return self._put(_FRONTIER, FrontierPlot(self._theme, self.shown), below=(legend,))

    @cached_property
    def cpu(self) -> CpuBarsPlot:
        """Shares of the CPU."""
        return self._put(_CPU, CpuBarsPlot(self._theme, self.shown))

    @cached_property
    def captures(self) -> CaptureView:
        """Results of packet captures."""
        view = CaptureView(self._theme)
        self._places[_CAPTURES].addWidget(view)
        return view

    def _add_empty(self, name: str) -> int:
        self._places.append(column())
        return self.addTab(holder(self._places[-1]), name)

    def _put(self, nth: int, plot: SomePlot, beside: Sequence[QWidget] = (), below: Sequence[QWidget] = ()) -> SomePlot:
        """Put a plot into its tab, which is shown for the first time."""
        self._places[nth].addWidget(framed(plot, *below, variant="plain", beside=beside))
        return plot

    def _draw(self, nth: int) -> None:
        """Draw what a tab shows, unless that has been done."""
        draw = self._undrawn.pop(nth, None)
        if draw is not None and self._data is not None:
            draw(self._data)

    def show_data(self, data: ResultData) -> None:
        """Show a comparison; each tab is drawn when it is opened."""
        if self._data is None or self._data.record is not data.record:
            self.shown.show_all()
            for plot in self.findChildren(ScopePlot):
                plot.zoom.reset()
        self._data = data
        self.updateGeometry()
        self._undrawn.clear()
        self._replace(self._why_at, _why_tab(data), tr("Rationale"))
        self._replace(self._hosts_at, self._hosts_tab(data), tr("Hosts"))
        warnings = warnings_of(data.record, data.ranking)
        title = tr("Warnings (%1)", len(warnings)) if warnings else tr("Warnings")
        self._replace(self._warnings_at, _warnings_tab(warnings), title)
        self._show_workloads(data)
        self._show_study(data)
        self.candidates.clear()
        for candidate in data.record.plan.candidates:
            key = (candidate.solution, candidate.suite)
            item = QListWidgetItem(swatch_icon(candidate.solution, data.names[key][1]), local_title(candidate.title))
            item.setData(_KEY, key)
            set_tip(item, local_title(candidate.title))
            self.candidates.addItem(item)
        self.candidates.setCurrentRow(0)
        self._undrawn.update(self._draws)
        self._draw(self.currentIndex())

    def _show_workloads(self, data: ResultData) -> None:
        """Add the tab of workloads where the comparison had any."""
        self._drop(self.workloads)
        self.workloads = None
        found = workload_table(data.record)
        if found is not None:
            self.workloads = WorkloadView(found)
            self.addTab(self.workloads, tr("Workloads"))

    def _show_study(self, data: ResultData) -> None:
        """Add the tab of the study that the comparison repeats, where it does."""
        self._drop(self.study)
        self.study = None
        if data.repeated is not None:
            self.study = StudyTab(self._theme, data.repeated)
            self.addTab(self.study, tr("Study"))

    def _drop(self, tab: QWidget | None) -> None:
        if tab is not None:
            self.removeTab(self.indexOf(tab))
            tab.deleteLater()

    def show_why(self) -> None:
        """Open the tab with what speaks for and against."""
        self.setCurrentIndex(self._why_at)
        self.tabBar().setFocus()

    def choose(self, key: Key) -> None:
        """Show this candidate's configuration and packet tests when these tabs are opened."""
        self._key = key
        if _CAPTURES not in self._undrawn:
            self.captures.choose(key)
        self.highlight(key)
        for nth in range(self.candidates.count()):
            if self.candidates.item(nth).data(_KEY) == key:
                self.candidates.setCurrentRow(nth)

    def _replace(self, nth: int, widget: QWidget, title: str) -> None:
        current = self.currentIndex()
        old = self.widget(nth)
        self.removeTab(nth)
        if old is not None:
            old.deleteLater()
        self.insertTab(nth, widget, title)
        self.setCurrentIndex(current)

    def highlight(self, key: Key | None) -> None:
        """Show the band of a candidate among the curves, and limits of controllers from its shortest round trip on."""
        if _CURVES not in self._undrawn:
            self._show_highlight(key)

    def _show_highlight(self, key: Key | None) -> None:
        self.latency.highlight(key)
        data = self._data
        self.limits.count_from(data.least_ms(key) if data is not None and key is not None else None)

    def _draw_latency(self, data: ResultData) -> None:
        self.latency.set_sizes(data.record.plan.profile.frame_bytes)
        self.latency.set_candidates(data.names)
        self.latency.draw(data.curves)
        self._show_highlight(self._key)

    def _draw_ratios(self, data: ResultData) -> None:
        ratios = {(one.solution, one.suite): ratio for one, ratio in ratio_rows(data.ranking)}
        rounds = {
            (one.solution, one.suite): (one.weighted_latency_ms.rounds,)
            for one in data.ranking.results
            if one.weighted_latency_ms is not None
        }
        self.ratios.draw(data.names, ratios, rounds)

    def _draw_cdfs(self, data: ResultData) -> None:
        self.frame_size.offer(
            (f"{count(size)} {tr('bytes')}", size) for size in sorted({size for _, size in data.cdfs})
        )
        self._draw_cdf()

    def _draw_captures(self, data: ResultData) -> None:
        self.captures.show_data(data)
        if self._key is not None:
            self.captures.choose(self._key)

    def _draw_cdf(self) -> None:
        if self._data is not None and self.frame_size.currentData() is not None:
            self.cdf.draw(self._data, self.frame_size.currentData())

    def _hosts_tab(self, data: ResultData) -> QWidget:
        pair = data.record.plan.pair
        facts = data.record.facts
        titles = {one.solution: local_title(one.title.partition(", ")[0]) for one in data.record.plan.candidates}
        cards = FoldingCards(_LEAST_HOST_EM, (2, 1))
        cards.show_cards(
            [
                HostCard(HostCheck(side, facts[side.value], (), ()), pair.host(side), titles, has_missing=False)
                for side in Side
                if side.value in facts
            ]
        )
        return ScrollPage(holder(column(cards, 0, margin_px=GRID), "page"), WIDE_PX)

    def _show_candidate(self, item: QListWidgetItem | None) -> None:
        if item is None or self._data is None:
            return
        key = item.data(_KEY)
        attempts = self._data.record.attempts_of(key)
        parts = [attempt_story(attempt) for attempt in attempts]
        self.code.show_items(attempts[-1].configuration if attempts else (), parts)


def _why_tab(data: ResultData) -> QWidget:
    advice, slow = data.ranking.recommendation, data.slow.values()
    layout = column(label(advice.sentence, is_selectable=True), margin_px=2 * GRID)
    for title, sentences, icon, role in (
        (_reasons_title(data), (*advice.reasons, *filter(None, [harmless_drift(data.ranking.drift)])), "info", "text"),
        (tr("Warnings"), warnings_of(data.record, data.ranking), "warning", "legacy"),
        (
            tr("Slow (does not affect the verdict)"),
            tuple(f"{local_name(f.subject)}: {local_text(f.reason)}" for f in slow),
            "clock",
            "legacy",
        ),
    ):
        if sentences:
            layout.addSpacing(GRID)
            layout.addWidget(label(title, "strong"))
        for sentence in sentences:
            layout.addLayout(row(icon_label(icon, role), (label(sentence, is_selectable=True), 1)))
    layout.addStretch(1)
    return ScrollPage(holder(layout, "page"))


def _reasons_title(data: ResultData) -> str:
    """Return the heading above the verdict and figures of the candidate that the recommendation names first."""
    advice = data.ranking.recommendation
    if advice.solution is None or advice.suite is None:
        return tr("Verdict and figures")
    title = data.result((advice.solution, advice.suite)).title
    return tr("Verdict and figures of %1", title)


def _warnings_tab(warnings: tuple[str, ...]) -> QWidget:
    rows = [row(icon_label("warning", "legacy"), (label(text, is_selectable=True), 1)) for text in warnings]
    if not warnings:
        rows.append(row(icon_label("check", "good"), label(tr("No warnings.")), 0))
    return ScrollPage(holder(column(*rows, 0, margin_px=2 * GRID), "page"))
