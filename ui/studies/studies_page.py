"""Studies: a published table, and its parts measured again on a practice lab or a pair with nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.topology import NodeKind
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.lab_study import LabStudy
from app.ranking.comparison_study import ComparisonStudy, comparison_studies
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.repeated_study import repeated_study
from app.ranking.study_parts import SATCOM, PartState, part_states, with_others
from app.reports.lab_study import write_lab_study
from app.reports.study_report import write_study
from app.reports.study_view import StudyView, part_view, place_text
from app.storage.lab_results import LabResults
from app.storage.study_results import StudyResults
from ui.common.basics import ChoiceBox, button, label, label_for, row
from ui.common.context import PageContext
from ui.common.operations import Operation
from ui.common.page import busy_reason
from ui.common.texts import tr
from ui.common.tips import enable
from ui.studies.choices import StudyChoices, choices_of
from ui.studies.comparison_dialog import ask_comparison
from ui.studies.comparison_panel import ComparisonPanel
from ui.studies.lab_measuring import LabMeasuring
from ui.studies.measuring_page import MeasuringPage
from ui.studies.nodes_choice import is_own_name, why_not_measured, why_not_there
from ui.studies.restart_time import RestartTime
from ui.studies.saving import ask_file, save
from ui.studies.study_tabs import StudyTabs, lab_state_text, state_text
from ui.studies.transfer_measuring import TransferMeasuring

if TYPE_CHECKING:
    from app.domain.progress import ProgressSink

_LEAST_BOX_PX = 240
_STATE_STRETCH = 20  # beside a margin that is there where the state is hidden


class StudiesPage(MeasuringPage):
    """A pair and a part are chosen; what is stored of them is shown, and what has no time yet can be measured."""

    comparison_asked = Signal(object)
    """Carries the WantedStudy that is to be measured by a comparison."""
    results_asked = Signal(int)
    """Carries the number of the comparison whose results are to be shown."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Studies"),
            tr("Measures a published table again on a practice lab or a pair with nodes, beside published figures."),
        )
        self._choices = StudyChoices({}, {}, ())
        self._states: tuple[PartState, ...] = ()
        self._is_lab_missing = False
        self._viewing: Operation | None = None
        self._reading: Operation | None = None
        self.view: StudyView | None = None
        self._make_head()
        self.state = label("", "strong")
        self.tabs = StudyTabs(context.theme)
        self.tabs.parts.currentCellChanged.connect(self._on_part)
        self.panel = ComparisonPanel(context.theme)
        self.panel.run_chosen.connect(self._read_run)
        self.panel.results_asked.connect(self.results_asked)
        self.panel.part_changed.connect(self._enable)
        self.measuring, self.transfers = LabMeasuring(self), TransferMeasuring(self)
        self.lab.part_changed.connect(self._enable)
        self.body.addLayout(self._head)
        self.body.addWidget(self.busy)
        nodes = label_for(tr("Nodes"), self.nodes), self.nodes
        self.body.addLayout(row(*nodes, self.within, (self.state, _STATE_STRETCH), 0))
        self.stack = QStackedWidget()
        for widget in (self.tabs, self.panel, self.lab):
            self.stack.addWidget(widget)
        self.body.addWidget(self.stack, 1)
        self.changed.connect(self._offer)
        self._enable()

    def _make_head(self) -> None:
        self.studies = ChoiceBox()
        self.studies.setAccessibleName(tr("Study"))
        self.studies.addItems([SATCOM, *comparison_studies(), *LAB_STUDIES])
        self.studies.currentIndexChanged.connect(self._on_study)
        self.pairs = ChoiceBox()
        self.pairs.setAccessibleName(tr("Pair"))
        self.pairs.setMinimumWidth(_LEAST_BOX_PX)
        self.pairs.currentIndexChanged.connect(self._on_pair)
        self.nodes.currentIndexChanged.connect(self._show_chosen)
        self.within = RestartTime()
        self.within.changed.connect(self._on_time)
        self.begin = button(tr("&Measure…"), "play", variant="primary", on_click=self.ask)
        self.report = button(tr("&Report"), "report", tip=tr("Save own and published figures"))
        menu = QMenu(self.report)
        for kind in ("html", "json"):
            menu.addAction(kind.upper(), partial(self._save_as, kind))
        self.report.setMenu(menu)
        self._head = row(
            label_for(tr("&Study"), self.studies),
            self.studies,
            label_for(tr("Pair"), self.pairs),
            self.pairs,
            self.begin,
            0,
            self.report,
        )

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Read which labs run and what is stored."""
        if self.is_running or (self.operation is not None and self.operation.is_running):
            return
        services = self.services
        self.start(tr("Reading stored results"), lambda _token, _report: choices_of(services), self._show_choices)

    def take_pairs(self) -> None:
        """Offer other labs."""
        self.enter()

    def first_focus(self) -> QWidget | None:
        """The study."""
        return self.studies

    @property
    def study(self) -> ComparisonStudy | None:
        """The chosen study if a comparison measures it; None for others."""
        return comparison_studies().get(self.studies.currentText())

    @property
    def lab_study(self) -> LabStudy | None:
        """The chosen study if it has a run of its own kind, with the chosen time; None for others."""
        return self.within.of(LAB_STUDIES.get(self.studies.currentText()))

    def pair_there(self, name: str, again: Callable[[], None]) -> PairSpec | None:
        """Return a running lab's pair, or one with machines; where it is not there, say so with a way to go on."""
        pair = self._choices.pair(name)
        if pair is None:
            self.notice.show_message("caution", *why_not_there(name), {tr("Resume"): again})
        return pair

    @property
    def part(self) -> PartState | None:
        """The selected part; None before anything was read."""
        nth = self.tabs.parts.currentRow()
        return self._states[nth] if 0 <= nth < len(self._states) else None

    def _show_choices(self, choices: StudyChoices) -> None:
        self._choices = choices
        chosen, names = self.pairs.currentText(), choices.names
        self.pairs.blockSignals(True)  # noqa: FBT003 - Qt has it so
        self.pairs.clear()
        self.pairs.addItems(names)
        self.pairs.setCurrentIndex(max(0, self.pairs.findText(chosen)))
        self.pairs.blockSignals(False)  # noqa: FBT003 - Qt has it so
        was_lab_missing, self._is_lab_missing = self._is_lab_missing, not choices.labs
        if choices.faults:
            self.notice.show_error(choices.faults[0])
        elif choices.labs:
            if was_lab_missing:
                self.notice.clear()
        else:
            text = tr("No practice lab is running.")
            hint = tr("Studies are measured in a practice lab: links are emulated, and some ciphers are insecure.")
            self.notice.show_message("info", text, hint, {tr("Start the practice lab"): self._start_lab})
        self._on_pair()

    def _start_lab(self) -> None:
        services = self.services

        def start(token: CancelToken, report: ProgressSink) -> StudyChoices:
            services.start_lab(token=token, on_progress=report)
            return choices_of(services)

        self.notice.clear()
        self.start(tr("Starting the practice lab"), start, self._show_choices, busy=self.busy)

    # --- choosing -----------------------------------------------------------------------------------------------------

    def _on_study(self) -> None:
        study = self.study
        of_lab = self.tabs if self.lab_study is None else self.lab
        self.stack.setCurrentWidget(of_lab if study is None else self.panel)
        self.report.setVisible(study is None)
        before = self.nodes.kind
        self._offer_nodes()
        if self.nodes.kind is not before:
            self._show_chosen()
        self._show_runs()
        self._enable()

    def _offer_nodes(self) -> None:
        busy = busy_reason() if self._is_busy else ""
        self.nodes.show_choice(self._choices, self.studies.currentText(), self.pairs.currentText(), busy=busy)

    def _show_runs(self) -> None:
        """Show the study that is not of transfers, with its stored runs or results."""
        study, name, nodes = self.study, self.pairs.currentText(), self.nodes.kind
        stored = self._choices.lab_parts(self.studies.currentText(), name, nodes)
        self.within.show_for(self.lab_study, stored.values())
        if (of_lab := self.lab_study) is not None:
            self.lab.show_study(of_lab, stored, nodes, is_shaped=is_own_name(name))
        if study is not None:
            self.panel.show_study(study, self._choices.runs.get(study.name, ()), self._choices.titles)

    def _read_run(self, number: int) -> None:
        """Show own figures of a stored comparison."""
        services = self.context.services
        if self._reading is not None:
            self._reading.abandon()
        self._reading = self.context.runner.run(
            tr("Reading the results"),
            lambda _token, _report: repeated_study(services.record(number)),
            on_success=lambda found: self.panel.show_figures(found) if found is not None else None,
            on_failure=self.notice.show_error,
            is_quiet=True,
        )

    def _on_time(self) -> None:
        self._show_runs()
        self._enable()

    def _on_pair(self) -> None:
        self._offer_nodes()
        self._show_chosen()

    def _show_chosen(self) -> None:
        """Show what is stored of the chosen lab, between the chosen nodes."""
        self._show_runs()
        self._show_states()
        self._compute()

    def _on_part(self, row_now: int, _column: int, row_before: int, _former: int) -> None:
        if row_now != row_before:
            self._compute()

    def _results(self) -> StudyResults:
        name, nodes = self.pairs.currentText(), self.nodes.kind
        found = self._choices.results.get((name, nodes))
        return found or StudyResults(SATCOM, name, "", TRANSFER_BYTES, nodes=nodes)

    def _show_states(self) -> None:
        """Show how much of each part is measured on the chosen lab."""
        self._states = part_states(self._results().done(), is_shaped=is_own_name(self.pairs.currentText()))
        table = self.tabs.parts
        table.show_states(self._states)
        if table.currentRow() < 0:
            table.blockSignals(True)  # noqa: FBT003 - Qt has it so
            table.setCurrentCell(0, 0)
            table.blockSignals(False)  # noqa: FBT003 - Qt has it so
        self._enable()

    def _compute(self) -> None:
        """Compare the chosen part with the study; beside a run, which goes on."""
        part, results = self.part, self._results()
        if part is None:
            return
        cells = part.cells
        if self._viewing is not None:
            self._viewing.abandon()
        self._viewing = self.context.runner.run(
            tr("Comparing with the study"),
            lambda _token, _report: part_view(results, cells),
            on_success=self._show_view,
            on_failure=self.notice.show_error,
            is_quiet=True,
        )

    def _show_view(self, view: StudyView) -> None:
        self.view = view
        self.tabs.show_view(view)
        self._enable()

    def _enable(self) -> None:
        self.changed.emit()

    @property
    def _is_busy(self) -> bool:
        return self.is_running or not self.busy.isHidden()  # or hosts are inspected for a comparison

    def _offer(self) -> None:
        """Offer what is possible now, and say what is shown."""
        self._offer_nodes()
        part, name, of_lab = self.part, self.pairs.currentText(), self.lab_study is not None
        of_stack = self.panel.part if self.study is not None else self.lab.part if of_lab else part
        is_busy = self._is_busy
        obstacle = why_not_measured(self._choices, self.studies.currentText(), name, self.nodes.kind)
        can_begin = of_stack is not None and not obstacle and not is_busy
        enable(self.begin, is_on=can_begin, reason=busy_reason() if is_busy else obstacle)
        for box in (self.pairs, self.studies):
            enable(box, is_on=not is_busy, reason=busy_reason())
        self.within.offer(is_on=not is_busy, reason=busy_reason())
        has_times = self.view is not None and bool(self.view.own_s)
        has_own = self.lab.shown is not None if of_lab else has_times
        none = tr("Nothing of this part is measured yet.")
        enable(self.report, is_on=has_own and not is_busy, reason=busy_reason() if is_busy else none)
        self.state.setVisible(self.study is None)
        place = place_text(name, self.nodes.kind)
        self.state.setText(lab_state_text(self.lab.part, place) if of_lab else state_text(part, place))

    # --- measuring ----------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Show what will be measured and how long it takes; begin if the user agrees."""
        part, name = self.part, self.pairs.currentText()
        if not self.begin.isEnabled():
            return
        if self.study is not None:
            runs = self._choices.runs.get(self.study.name, ())
            ask_comparison(self, self.panel, self._choices.labs[name], runs, self.comparison_asked.emit)
            return
        pair = self._choices.pair(name)
        if pair is None:
            return
        if self.lab_study is not None:
            self.measuring.ask(pair)
        elif part is not None:
            self.transfers.ask(part, pair)

    def take_lab_results(self, results: LabResults) -> None:
        """Take results of a run of its own kind, and show them."""
        self._choices = self._choices.with_lab_results(results)
        self._show_runs()
        self._enable()

    def take_view(self, view: StudyView) -> None:
        """Take results of a run; show them where their part is on show."""
        self._choices = self._choices.with_results(view.results)
        part, shown = self.part, (self.pairs.currentText(), self.nodes.kind)
        self._show_states()
        cells = with_others(part.cells, {one.cell for one in view.results.results}) if part is not None else None
        if view.cells != cells or (view.results.pair, view.results.nodes) != shown:
            self._compute()
            return
        if self._viewing is not None:
            self._viewing.abandon()
        self._show_view(view)

    # --- files --------------------------------------------------------------------------------------------------------

    def _save_as(self, kind: str) -> None:
        part = f"{self.lab.shown.part}-" if self.lab_study is not None and self.lab.shown is not None else ""
        nodes = "-machines" if self.nodes.kind is NodeKind.MACHINES else ""
        ask_file(self, f"{self.studies.currentText()}-{part}{self.pairs.currentText()}{nodes}", kind, self.write)

    def write(self, path: Path) -> None:
        """Write the part that is shown; the kind follows from the ending."""
        view, own = self.view, self.lab.shown
        if self.is_running:
            return
        if self.lab_study is not None:
            if own is not None:
                save(self, lambda: write_lab_study(own, path))
        elif view is not None:
            save(self, lambda: write_study(view.results, view.cells, path))
