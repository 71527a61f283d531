"""A study of its own kind: what it is, its parts, own figures beside what is published, the CPU of a hub."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.domain.topology import NodeKind
from app.measurement.lab_study import LabPartState, LabStudy
from app.reports.lab_study import (
    TITLES,
    notes,
    outcome_lines,
    outcome_maps,
    outcome_tables,
    published_table,
    source,
    tries_table,
)
from app.reports.study_view import place_text
from app.storage.lab_results import HubResults, LabResults
from ui.common.basics import label, name_tabs
from ui.common.heat_maps import HeatMaps
from ui.common.outcome_tables import OutcomeTables
from ui.common.texts import count, duration, tr
from ui.common.theme import Theme
from ui.common.whole_table import WholeTable
from ui.studies.hub_cpu_view import HubCpuView
from ui.studies.study_page import study_page


class LabPartsTable(WholeTable):
    """One line per part."""

    def __init__(self) -> None:
        heads = [tr("Part"), tr("Measurements"), tr("Measured"), tr("Takes about"), tr("Left")]
        super().__init__(heads, {1, 2, 3, 4}, tr("Parts of the study"))
        tip = tr("Measurements with a result on the chosen lab; the others are made by the next run.")
        self.set_tips({2: tip})
        self.fit()

    def show_states(self, states: tuple[LabPartState, ...]) -> None:
        """Show how much of each part is measured; the selected line remains."""
        self.show_rows(
            [
                (
                    *(one.name, count(one.total)),
                    tr("%1 of %2").replace("%1", count(one.measured)).replace("%2", count(one.total)),
                    duration(one.all_s),
                    duration(one.left_s) if not one.is_whole else tr("nothing"),
                )
                for one in states
            ]
        )


class LabPanel(QWidget):
    """Tabs of the chosen study; own figures are those of the chosen part on the chosen lab."""

    part_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.study: LabStudy | None = None
        self.states: tuple[LabPartState, ...] = ()
        self.shown: LabResults | None = None
        self._stored: Mapping[str, LabResults] = {}
        self.parts, self.published = LabPartsTable(), OutcomeTables()
        self.parts.currentCellChanged.connect(self._on_part)
        self.what = label("", "strong", is_selectable=True)
        self.source, self.notes = (label("", "muted", is_selectable=True) for _ in range(2))
        self.hint = label(tr("Not measured yet."))
        self.figures, self.lines = OutcomeTables(), label("", is_selectable=True)
        self.lines_head = label(tr("Agreement, doubts and faults"), "heading")
        self.cpu, self.tries, self.maps = HubCpuView(theme), OutcomeTables(), HeatMaps(theme)
        self.tabs = QTabWidget()
        name_tabs(self.tabs, tr("Views of the study"))
        differs = label(tr("What differs from the study"), "heading")
        overview = self.what, self.source, self.parts, self.published, differs, self.notes
        self.tabs.addTab(study_page(*overview), tr("Parts"))
        self.tabs.addTab(study_page(self.hint, self.figures, self.lines_head, self.lines), tr("Results"))
        self.tabs.addTab(study_page(self.cpu), tr("CPU of the hub"))
        self.tabs.addTab(study_page(self.tries), tr("Rates that were tried"))
        self.tabs.addTab(self.maps, tr("Heat maps"))
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(self.tabs)

    @property
    def part(self) -> LabPartState | None:
        """The selected part."""
        nth = self.parts.currentRow()
        return self.states[nth] if 0 <= nth < len(self.states) else None

    def show_study(
        self, study: LabStudy, stored: Mapping[str, LabResults], nodes: NodeKind, *, is_shaped: bool
    ) -> None:
        """Show a study with what is measured on a lab.

        Args:
            stored: By part; those without results are left out.
            nodes: Kind of the nodes between which it was measured, or will be.
            is_shaped: Whether the hosts shape the link themselves.
        """
        is_another = self.study is None or self.study.name != study.name
        self.study = study
        if is_another:
            self.shown = None
            self.what.setText(tr(TITLES[study.name]))
            self.source.setText(tr("Source: %1").replace("%1", source(study.name)))
            self.published.show_tables((published_table(study.name),))
        self.notes.setText("\n".join(notes(study.name, nodes)))
        self._stored = stored
        self.states = tuple(study.state(part, stored.get(part), is_shaped=is_shaped) for part in study.parts)
        self.parts.show_states(self.states)
        if self.part is None:
            self.parts.blockSignals(True)  # noqa: FBT003 - Qt has it so
            self.parts.setCurrentCell(0, 0)
            self.parts.blockSignals(False)  # noqa: FBT003 - Qt has it so
        self._show_results()

    def _on_part(self, row_now: int, _column: int, row_before: int, _former: int) -> None:
        if row_now != row_before:
            self._show_results()
            self.part_changed.emit()

    def _show_results(self) -> None:
        found = self._stored.get(self.part.name) if self.part is not None else None
        results = found if found is not None and found.results else None
        if results is not None and results is self.shown:
            return
        self.shown = results
        if self.study is not None:
            maps = outcome_maps(self.study.name, results)
            place = place_text(results.pair, results.nodes) if results is not None else ""
            self.maps.show_in(self.tabs, maps, place)
        lines = outcome_lines(results) if results is not None else []
        self.hint.setVisible(results is None)
        self.figures.show_tables(outcome_tables(results) if results is not None else ())
        self.lines.setText("\n".join(f"• {line}" for line in lines))
        self.lines_head.setVisible(bool(lines))
        self.lines.setVisible(bool(lines))
        hub = results if isinstance(results, HubResults) else None
        self.cpu.show_results(hub)
        self.tries.show_tables((tries_table(hub),) if hub is not None else ())
        for nth, is_there in ((2, self.cpu.has_plots), (3, hub is not None)):
            self.tabs.setTabVisible(nth, is_there)
