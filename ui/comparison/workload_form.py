"""Choice of the workloads that are run over each candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from textwrap import fill

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.domain.conditions import Condition
from app.domain.hosts import PairSpec
from app.domain.workloads import TRANSFER_MB
from app.measurement.comparison.conditions import workloads_s
from app.measurement.options import RunOptions
from app.probes.workloads import WORKLOADS, Workload, chosen_workloads
from app.wording.messages import local_text
from ui.common.basics import column, label
from ui.common.texts import duration, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip

_LINE_LETTERS = 36
"""Longest line of a title: check boxes do not break lines."""


class WorkloadForm(QWidget):
    """A check box for each workload that is registered."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        layout = column(spacing_px=GRID // 2)
        self.setLayout(layout)
        self._transfer_mb = TRANSFER_MB
        self.boxes: dict[str, QCheckBox] = {}
        for name in WORKLOADS:
            box = QCheckBox()
            box.toggled.connect(self.edited)
            self.boxes[name] = box
            layout.addWidget(box)
        layout.addWidget(label(tr("Each is run over each candidate, in each round."), "muted"))
        self.show_condition(None)

    def chosen(self) -> tuple[str, ...]:
        """Return the names of the ticked workloads, in the order in which they run."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def options(self, base: RunOptions) -> RunOptions:
        """Return options with the ticked workloads."""
        return replace(base, workloads=self.chosen())

    def show_options(self, options: RunOptions) -> None:
        """Tick what was chosen before."""
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(name in options.workloads and box.isEnabledTo(self))
        self._transfer_mb = options.transfer_mb
        self.show_condition(options.condition)

    def show_pair(self, pair: PairSpec) -> None:
        """Offer on a pair what can be run there: what floods a host on practice labs only."""
        for name, box in self.boxes.items():
            if WORKLOADS[name].hub_clients:
                box.setEnabled(pair.is_lab)
                if not pair.is_lab:
                    with QSignalBlocker(box):
                        box.setChecked(False)

    def show_condition(self, condition: Condition | None) -> None:
        """Show titles, and in the tool tips the time that each takes under a condition of the link."""
        for one in chosen_workloads(tuple(WORKLOADS), self._transfer_mb):
            box, title = self.boxes[one.name], local_text(one.title)
            box.setText(fill(title, _LINE_LETTERS).replace("&", "&&"))
            box.setAccessibleName(title)
            took_s = workloads_s([one.name], condition, self._transfer_mb)
            set_tip(box, "\n".join(_facts(one, took_s)))


def _facts(one: Workload, took_s: float) -> Iterator[str]:
    """Yield what a workload measures, how long it takes, what it needs, and where its numbers come from."""
    yield tr("Measures: %1", "; ".join(tr(kind.title) for kind in one.figures))
    yield tr("Takes about %1 for each candidate and round", duration(took_s))
    for side, programs in one.needs.items():
        yield tr("Needs on host %1: %2", side.value.upper(), ", ".join(programs))
    if one.hub_clients:
        yield tr("On practice labs only: it floods one of the hosts")
    if one.source:
        yield tr(one.source)
