"""The table of candidates while they are measured."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, QTimer

from app.wording.language import trn
from ui.common.candidate_rows import Row, RowState
from ui.common.data_table import DataTable
from ui.common.stage_texts import joined, stage_text
from ui.common.swatch import swatch_icon
from ui.common.texts import mbit_s, ms, pct, tr
from ui.common.theme import GRID, Theme
from ui.common.verdicts import verdict_appearance

_MOST_LINES = 3
"""Lines of a reason that are shown; the tool tip has all of it."""
_NAME, _VERDICT, _LATENCY, _MBIT, _CPU, _STATE = range(6)
_ROOMY_EM = 50
"""A narrower table leaves the verdict to the choice and the results."""
_LEAST_STATE_EM = 6
"""Least width of a state; where that leaves no room for the others, the table is scrolled."""


class RunTable(DataTable):
    """One line per candidate: verdict, weighted latency, throughput, CPU, state."""

    def __init__(self, theme: Theme) -> None:
        headers = (tr("Candidate"), tr("Verdict"), tr("Weighted latency"), tr("Throughput"), tr("CPU"), tr("State"))
        super().__init__(headers, (_LATENCY, _MBIT, _CPU), tr("Candidates and their state"))
        self._theme = theme
        self._shown: tuple[Row, ...] = ()
        header = self.horizontalHeader()
        header.setMinimumSectionSize(48)
        self.size_by_contents()
        self.stretch(_STATE, _LEAST_STATE_EM)
        self.hide_where_narrow((_VERDICT,), _ROOMY_EM)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.timeout.connect(self._fit_rows)
        header.sectionResized.connect(lambda *_sizes: self._fitting.start(0))  # once the table has its new width
        theme.changed.connect(self._redraw)

    def selected_row(self) -> Row | None:
        """Return the candidate of the selected line."""
        nth = self.currentRow()
        return self._shown[nth] if 0 <= nth < len(self._shown) else None

    def show_candidates(self, rows: Sequence[Row]) -> None:
        """Show rows; only those that changed are touched."""
        if len(rows) != self.rowCount():
            self.setRowCount(len(rows))
            self._shown = ()
        for nth, row in enumerate(rows):
            if nth >= len(self._shown) or self._shown[nth] != row:
                self._show(nth, row)
                self._fitting.start(0)
        self._shown = tuple(rows)
        self.share_width()

    def _fit_rows(self) -> None:
        """Give the state of each candidate, which may name a reason, the lines that it needs."""
        usual_px = self.verticalHeader().defaultSectionSize()
        metrics, wrap = self.fontMetrics(), Qt.TextFlag.TextWordWrap.value
        room = QRect(0, 0, self.columnWidth(_STATE) - 5 * GRID, 0)  # beside the icon and its margins
        for nth in range(self.rowCount()):
            needed_px = metrics.boundingRect(room, wrap, self.cell(nth, _STATE).text()).height()
            lines = min(_MOST_LINES, max(1, round(needed_px / metrics.lineSpacing())))
            self.setRowHeight(nth, usual_px + (lines - 1) * metrics.lineSpacing())

    def _redraw(self) -> None:
        rows, self._shown = self._shown, ()
        self.show_candidates(rows)

    def _show(self, nth: int, row: Row) -> None:
        appearance = verdict_appearance(row.verdict)
        cells = (row.title, appearance.word, ms(row.latency_ms), mbit_s(row.mbit_s), pct(row.cpu_pct), state_text(row))
        self.show_row(nth, cells, has_tips=True)
        self.cell(nth, _NAME).setIcon(swatch_icon(row.key[0], row.nth_suite))
        self.cell(nth, _VERDICT).setIcon(self._theme.icon(appearance.icon, appearance.role))
        icon, role = _STATE_ICONS[row.state]
        self.cell(nth, _STATE).setIcon(self._theme.icon(icon, role))


_STATE_ICONS = {
    RowState.WAITING: ("clock", "muted"),
    RowState.RUNNING: ("play", "accent"),
    RowState.DONE: ("check", "good"),
    RowState.FAILED: ("error", "bad"),
    RowState.SKIPPED: ("skip", "muted"),
    RowState.CANCELLED: ("stop", "muted"),
    RowState.NOT_RUN: ("skip", "muted"),
    RowState.ENDED_EARLY: ("stop", "muted"),
}


def state_text(row: Row) -> str:
    """Return the state of a candidate in words."""
    rounds = _rounds_text(row)
    is_last_due = row.rounds_done == row.rounds and row.attempts_done < row.attempts
    match row.state:
        case RowState.WAITING:
            return tr("waiting for a repetition") if is_last_due else tr("waiting") + rounds
        case RowState.RUNNING:
            return joined(stage_text(row.stage), row.detail) + rounds
        case RowState.DONE:
            return _with_detail(tr("done") + rounds, row.detail if row.is_open_ended else "")
        case RowState.FAILED:
            return f"{tr('failed')}: {row.detail}"
        case RowState.SKIPPED:
            return f"{tr('skipped')}{rounds}"
        case RowState.CANCELLED:
            return tr("cancelled")
        case RowState.NOT_RUN:
            return _with_detail(tr("not run"), row.detail)
        case RowState.ENDED_EARLY:
            words = tr("measured, but not repeated at the end") if is_last_due else _measured_text(row)
            return _with_detail(words, row.detail)


def _with_detail(words: str, detail: str) -> str:
    return f"{words}: {detail}" if detail else words


def _measured_text(row: Row) -> str:
    """Return how many rounds were measured of a candidate that ended early."""
    if row.is_open_ended:
        return tr("measured") + _rounds_text(row)
    return tr("%1 of %2 rounds measured", row.rounds_done, row.rounds)


def _rounds_text(row: Row) -> str:
    """Return how many rounds are done, of how many where that is fixed."""
    if row.is_open_ended and row.state is RowState.RUNNING:
        return f" ({tr('round %1', row.rounds_done + 1)})"
    if row.is_open_ended:
        return f" ({trn('%1 round', '%1 rounds', row.rounds_done).replace('%1', str(row.rounds_done))})"
    return f" ({row.rounds_done}/{row.rounds})" if row.rounds > 1 else ""
