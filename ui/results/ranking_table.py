"""The ranking: shared ranks drawn as brackets, everything also relative to the baseline."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QTableWidget

from app.domain.declared import comparison_reason
from app.domain.ranking import CandidateResult, RankedCandidate
from app.domain.results import AttemptStatus
from app.domain.solutions import BASELINE
from app.ranking.cautions import means_caution
from app.ranking.eligibility import MEASURED_BARRIERS
from app.ranking.warnings import candidate_warnings
from app.ranking.weighting import Scored, Weighting
from app.ranking.workloads import main_figures
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.candidate_rows import Key
from ui.common.data_table import SORT_ARROWS, DataTable, Index, LineDelegate
from ui.common.swatch import swatch_icon
from ui.common.texts import NONE, mbit_s, ms, pct, plain_tip, ratio, tr
from ui.common.theme import Theme
from ui.common.tips import set_tip
from ui.common.verdicts import verdict_appearance
from ui.plots.result_data import ResultData
from ui.results.ranking_order import (
    CPU,
    LATENCY,
    LATENCY_X,
    MBIT,
    MBIT_X,
    NAME,
    RANK,
    RATIO,
    STATE,
    VERDICT,
    YOURS,
    average,
    mean,
    ordered,
)
from ui.results.ranking_texts import mean_tip, state_icon, state_text, times_best
from ui.results.workload_columns import WorkloadColumns

_FIGURES = (LATENCY, RATIO, LATENCY_X, MBIT, MBIT_X, CPU, YOURS)
_PLACE = Qt.ItemDataRole.UserRole
_RANK_PX = 56
_SECOND_RANK = (LATENCY_X, MBIT_X, CPU)
_ROOMY_EM = 70
"""In a narrower table the CPU gives way to the names: it has a tab of its own."""
_ROOMY_WITH_RATIOS_EM = 84
"""In a narrower table the figures relative to the bare link do so as well."""
_ROOMY_WITH_INTERVALS_EM = 92
"""In a narrower table they do so beside intervals, which take precedence."""
_LEAST_NAME_EM = 16
"""Least width of a name; where that leaves no room for the figures, the table is scrolled."""


class RankingTable(DataTable):
    """One line per candidate, best first; references and failures below, without rank.

    A click on a header sorts by its column, a second one turns the order round, a third one returns to the ranks. Only
    in the order of the ranks are shared ones drawn as brackets: elsewhere their lines need not be neighbours.
    """

    open_asked = Signal()
    """The page of the selected candidate is wanted."""
    pointed_at = Signal(object)
    """Carries the Key of the line under the pointer; None where there is none."""
    deploy_asked = Signal()
    """The user wants to deploy the selected candidate."""

    def __init__(self, theme: Theme) -> None:
        headers = _headers()
        super().__init__(headers, _FIGURES, tr("Ranking"))
        self._workloads = WorkloadColumns(self, len(headers))
        self._headers = headers
        self._theme = theme
        self._data: ResultData | None = None
        self._places: tuple[RankedCandidate, ...] = ()
        self._sorting: tuple[int, Qt.SortOrder] | None = None
        self._weighting: Weighting | None = None
        self.set_tips(
            {
                RANK: tr(
                    "1 plus the number of candidates that are significantly faster. Those that share a rank "
                    "(=) are tied: one of them may have a higher mean than a candidate of the next rank."
                ),
                LATENCY: tr(
                    "Weighted mean of the mean round-trip times over seven frame sizes; medians decide the rank"
                ),
                RATIO: tr(
                    "Median latency divided by that of the fastest, in brackets its 95 % interval (none with one "
                    "round). Medians decide the rank; the quotient of the means may differ."
                ),
                LATENCY_X: tr("Weighted latency divided by that of the baseline"),
                MBIT: tr("TCP, mean of both directions"),
                MBIT_X: tr("Throughput divided by that of the baseline"),
                YOURS: tr("Rank and score by your own weights: 1 is the best in everything that has weight"),
                CPU: tr("Mean of both hosts during throughput; all cores together are 100 %"),
            }
        )
        self.setItemDelegateForColumn(RANK, _BracketDelegate(self, theme))
        header = self.horizontalHeader()
        header.setMinimumSectionSize(48)
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._on_header)
        self.setMouseTracking(True)
        self.cellEntered.connect(lambda row, _column: self.pointed_at.emit(self._key_at(row)))
        self._add_actions()
        by_rank = QAction(tr("Order by rank"), self)
        by_rank.triggered.connect(lambda: self.sort_by(None))
        self.addAction(by_rank)
        self.size_by_contents()
        self.stretch(NAME, _LEAST_NAME_EM)
        header.setSectionResizeMode(RANK, QHeaderView.ResizeMode.Fixed)
        header.moveSection(header.visualIndex(YOURS), 1)
        self.set_column_unused(YOURS, is_unused=True)
        self.hide_where_narrow(_SECOND_RANK, _ROOMY_EM)
        theme.changed.connect(self._redraw)

    def _add_actions(self) -> None:
        """Put what can be done with a candidate above what copies its line."""
        self.itemActivated.connect(self.open_asked)
        opening = QAction(tr("Open"), self)
        opening.triggered.connect(self.open_asked)
        self.deploy = QAction(tr("Deploy…"), self)
        self.deploy.triggered.connect(self.deploy_asked)
        self.insertActions(self.actions()[0], [opening, self.deploy])

    def show_data(self, data: ResultData) -> None:
        """Show a ranking, in its own order."""
        self._data = data
        self._workloads.show_rows(main_figures(data.record))
        self._headers = (*_headers(), *self._workloads.headers)
        self._hide_by_width()
        self.sort_by(None)
        if self._places:
            self.setCurrentCell(self._first_row(data), 0)

    def _first_row(self, data: ResultData) -> int:
        """Return the line to select: what the sentence names first, or the first failed VPN where none was measured."""
        advice = data.ranking.recommendation
        advised = [
            nth for nth, one in enumerate(self._places) if (one.solution, one.suite) == (advice.solution, advice.suite)
        ]
        if advised:
            return advised[0]
        results = [data.result((one.solution, one.suite)) for one in self._places]
        vpns = [nth for nth, one in enumerate(results) if one.solution != BASELINE]
        if any(results[nth].status is AttemptStatus.COMPLETED for nth in vpns):
            return 0
        return next((nth for nth in vpns if results[nth].status is AttemptStatus.FAILED), 0)

    def show_weighting(self, weighting: Weighting | None) -> None:
        """Order by the user's own weights, in a column of its own; None shows the order of the ranks again."""
        self._weighting = weighting
        self.set_column_unused(YOURS, is_unused=weighting is None)
        self._hide_by_width()
        self.sort_by(YOURS if weighting is not None else None)

    def _hide_by_width(self) -> None:
        own = () if self._weighting is None else (RATIO,)
        self.hide_where_narrow((*_SECOND_RANK, *own, *self._workloads.by_width), _ROOMY_EM)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tick the columns of workloads that have room."""
        super().resizeEvent(event)
        self._workloads.tick()

    def sort_by(self, column: int | None, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or by rank; keep the selection."""
        if self._data is None:
            return
        key = self.selected_key()
        is_by_rank = column is None or column == RANK
        self._sorting = None if is_by_rank else (column or 0, order)
        self._places = (
            ordered(self._data, *self._sorting, self._scores(), self._workloads.values)
            if self._sorting
            else self._data.ranking.ranking
        )
        self._mark_header()
        self._fill_all(self._data)
        found = [nth for nth, place in enumerate(self._places) if (place.solution, place.suite) == key]
        if found:
            self.setCurrentCell(found[0], 0)
        self.setAccessibleDescription(self._order_text())

    def _mark_header(self) -> None:
        """Write the way of sorting behind the column's name: Qt draws its own arrow over figures' names."""
        for nth, name in enumerate(self._headers):
            header = self.horizontalHeaderItem(nth)
            if header is not None and self._sorting is not None and self._sorting[0] == nth:
                header.setText(f"{name} {SORT_ARROWS[self._sorting[1]]}")
            elif header is not None:
                header.setText(name)

    def _order_text(self) -> str:
        if self._sorting is None:
            return tr("Ordered by rank")
        column, order = self._sorting
        way = tr("rising") if order is Qt.SortOrder.AscendingOrder else tr("falling")
        return tr("Ordered by %1, %2", self._headers[column], way)

    def _on_header(self, column: int) -> None:
        if self._sorting == (column, Qt.SortOrder.AscendingOrder):
            self.sort_by(column, Qt.SortOrder.DescendingOrder)
        elif self._sorting is not None and self._sorting[0] == column:
            self.sort_by(None)
        else:
            self.sort_by(column)

    def _fill_all(self, data: ResultData) -> None:
        places = self._places
        self.setRowCount(len(places))
        self.setColumnWidth(RANK, max(_RANK_PX, self.horizontalHeader().sectionSizeFromContents(RANK).width()))
        ratios = [one.ratio_to_best for one in data.ranking.results if one.ratio_to_best is not None]
        has_intervals = any(one.interval is not None for one in ratios)
        self.set_column_unused(RATIO, is_unused=len(ratios) < 2)
        least_em = _ROOMY_WITH_INTERVALS_EM if has_intervals else _ROOMY_WITH_RATIOS_EM
        self.hide_sooner({**dict.fromkeys((LATENCY_X, MBIT_X), least_em), **self._workloads.least_em(least_em)})
        self._workloads.tick()
        for nth, place in enumerate(places):
            result = data.result((place.solution, place.suite))
            texts = (
                self._rank_text(place),
                result.title,
                verdict_appearance(result.verdict).word,
                ms(mean(result.weighted_latency_ms)),
                times_best(result.ratio_to_best),
                ratio(result.latency_vs_baseline),
                mbit_s(average(result.throughput_mbit_s.values())),
                ratio(result.throughput_vs_baseline),
                pct(average(result.cpu_pct.values())),
                state_text(
                    result,
                    is_slow=(place.solution, place.suite) in data.slow,
                    has_warnings=self._has_warnings(result),
                    is_marked=bool(self._mark(result)),
                ),
                self._score_text((place.solution, place.suite)),
                *self._workloads.texts((place.solution, place.suite)),
            )
            for column, text in enumerate(texts):
                self._fill(nth, column, text, result)
            same = [other for other, candidate in enumerate(places) if place.rank and candidate.rank == place.rank]
            rank = self.cell(nth, RANK)
            is_bracketed = len(same) > 1 and self._sorting is None
            rank.setData(_PLACE, (nth == same[0], nth == same[-1]) if is_bracketed else None)
            rank.setData(Qt.ItemDataRole.AccessibleTextRole, None)
            if place.tied_with:
                others = ", ".join(place.tied_with)
                set_tip(rank, tr("Rank %1, shared: the difference to %2 is not significant", place.rank, others))
                rank.setData(Qt.ItemDataRole.AccessibleTextRole, rank.toolTip())
        self.share_width()

    def selected_key(self) -> Key | None:
        """Return the candidate of the selected line."""
        return self._key_at(self.currentRow())

    def leaveEvent(self, event: QEvent) -> None:
        """No line is under the pointer any more."""
        super().leaveEvent(event)
        self.pointed_at.emit(None)

    def _key_at(self, row: int) -> Key | None:
        if not 0 <= row < len(self._places):
            return None
        return self._places[row].solution, self._places[row].suite

    def _scores(self) -> dict[Key, Scored]:
        scored = self._weighting.scored if self._weighting is not None else ()
        return {(one.result.solution, one.result.suite): one for one in scored}

    def _score_text(self, key: Key) -> str:
        found = self._scores().get(key)
        if found is None:
            return NONE
        return f"{found.rank}  ({decimal(found.score, 2)})"

    def _mark(self, result: CandidateResult) -> str:
        """Return why a candidate with a place by the user's weights cannot be deployed; empty where it can."""
        found = self._scores().get((result.solution, result.suite))
        return found.mark if found is not None else ""

    @staticmethod
    def _rank_text(place: RankedCandidate) -> str:
        """Return a rank, with a sign where it is shared."""
        if place.rank is None:
            return NONE
        return f"{place.rank} =" if place.tied_with else str(place.rank)

    def _fill(self, nth: int, column: int, text: str, result: CandidateResult) -> None:
        item = self.cell(nth, column)
        item.setText(text)
        best = self._data.ranking.results[0] if self._data is not None else None
        tips = {
            LATENCY: mean_tip(result.weighted_latency_ms),
            RATIO: means_caution(result, best) if best is not None else "",
            STATE: self._place_tip(result) if self._mark(result) else self._why(result),
            YOURS: self._place_tip(result),
        }
        item.setToolTip(plain_tip(tips.get(column) or text))
        if column == NAME and self._data is not None:
            item.setIcon(swatch_icon(result.solution, self._data.names[(result.solution, result.suite)][1]))
        elif column == VERDICT:
            appearance = verdict_appearance(result.verdict)
            item.setIcon(self._theme.icon(appearance.icon, appearance.role))
        elif column == YOURS:
            mark = self._mark(result)
            item.setIcon(self._theme.icon("warning", "legacy") if mark else QIcon())
            spoken = f"{text}, {local_text(mark)}" if mark else None
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        elif column == STATE:
            icon, role = state_icon(result, has_warnings=self._has_warnings(result), is_marked=bool(self._mark(result)))
            item.setIcon(self._theme.icon(icon, role))

    def _has_warnings(self, result: CandidateResult) -> bool:
        return self._data is not None and bool(candidate_warnings(self._data.record, result))

    def _why(self, result: CandidateResult) -> str:
        """Return what the word in the last column means; being slow does not affect verdict or rank."""
        if not result.message and result.barrier is not None and result.barrier.reason in MEASURED_BARRIERS:
            return tr("Not recommended: it %1", local_text(result.barrier.words))
        slow = self._data.slow.get((result.solution, result.suite)) if self._data is not None else None
        return local_text(result.message) or (local_text(slow.reason) if slow is not None else "")

    def _place_tip(self, result: CandidateResult) -> str:
        """Return why a candidate has no place by the user's weights, or cannot be deployed although it has one."""
        if mark := self._mark(result):
            return ": ".join(map(local_text, filter(None, (mark, comparison_reason(result.solution)))))
        unscored = self._weighting.unscored if self._weighting is not None else ()
        return next((local_text(one.reason) for one in unscored if one.result is result), "")

    def _redraw(self) -> None:
        if self._data is not None:
            self._fill_all(self._data)


def _headers() -> tuple[str, ...]:
    return (
        tr("Rank"),
        tr("Candidate"),
        tr("Verdict"),
        tr("Latency"),
        tr("Median × best"),
        tr("× baseline"),
        tr("Throughput"),
        tr("× baseline"),
        tr("CPU"),
        tr("State"),
        tr("Yours"),
    )


class _BracketDelegate(LineDelegate):
    """Draws a rank, and a bracket around those that share it."""

    def __init__(self, parent: QTableWidget, theme: Theme) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell, then its piece of the bracket."""
        super().paint(painter, option, index)
        place = index.data(_PLACE)
        if place is None:
            return
        is_first, is_last = place
        rect = option.rect
        painter.save()
        painter.setPen(QPen(QColor(self._theme.colours.text), 2))
        right, left = rect.right() - 6, rect.right() - 14
        top = rect.top() + 6 if is_first else rect.top()
        bottom = rect.bottom() - 6 if is_last else rect.bottom() + 1
        painter.drawLine(right, top, right, bottom)
        if is_first:
            painter.drawLine(left, top, right, top)
        if is_last:
            painter.drawLine(left, bottom, right, bottom)
        painter.restore()
