"""Results of the packet tests: one line per candidate, and all details of the selected one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.domain.capture import Property, properties_of
from app.wording.capture_sentences import RESULT_WORDS, worst_breakage
from app.wording.messages import local_text
from ui.common.basics import column, label
from ui.common.candidate_rows import Key
from ui.common.data_table import DataTable
from ui.common.splits import split
from ui.common.swatch import swatch_icon
from ui.common.texts import NONE, count, plain_tip, tr
from ui.common.theme import GRID, Theme
from ui.common.tips import set_tip
from ui.common.verdicts import Appearance
from ui.plots.result_data import ResultData
from ui.results.capture_appearances import property_appearance, short_break, short_leak
from ui.results.capture_details import CaptureDetails

_NAME, _LEAK, _AUTHENTIC, _REPLAY, _BROKEN, _MTU, _SPEED = range(7)
_PROPERTIES = {_AUTHENTIC: Property.AUTHENTIC, _REPLAY: Property.REPLAY_PROOF}
_KEY = Qt.ItemDataRole.UserRole
_SIDE_BY_SIDE_PX = 1_300
"""From this width on, the selected candidate is beside the table, else below it."""
_AROUND_NAME_PX = 40
"""An icon beside a name, with the margins of both."""
_ROOMY_PX = 960
"""In less width the advised MTU is hidden in favour of the names; the selected candidate's is below."""


class CaptureView(QWidget):
    """Overview, and the selected candidate beside or below it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._data: ResultData | None = None
        headers = (
            tr("Candidate"),
            tr("Confidential"),
            tr("Authentic"),
            tr("Replay-proof"),
            tr("Fail-closed"),
            tr("Advised MTU"),
            tr("Speed"),
        )
        self.table = DataTable(headers, (_MTU,), tr("Packet tests"))
        self.table.set_tips(
            {
                _LEAK: tr(
                    "Leak test: whether canary frames (test frames with a known pattern) were readable on the underlay"
                ),
                _AUTHENTIC: tr("Injection test: whether forged and altered packets were kept out"),
                _REPLAY: tr("Injection test: whether replayed packets were kept out"),
                _BROKEN: tr("Fail-closed test: what happened to canary frames after the protection was removed"),
                _MTU: tr("The inner MTU that avoids fragments; none where nothing is fragmented"),
                _SPEED: tr("Relative to the fastest of this pair; does not affect the verdict"),
            }
        )
        self.table.size_by_contents(_NAME)
        header = self.table.horizontalHeader()
        header.setMinimumSectionSize(56)
        header.sectionResized.connect(self._on_resized)
        self.table.itemSelectionChanged.connect(self._on_row)
        self.details = CaptureDetails(theme)
        self.nothing = label(tr("No packet tests in this comparison."), "muted")
        self._split = split(self.table, self.details, sizes_px=(640, 440), stretches=(3, 2), handle_px=2 * GRID)
        self.setLayout(column(self.nothing, (self._split, 1), margin_px=GRID))
        theme.changed.connect(self._redraw)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the selected candidate where there is room for it."""
        super().resizeEvent(event)
        is_wide = self.width() >= _SIDE_BY_SIDE_PX
        self.table.set_column_unused(_MTU, is_unused=self.width() < _ROOMY_PX)
        orientation = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if self._split.orientation() is not orientation:
            self._split.setOrientation(orientation)
            total = self.width() if is_wide else self.height()
            self._split.setSizes([total * 3 // 5, total * 2 // 5] if is_wide else [total // 2, total // 2])

    def showEvent(self, event: QShowEvent) -> None:
        """Choose names for the width that the table has now."""
        super().showEvent(event)
        self._show_names()

    def show_data(self, data: ResultData) -> None:
        """Show a comparison."""
        self._data = data
        keys = [key for key in _ranked(data) if key in data.captures]
        self.nothing.setVisible(not keys)
        self._split.setVisible(bool(keys))
        self.table.setColumnHidden(_SPEED, not data.slow)
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(keys))
            for nth, key in enumerate(keys):
                self._fill_row(nth, key, data)
        self._show_names()
        if keys:
            self.table.setCurrentCell(0, 0)
            self._on_row()

    def _on_resized(self, column: int) -> None:
        if column == _NAME:
            self._show_names()

    def _show_names(self) -> None:
        """Leave out suites where names have too little room to be distinguished: the details have them."""
        data, table = self._data, self.table
        if data is None:
            return
        keys = [table.cell(nth, _NAME).data(_KEY) for nth in range(table.rowCount())]
        titles = [data.result((key[0], key[1])).title for key in keys]
        room_px = table.columnWidth(_NAME) - _AROUND_NAME_PX
        widest_px = max(map(table.fontMetrics().horizontalAdvance, titles), default=0)
        is_roomy = widest_px <= room_px or not table.isVisible()  # its width is not known before it is shown
        for nth, (key, title) in enumerate(zip(keys, titles, strict=True)):
            table.cell(nth, _NAME).setText(title if is_roomy else data.names[key[0], key[1]][0])

    def choose(self, key: Key) -> None:
        """Select a candidate, if it had packet tests."""
        for nth in range(self.table.rowCount()):
            if self.table.cell(nth, _NAME).data(_KEY) == key:
                self.table.setCurrentCell(nth, 0)

    def _fill_row(self, nth: int, key: Key, data: ResultData) -> None:
        result, report, slow = data.result(key), data.captures[key], data.slow.get(key)
        mtu = report.advised_inner_mtu_bytes
        advised = count(mtu) if mtu is not None else NONE
        self.table.cell(nth, _MTU).setText(advised)
        set_tip(self.table.cell(nth, _MTU), advised)
        self.table.cell(nth, _SPEED).setText(tr("slow") if slow is not None else NONE)
        name = self.table.cell(nth, _NAME)
        name.setToolTip(plain_tip(result.title))
        name.setData(_KEY, key)
        name.setIcon(swatch_icon(result.solution, data.names[key][1]))
        set_tip(self.table.cell(nth, _SPEED), local_text(slow.reason) if slow is not None else "")
        proof = report.leak
        self._show_appearance(nth, _LEAK, short_leak(proof.verdict) if proof is not None else None)
        results = properties_of(report)
        for place, kind in _PROPERTIES.items():
            rated = None
            if report.injection is not None:
                verdict = results[kind].verdict
                rated = property_appearance(verdict, tr(RESULT_WORDS[verdict]), is_exempt=report.injection.is_exempt)
            self._show_appearance(nth, place, rated)
        worst = worst_breakage(proof.broken) if proof is not None else None
        self._show_appearance(nth, _BROKEN, short_break(worst) if worst is not None else None)

    def _show_appearance(self, nth: int, column: int, shown: Appearance | None) -> None:
        cell = self.table.cell(nth, column)
        cell.setText(shown.word if shown is not None else NONE)
        cell.setIcon(self._theme.icon(shown.icon, shown.role) if shown is not None else QIcon())

    def _on_row(self) -> None:
        data, nth = self._data, self.table.currentRow()
        if data is None or not 0 <= nth < self.table.rowCount():
            return
        key = self.table.cell(nth, _NAME).data(_KEY)
        if key is not None:
            key = (key[0], key[1])
            self.details.show_report(data.result(key).title, data.captures[key], data.slow.get(key))

    def _redraw(self) -> None:
        if self._data is not None:
            nth = self.table.currentRow()
            self.show_data(self._data)
            self.table.setCurrentCell(nth, 0)


def _ranked(data: ResultData) -> list[Key]:
    return [(place.solution, place.suite) for place in data.ranking.ranking]
