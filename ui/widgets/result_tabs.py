"""Curves, distribution, throughput against latency, CPU, the wire, hosts, doubts, configuration."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QListWidgetItem, QTabWidget, QVBoxLayout, QWidget

from app.domain.hosts import Side
from app.wizard import HostCheck
from ui.attempt_story import attempt_story, attempts_of
from ui.live_rows import Key
from ui.plots.framed import framed
from ui.plots.latency import LatencyPlot
from ui.plots.results import CdfPlot, CpuBarsPlot, FrontierPlot
from ui.result_data import ResultData
from ui.texts import tr
from ui.theme import GRID, Theme
from ui.widgets.basics import ScrollPage, icon_label, label, label_for, name_tabs, row
from ui.widgets.code_view import CodeView
from ui.widgets.data_table import LineDelegate
from ui.widgets.host_card import HostCard
from ui.widgets.swatch import swatch_icon
from ui.widgets.tips import set_tip
from ui.widgets.wire_view import WireView

_LEAST_PX = 360
"""Leaves some 280 px to a plot."""

_KEY = Qt.ItemDataRole.UserRole


class ResultTabs(QTabWidget):
    """Everything below the ranking."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setDocumentMode(False)
        name_tabs(self, tr("Views of the results"))
        self.setMinimumHeight(_LEAST_PX)
        self._theme = theme
        self._data: ResultData | None = None
        self.latency = LatencyPlot(theme)
        self.cdf = CdfPlot(theme)
        self.frontier = FrontierPlot(theme)
        self.cpu = CpuBarsPlot(theme)
        self.frame_size = QComboBox()
        self.frame_size.setAccessibleName(tr("Frame size of the distribution"))
        self.frame_size.currentIndexChanged.connect(self._draw_cdf)
        self.candidates = QListWidget()
        self.candidates.setAccessibleName(tr("Candidates"))
        self.candidates.setMaximumWidth(280)
        self.candidates.setItemDelegate(LineDelegate(self.candidates))
        self.candidates.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.candidates.currentItemChanged.connect(self._show_candidate)
        self.code = CodeView(theme)
        self.wire = WireView(theme)
        self.why = QWidget()
        self.hosts = QWidget()
        self.doubts = QWidget()
        self.addTab(framed(self.latency, look="plain"), tr("Curves"))
        self.addTab(self._cdf_tab(), tr("Distribution"))
        self.addTab(framed(self.frontier, look="plain"), tr("Frontier"))
        self.addTab(framed(self.cpu, look="plain"), tr("CPU"))
        self._wire_at = self.addTab(self.wire, tr("Wire"))
        self._why_at = self.addTab(self.why, tr("Why"))
        self._hosts_at = self.addTab(self.hosts, tr("Hosts"))
        self._doubts_at = self.addTab(self.doubts, tr("Doubts"))
        self._code_at = self.addTab(self._code_tab(), tr("Configuration"))

    def show_data(self, data: ResultData) -> None:
        """Show a comparison."""
        self._data = data
        self.latency.set_sizes(data.record.plan.profile.frame_bytes)
        self.latency.set_candidates(data.names)
        self.latency.draw(data.curves)
        sizes = sorted({size for _, size in data.cdfs})
        self.frame_size.blockSignals(True)  # noqa: FBT003 - Qt has it so
        self.frame_size.clear()
        for size in sizes:
            self.frame_size.addItem(f"{size} {tr('bytes')}", size)
        self.frame_size.blockSignals(False)  # noqa: FBT003 - Qt has it so
        self._draw_cdf()
        self.frontier.draw(data)
        self.cpu.draw(data)
        self.wire.show_data(data)
        self._replace(self._why_at, _why_tab(data), tr("Why"))
        self._replace(self._hosts_at, self._hosts_tab(data), tr("Hosts"))
        doubts = doubts_of(data)
        title = tr("Doubts (%1)").replace("%1", str(len(doubts))) if doubts else tr("Doubts")
        self._replace(self._doubts_at, _doubts_tab(doubts), title)
        self.candidates.clear()
        for candidate in data.record.plan.candidates:
            key = (candidate.solution, candidate.suite)
            item = QListWidgetItem(swatch_icon(candidate.solution, data.names[key][1]), candidate.title)
            item.setData(_KEY, key)
            set_tip(item, candidate.title)
            self.candidates.addItem(item)
        self.candidates.setCurrentRow(0)

    def show_why(self) -> None:
        """Open the tab with what speaks for and against."""
        self.setCurrentIndex(self._why_at)
        self.tabBar().setFocus()

    def choose(self, key: Key) -> None:
        """Show this candidate's configuration, and what the wire showed of it, when these tabs are opened."""
        self.wire.choose(key)
        self.latency.highlight(key)
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

    def _draw_cdf(self) -> None:
        if self._data is not None and self.frame_size.currentData() is not None:
            self.cdf.draw(self._data, self.frame_size.currentData())

    def _cdf_tab(self) -> QWidget:
        tab = QWidget()
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.addLayout(row(label_for(tr("Frame size"), self.frame_size), self.frame_size, 0))
        layout.addWidget(framed(self.cdf, look="plain"), 1)
        return tab

    def _code_tab(self) -> QWidget:
        tab = QWidget()
        layout = QHBoxLayout(tab)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.candidates, 1)
        layout.addWidget(self.code, 3)
        return tab

    def _hosts_tab(self, data: ResultData) -> QWidget:
        pair = data.record.plan.pair
        content = QWidget()
        content.setProperty("look", "page")
        cards = QHBoxLayout(content)
        cards.setContentsMargins(GRID, GRID, GRID, GRID)
        cards.setSpacing(2 * GRID)
        for side in Side:
            if side.value in data.record.facts:
                check = HostCheck(side, data.record.facts[side.value], (), ())
                cards.addWidget(HostCard(check, pair.host(side).label, has_missing=False), 1)
        return ScrollPage(content, 1600)

    def _show_candidate(self, item: QListWidgetItem | None) -> None:
        if item is None or self._data is None:
            return
        key = item.data(_KEY)
        attempts = attempts_of(self._data.record, key)
        parts = [attempt_story(attempt) for attempt in attempts]
        self.code.show_parts(parts, attempts[-1].configuration if attempts else ())


