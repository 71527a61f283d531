"""Step 3: which solutions and suites are compared."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.errors import InvalidPlan
from app.domain.results import Candidate
from app.domain.solutions import SolutionInfo
from app.measurement.wizard import Step
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import column, holder, label, row
from ui.common.candidate_details import CandidateDetails
from ui.common.candidate_rows import Key
from ui.common.context import PageContext
from ui.common.copying import enable_copying
from ui.common.data_table import LineDelegate
from ui.common.guidelines import GuidelinesLine
from ui.common.page import Page
from ui.common.splits import split
from ui.common.swatch import swatch_icon
from ui.common.texts import plain_tip, tr
from ui.common.theme import GRID
from ui.common.verdicts import verdict_appearance
from ui.comparison.candidate_texts import ask_without_vpn, distinct_titles, how, is_weak, lacks, listed, selected
from ui.comparison.tree_search import TreeSearch, every_item, with_children

_KEY = Qt.ItemDataRole.UserRole
_UNAVAILABLE = Qt.ItemDataRole.UserRole + 1
_NAME, _VERDICT, _HOW = range(3)


class CandidatesPage(Page):
    """A tree of solutions and suites; selecting one shows reason, source and replacement."""

    hosts_asked = Signal()
    """The user wants to install what is missing."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            tr("Choice"),
            tr(
                "VPNs and suites that both hosts support. The safe default of each is preselected; select a "
                "line to see the reason for its verdict."
            ),
        )
        self._shown: Discovery | None = None
        self._given: tuple[Key, ...] = ()
        self._by_key: dict[Key, Candidate] = {}
        self._titles: dict[Key, str] = {}
        self._needed_px = 0
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("Candidate"), tr("Verdict"), tr("Encrypts in, carried by")])
        self.tree.setAccessibleName(tr("Candidates"))
        enable_copying(self.tree)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(LineDelegate(self.tree))
        self.tree.currentItemChanged.connect(self._on_current)
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.tree.itemActivated.connect(self._on_click)
        self.tree.expanded.connect(self._measure_columns)
        self.tree.collapsed.connect(self._measure_columns)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for nth in (_VERDICT, _HOW):
            header.setSectionResizeMode(nth, QHeaderView.ResizeMode.ResizeToContents)
        # The stretched one is, with the window. Hidden during the signal, sections get widths of billions of pixels.
        header.sectionResized.connect(lambda *_sizes: QTimer.singleShot(0, self, self._fit_columns))
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.weak = QCheckBox(tr("Include &weak suites: legacy and insecure ones, for comparison"))
        self.weak.toggled.connect(self._on_weak)
        self.details = CandidateDetails()
        self.details.hosts_asked.connect(self.hosts_asked)
        self.search = TreeSearch(self.tree, tr("Find a suite: name, cipher or verdict (Ctrl+F)"))
        self.search.filtered.connect(self._on_filter)
        self.no_box = label(tr("Suites without a box are weak: “Include weak suites” below gives them one."), "muted")
        self.no_box.setVisible(False)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.field.setFocus)
        self.guidelines = GuidelinesLine(context)
        self.guidelines.picked.connect(self.take_guidelines)
        self.guidelines.failed.connect(self.notice.show_error)
        self._lay_out()
        context.theme.changed.connect(self._recolour)

    def _lay_out(self) -> None:
        left = holder(column(self.search, self.no_box, (self.tree, 1)))
        both = split(left, self.details, sizes_px=(640, 360), stretches=(3, 2), handle_px=2 * GRID)
        self.body.addWidget(both, 1)
        self.body.addLayout(row(self.weak, 2 * GRID, (self.guidelines, 1)))

    def _measure_columns(self) -> None:
        """Note how wide the columns would be, so that no name and no verdict is shortened."""
        header = self.tree.header()
        header.setSectionHidden(_HOW, False)  # noqa: FBT003 - Qt has it so
        columns = range(self.tree.columnCount())
        self._needed_px = sum(max(self.tree.sizeHintForColumn(nth), header.sectionSizeHint(nth)) for nth in columns)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Leave the room to the names where there is too little; the details say how a candidate works."""
        self.tree.header().setSectionHidden(_HOW, self._needed_px > self.tree.viewport().width())

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Show what these hosts support, once per inspection; ticks are kept."""
        self.guidelines.reload()
        state = self.context.wizard.state
        if state.discovery is None:
            return
        is_same = (
            self._shown is not None
            and state.discovery.candidates == self._shown.candidates
            and state.discovery.unavailable == self._shown.unavailable
            and state.discovery.pair.name == self._shown.pair.name
        )
        if self._shown is None or self._shown.pair.name != state.discovery.pair.name:
            self.search.field.clear()
        self._shown = state.discovery
        if not is_same or state.chosen != self._given:
            self._fill(state.discovery, set(state.chosen))
        self._given = state.chosen
        if self.context.has_other_guidelines:
            self.take_guidelines()

    def take_guidelines(self) -> None:
        """Judge by other guidelines."""
        self.context.has_other_guidelines = False
        self.guidelines.reload()
        self._judge_again()

    def first_focus(self) -> QWidget | None:
        """The tree."""
        return self.tree

    def can_go_next(self) -> bool:
        """With hosts; further requirements are reported when Next is pressed."""
        return self._shown is not None

    def go_next(self) -> None:
        """Take the ticks, after a warning where that makes later steps invalid."""
        self.notice.clear()
        wizard = self.context.wizard
        ticked = self.ticked()
        if not self.has_untaken():
            self.left.emit()
            return
        invalid = wizard.invalidated_by_change_in(Step.CHOOSE)
        ask_without_vpn(
            self.window(),
            [self._by_key[key] for key in ticked],
            lambda: self.context.confirm_change(invalid, lambda: self._take(ticked)),
        )

    def has_untaken(self) -> bool:
        """Whether other candidates are ticked than were taken last."""
        state = self.context.wizard.state
        return self.can_go_next() and not (state.is_choice_made and set(self.ticked()) == set(state.chosen))

    def _take(self, ticked: tuple[Key, ...]) -> None:
        try:
            self.context.wizard.choose(ticked)
        except InvalidPlan as error:
            self.notice.show_error(error)
            return
        self._given = self.context.wizard.state.chosen
        self.left.emit()

    # --- guidelines ---------------------------------------------------------------------------------------------------

    def _judge_again(self) -> None:
        """Judge the candidates by the active guidelines; ticks are kept, an earlier plan is not."""
        found, services = self.context.wizard.state.discovery, self.context.services
        if found is None:
            return
        self.notice.clear()
        self.start(
            tr("Re-evaluating candidates"),
            lambda _token, _report: services.judge_again(found),
            self._take_judged,
            on_failure=lambda error: self.notice.show_error(error, {tr("Try again"): self._judge_again}),
        )

    def _take_judged(self, judged: Discovery) -> None:
        wizard = self.context.wizard
        if self._shown is None or wizard.state.discovery is None or wizard.state.pair != judged.pair:
            return
        before = {key: candidate.verdict for key, candidate in self._by_key.items()}
        ticked = set(self.ticked())
        wizard.judge_again(judged)
        self._shown = wizard.state.discovery
        self._fill(self._shown, ticked)
        changed = [one for key, one in self._by_key.items() if before.get(key) is not one.verdict]
        if changed:
            many = tr("%1 verdicts changed.", len(changed))
            title = tr("One verdict changed.") if len(changed) == 1 else many
            self.notice.show_message("info", title, listed(changed))
        self.status_reported.emit(tr("Candidates re-evaluated: %1 changed.", len(changed)))

    # --- the tree -----------------------------------------------------------------------------------------------------

    def ticked(self) -> tuple[Key, ...]:
        """Return what is ticked, in the order shown."""
        return tuple(
            item.data(_NAME, _KEY)
            for item in every_item(self.tree)
            if item.data(_NAME, _KEY) is not None and item.checkState(_NAME) is Qt.CheckState.Checked
        )

    def tick(self, key: Key, *, is_on: bool = True) -> None:
        """Tick or untick a candidate."""
        for item in every_item(self.tree):
            if item.data(_NAME, _KEY) == key:
                item.setCheckState(_NAME, Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)

    def select_first_protected(self) -> None:
        """Select the first candidate with cryptography: its reasons say most."""
        for item in every_item(self.tree):
            candidate = self._candidate_of(item)
            if candidate is not None and not candidate.is_unprotected:
                self.tree.setCurrentItem(item)
                return

    def _fill(self, found: Discovery, chosen: set[Key]) -> None:
        self._by_key = {(candidate.solution, candidate.suite): candidate for candidate in found.candidates}
        with QSignalBlocker(self.tree):
            self.tree.clear()
            if any(is_weak(self._by_key[key]) for key in chosen if key in self._by_key):
                with QSignalBlocker(self.weak):  # they were chosen knowingly, in a comparison that is repeated
                    self.weak.setChecked(True)
            by_solution: dict[str, list[Candidate]] = {}
            for candidate in found.candidates:
                by_solution.setdefault(candidate.solution, []).append(candidate)
            for solution, candidates in by_solution.items():
                self._add_solution(found.solutions[solution], candidates, chosen)
            for solution, reason in found.lacking.items():
                about = found.solutions.get(solution)
                item = QTreeWidgetItem(
                    [local_title(about.title) if about else solution, tr("Not supported"), how(about)]
                )
                item.setFlags(Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
                item.setData(_NAME, _UNAVAILABLE, solution)
                item.setToolTip(_NAME, plain_tip(local_text(reason)))
                self._mute(item)
                self.tree.addTopLevelItem(item)
        has_weak = any(is_weak(candidate) for candidate in found.candidates)
        self.weak.setVisible(has_weak)
        self.search.begin_anew()
        self._measure_columns()
        self.select_first_protected()
        self.changed.emit()

    def _add_solution(self, info: SolutionInfo, candidates: list[Candidate], chosen: set[Key]) -> None:
        """Add a line with its suites below it; what the programs merely list lies one level deeper, folded."""
        if len(candidates) == 1:
            self.tree.addTopLevelItem(self._candidate_item(candidates[0], info, chosen))
            return
        top = QTreeWidgetItem([local_title(info.title), "", how(info)])
        top.setData(_NAME, _KEY, None)
        top.setIcon(_NAME, swatch_icon(info.name))
        self.tree.addTopLevelItem(top)
        self._titles = distinct_titles(candidates, info.title)
        merely = [candidate for candidate in candidates if candidate.is_listed_only]
        for candidate in candidates:
            if not candidate.is_listed_only:
                top.addChild(self._candidate_item(candidate, info, chosen, is_child=True))
        top.setExpanded(True)
        if not merely:
            return
        more = QTreeWidgetItem([tr("%1 more supported suites", len(merely)), "", ""])
        more.setData(_NAME, _KEY, None)
        top.addChild(more)
        for candidate in merely:
            more.addChild(self._candidate_item(candidate, info, chosen, is_child=True))
        more.setExpanded(any((candidate.solution, candidate.suite) in chosen for candidate in merely))

    def _candidate_item(
        self, candidate: Candidate, info: SolutionInfo, chosen: set[Key], *, is_child: bool = False
    ) -> QTreeWidgetItem:
        appearance = verdict_appearance(candidate.verdict)
        key = (candidate.solution, candidate.suite)
        title = self._titles[key] if is_child else local_title(candidate.title)
        item = QTreeWidgetItem([title, appearance.word, how(info)])
        item.setData(_NAME, _KEY, key)
        item.setIcon(_NAME, swatch_icon(candidate.solution))
        item.setIcon(_VERDICT, self.context.theme.icon(appearance.icon, appearance.role))
        item.setToolTip(_NAME, plain_tip(local_title(candidate.title)))
        item.setCheckState(_NAME, Qt.CheckState.Checked if key in chosen else Qt.CheckState.Unchecked)
        self._allow(item, is_allowed=not is_weak(candidate) or self.weak.isChecked())
        return item

    def _mute(self, item: QTreeWidgetItem) -> None:
        for nth in range(3):
            item.setForeground(nth, QColor(self.context.theme.colours.muted))

    def _allow(self, item: QTreeWidgetItem, *, is_allowed: bool) -> None:
        """Give a candidate its check box; a weak one has none until weak suites are included."""
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        item.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable if is_allowed else flags)
        if not is_allowed:
            item.setData(_NAME, Qt.ItemDataRole.CheckStateRole, None)
        elif item.data(_NAME, Qt.ItemDataRole.CheckStateRole) is None:
            item.setCheckState(_NAME, Qt.CheckState.Unchecked)

    def _on_click(self, item: QTreeWidgetItem) -> None:
        """Show why a line without a check box has none."""
        candidate = self._candidate_of(item)
        if candidate is not None and is_weak(candidate) and not self.weak.isChecked():
            self.status_reported.emit(tr("Weak suites are measured only with “Include weak suites” below."))

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        found = self._shown
        if item is None or found is None:
            return
        candidate = self._candidate_of(item)
        if candidate is not None:
            self.details.show_candidate(candidate, found.solutions[candidate.solution])
            return
        first = next(filter(None, map(self._candidate_of, with_children(item))), None)
        if first is not None:
            findings = [one for c in found.candidates if c.solution == first.solution for one in c.findings]
            self.details.show_solution(found.solutions[first.solution], findings)
            return
        solution = item.data(_NAME, _UNAVAILABLE)
        info = found.solutions.get(solution)
        self.details.show_unavailable(item.text(_NAME), found.unavailable[solution], lacks(found, solution), info)

    def _on_filter(self) -> None:
        """Describe the first hit where the selected line is hidden, and say why hits have no box."""
        is_searching = bool(self.search.field.text().strip())
        hits = [item for item in every_item(self.tree) if item.data(_NAME, _KEY) is not None and not item.isHidden()]
        found = [self._by_key[item.data(_NAME, _KEY)] for item in hits]
        self.no_box.setVisible(is_searching and not self.weak.isChecked() and any(map(is_weak, found)))
        current = self.tree.currentItem()
        if is_searching and hits and (current is None or current.isHidden()):
            current = hits[0]  # described, not selected: that would keep the fold around it open
        self._on_current(current)
        self._on_tick()

    def _on_tick(self) -> None:
        self.notice.clear()
        ticked = [item for item in every_item(self.tree) if item.checkState(_NAME) is Qt.CheckState.Checked]
        self.status_reported.emit(selected(len(ticked), hidden=sum(item.isHidden() for item in ticked)))
        self.changed.emit()

    def _on_weak(self) -> None:
        with QSignalBlocker(self.tree):
            for item in every_item(self.tree):
                candidate = self._candidate_of(item)
                if candidate is not None and is_weak(candidate):
                    self._allow(item, is_allowed=self.weak.isChecked())
        self.tree.viewport().update()
        self._on_filter()

    def _candidate_of(self, item: QTreeWidgetItem) -> Candidate | None:
        return self._by_key.get(item.data(_NAME, _KEY))

    def _recolour(self) -> None:
        with QSignalBlocker(self.tree):
            for item in every_item(self.tree):
                candidate = self._candidate_of(item)
                if candidate is not None:
                    appearance = verdict_appearance(candidate.verdict)
                    item.setIcon(_VERDICT, self.context.theme.icon(appearance.icon, appearance.role))
                elif item.data(_NAME, _UNAVAILABLE):
                    self._mute(item)
