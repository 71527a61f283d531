"""Results of workloads: a row for each figure, a column for each candidate."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.ranking.workloads import WorkloadTable
from app.wording.messages import local_text
from ui.common.basics import column, label
from ui.common.data_table import DataTable
from ui.common.texts import plain_tip, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip


class WorkloadView(QWidget):
    """The table, with what it rests on below.

    Args:
        found: Results of a comparison's workloads.
    """

    def __init__(self, found: WorkloadTable) -> None:
        super().__init__()
        heads = (tr("Workload"), tr("Figure"), *(title for _, title in found.candidates))
        self.table = DataTable(heads, (), tr("Workloads"))
        self.table.setSelectionMode(DataTable.SelectionMode.NoSelection)
        self.table.size_by_contents()
        notes = (tr("* the best, or as good: ranges of the rounds overlap"), *found.notes)
        self.notes = label("\n".join(notes), "muted", is_selectable=True)
        self.setLayout(column((self.table, 1), self.notes, margin_px=GRID))
        self._fill(found)

    def _fill(self, found: WorkloadTable) -> None:
        self.table.setRowCount(len(found.rows))
        for nth, one in enumerate(found.rows):
            unit = f", {one.kind.unit}" if one.kind.unit else ""
            texts = [local_text(one.workload_title) if one.is_main else "", f"{local_text(one.kind.title)}{unit}"]
            for key, _ in found.candidates:
                cell = one.cells.get(key)
                texts.append("–" if cell is None else cell.words)
            for place, text in enumerate(texts):
                item = self.table.cell(nth, place)
                item.setText(text)
                item.setToolTip(plain_tip(text))
                if place > 1:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            set_tip(self.table.cell(nth, 0), local_text(one.workload_title))
