"""The census as a table that can be sorted and filtered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from app.domain.census import CensusItem, OptionResult, OptionStatus
from app.domain.solutions import OptionKind
from app.domain.verdicts import Verdict
from app.ranking.census import BehindBest, behind_best
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.data_table import LEFT, RIGHT, Index, make_lines
from ui.common.swatch import swatch_icon
from ui.common.texts import NONE, plain_tip, tr
from ui.common.theme import Theme, tabular
from ui.common.verdicts import verdict_appearance

SOLUTION, NAME, KIND, VERDICT, STATE, LATENCY, TIMES, THROUGHPUT, REASON = range(9)
_FIGURES = (LATENCY, TIMES, THROUGHPUT)
_WIDTHS_PX = {SOLUTION: 136, NAME: 176, KIND: 80, VERDICT: 128, STATE: 120, LATENCY: 80, TIMES: 80, THROUGHPUT: 80}
"""Widths to begin with; headers may need more."""
_ICON_ROOM_PX = 44
"""An icon beside a word, with the margins of both."""

_LEAST_EM = {KIND: 75, TIMES: 75, THROUGHPUT: 56}
"""Widths of the table, in heights of its letters, below which columns are hidden."""
_SORT = Qt.ItemDataRole.UserRole

_NOWHERE = QModelIndex()


@dataclass(frozen=True, slots=True)
class CensusLine:
    """One line: an option, and what came of it so far.

    Attributes:
        item: What is tried.
        result: None until it was tried.
        verdict: The policy's word on its algorithms.
        behind: How far it is behind the best of its solution; nothing where it does not work.
        title: The VPN's title.
    """

    item: CensusItem
    result: OptionResult | None
    verdict: Verdict | None
    behind: BehindBest
    title: str


def census_lines(
    items: Sequence[CensusItem],
    results: Mapping[tuple[str, str], OptionResult],
    verdicts: Mapping[tuple[str, str], Verdict],
    titles: Mapping[str, str],
) -> list[CensusLine]:
    """Put items, results and verdicts together.

    Args:
        items: In the order of the plan.
        results: By solution and suite.
        titles: Titles of the VPNs by name.

    Returns:
        One line per item.
    """
    behind = behind_best(results.values())
    lines = []
    for item in items:
        key = item.solution, item.suite
        title = titles.get(item.solution, item.solution)
        lines.append(CensusLine(item, results.get(key), verdicts.get(key), behind.get(key, BehindBest()), title))
    return lines


def kind_word(kind: OptionKind) -> str:
    """Return what an option is, for people."""
    return {OptionKind.CIPHER: tr("cipher"), OptionKind.MAC: "MAC", OptionKind.AEAD: "AEAD"}[kind]


def state_appearance(line: CensusLine) -> tuple[str, str, str]:
    """Return icon, word and the name of a colour for what became of an option."""
    if line.result is None or line.result.status is OptionStatus.NOT_RUN:
        return "clock", tr("not tried"), "muted"
    if line.result.status is OptionStatus.WORKS:
        return ("clock", tr("works, slow"), "legacy") if line.behind.slow else ("check", tr("works"), "good")
    if line.result.status is OptionStatus.UNPROTECTED:
        return "open", tr("unprotected"), "muted"
    return "error", tr("fails"), "bad"


class CensusModel(QAbstractTableModel):
    """Lines as Qt wants them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._headers = (
            tr("VPN"),
            tr("Option"),
            tr("Kind"),
            tr("Verdict"),
            tr("State"),
            tr("Latency"),
            tr("× best"),
            tr("Throughput"),
            tr("Output"),
        )
        self.lines: list[CensusLine] = []

    def set_lines(self, lines: list[CensusLine]) -> None:
        """Show other lines; keep the selection and the scroll position where the options are the same."""
        if [line.item for line in lines] == [line.item for line in self.lines]:
            self.lines = lines
            if lines:
                self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(self._headers) - 1))
            return
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Return how many options there are."""
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a heading."""
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in _FIGURES else LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, how, or what it is sorted by."""
        line, column = self.lines[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(line, column)
        if role == _SORT:
            return _order(line, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in _FIGURES else LEFT
        if role == Qt.ItemDataRole.FontRole and column in _FIGURES:
            return tabular(QFont())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_text(line, column)) if column in (NAME, REASON) else None
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon(line, column)
        return None

    def _icon(self, line: CensusLine, column: int) -> Any:
        if column == SOLUTION:
            return swatch_icon(line.item.solution)
        if column == VERDICT and line.verdict is not None:
            appearance = verdict_appearance(line.verdict)
            return self._theme.icon(appearance.icon, appearance.role)
        if column == STATE:
            icon, _, role = state_appearance(line)
            return self._theme.icon(icon, role)
        return None


def _text(line: CensusLine, column: int) -> str:
    item, result = line.item, line.result
    latency = result.weighted_latency_ms if result else None
    rate = result.throughput_mbit_s if result else None
    alias = f"  = {item.alias_of}" if item.alias_of else ""
    texts: Mapping[int, Callable[[], str]] = {
        SOLUTION: lambda: line.title,
        NAME: lambda: f"{item.name}{alias}",
        KIND: lambda: kind_word(item.kind),
        VERDICT: lambda: verdict_appearance(line.verdict).word if line.verdict is not None else "",
        STATE: lambda: state_appearance(line)[1],
        LATENCY: lambda: NONE if latency is None else f"{decimal(latency, 2)} ms",
        TIMES: lambda: NONE if line.behind.latency_factor is None else f"{decimal(line.behind.latency_factor, 1)} ×",
        THROUGHPUT: lambda: NONE if rate is None else f"{decimal(rate, 1)} Mbit/s",
        REASON: lambda: (
            f"{' '.join(local_text(result.reason).split())} {local_text(line.behind.slow)}".strip() if result else ""
        ),
    }
    return texts[column]()


def _order(line: CensusLine, column: int) -> Any:
    result = line.result
    never = float("inf")
    if column == LATENCY:
        return never if result is None or result.weighted_latency_ms is None else result.weighted_latency_ms
    if column == TIMES:
        return never if line.behind.latency_factor is None else line.behind.latency_factor
    if column == THROUGHPUT:
        return -1.0 if result is None or result.throughput_mbit_s is None else result.throughput_mbit_s
    if column == VERDICT:
        return -1 if line.verdict is None else line.verdict.severity
    return _text(line, column).casefold()


class CensusFilter(QSortFilterProxyModel):
    """Lets through what fits the chosen words, solution, kind and state."""

    def __init__(self, model: CensusModel) -> None:
        super().__init__()
        self._model = model
        self.words: tuple[str, ...] = ()
        self.solution = ""
        self.kind: OptionKind | None = None
        self.state = ""
        self.setSourceModel(model)
        self.setSortRole(_SORT)

    def choose(self, *, words: str, solution: str, kind: OptionKind | None, state: str) -> None:
        """Take new wishes; empty ones let everything through."""
        self.beginFilterChange()
        self.words = tuple(words.casefold().split())
        self.solution, self.kind, self.state = solution, kind, state
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, _source_parent: Index) -> bool:
        """Return whether a line is shown."""
        line = self._model.lines[source_row]
        if self.solution and line.item.solution != self.solution:
            return False
        if self.kind is not None and line.item.kind != self.kind:
            return False
        if self.state and state_appearance(line)[1] != self.state:
            return False
        text = " ".join(_text(line, column) for column in (SOLUTION, NAME, VERDICT, STATE, REASON)).casefold()
        return all(word in text for word in self.words)


class CensusTable(QTableView):
    """The table itself."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.census = CensusModel(theme)
        self.filter = CensusFilter(self.census)
        self.setModel(self.filter)
        make_lines(self, tr("Options"))
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(48)
        for column, width_px in _WIDTHS_PX.items():
            header.resizeSection(column, width_px)
        self._fit_columns()
        self.census.modelReset.connect(self._fit_columns)
        theme.changed.connect(self.viewport().update)

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows to larger texts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._hide_columns()
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Give solutions, verdicts and states room for their longest word, and every column for its header."""
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        words = {
            SOLUTION: [line.title for line in self.census.lines],
            VERDICT: [verdict_appearance(one).word for one in Verdict],
            STATE: [tr("works, slow"), tr("unprotected"), tr("not tried")],
        }
        for column in _WIDTHS_PX:
            longest_px = max(map(metrics.horizontalAdvance, words.get(column, [])), default=-_ICON_ROOM_PX)
            needed_px = max(longest_px + _ICON_ROOM_PX, header.sectionSizeFromContents(column).width())
            header.resizeSection(column, max(header.sectionSize(column), needed_px))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what matters least where the table is narrow: the sentence of an option has to be in sight."""
        self._hide_columns()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit columns to their headers in the current style of the window, which headers have only now."""
        super().showEvent(event)
        self._fit_columns()

    def _hide_columns(self) -> None:
        width_em = self.width() / self.fontMetrics().height()
        for column, least_em in _LEAST_EM.items():
            self.setColumnHidden(column, width_em < least_em)

    def current_line(self) -> CensusLine | None:
        """Return the selected option."""
        index = self.currentIndex()
        return self.census.lines[self.filter.mapToSource(index).row()] if index.isValid() else None