def doubts_of(data: ResultData) -> tuple[str, ...]:
    """Return every doubt once: of the comparison, then of its candidates."""
    general = [data.ranking.drift.sentence, *data.ranking.doubts]
    own = [f"{result.title}: {doubt}" for result in data.ranking.results for doubt in result.doubts]
    return tuple(dict.fromkeys(sentence for sentence in (*general, *own) if sentence))


def _why_tab(data: ResultData) -> QWidget:
    advice, slow = data.ranking.recommendation, data.slow.values()
    content = QWidget()
    content.setProperty("look", "page")
    layout = QVBoxLayout(content)
    layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
    layout.addWidget(label(advice.sentence, is_selectable=True))
    for title, sentences, icon, role in (
        (tr("What speaks for it"), advice.reasons, "check", "good"),
        (tr("What to mind"), advice.cautions, "warning", "legacy"),
        (tr("Slow, which bears on no verdict"), tuple(f"{f.subject}: {f.reason}" for f in slow), "clock", "legacy"),
    ):
        if sentences:
            layout.addSpacing(GRID)
            layout.addWidget(label(title, "strong"))
        for sentence in sentences:
            line = row(icon_label(icon, role), label(sentence, is_selectable=True))
            line.setStretch(1, 1)
            layout.addLayout(line)
    layout.addStretch(1)
    return ScrollPage(content)


def _doubts_tab(doubts: tuple[str, ...]) -> QWidget:
    content = QWidget()
    content.setProperty("look", "page")
    layout = QVBoxLayout(content)
    layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
    if not doubts:
        layout.addLayout(row(icon_label("check", "good"), label(tr("Nothing speaks against these figures.")), 0))
    for doubt in doubts:
        line = row(icon_label("warning", "legacy"), label(doubt, is_selectable=True))
        line.setStretch(1, 1)
        layout.addLayout(line)
    layout.addStretch(1)
    return ScrollPage(content)
