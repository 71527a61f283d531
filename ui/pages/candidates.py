"""Step 3: which solutions and suites are compared."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHeaderView, QSplitter, QTreeWidget, QTreeWidgetItem, QWidget

from app.domain.adapters import Carrier, SolutionInfo, Space
from app.domain.errors import InvalidPlan
from app.domain.results import Candidate
from app.domain.verdicts import Verdict
from app.wizard import Discovery, Step
from ui.context import Context
from ui.icons import make_icon
from ui.live_rows import Key
from ui.pages.base import Page
from ui.texts import tr
from ui.theme import GRID
from ui.widgets.basics import row
from ui.widgets.candidate_details import CandidateDetails
from ui.widgets.data_table import LineDelegate
from ui.widgets.swatch import swatch_icon
from ui.widgets.verdicts import verdict_look

_KEY = Qt.ItemDataRole.UserRole
_NAME, _VERDICT, _HOW = range(3)


class CandidatesPage(Page):
    """A tree of solutions and suites; selecting one shows reason, source and replacement."""

    def __init__(self, context: Context) -> None:
        super().__init__(
            context,
            tr("Choice"),
            tr(
                "Everything that both hosts can do. The safe default of each solution is ticked; Space ticks, and "
                "selecting a line shows why it has its verdict."
            ),
        )
        self._shown: Discovery | None = None
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("Candidate"), tr("Verdict"), tr("Encrypts in, carried by")])
        self.tree.setAccessibleName(tr("Candidates"))
        self.tree.setAlternatingRowColors(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(LineDelegate(self.tree))
        self.tree.currentItemChanged.connect(self._on_current)
        self.tree.itemChanged.connect(self._on_tick)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for column in (_VERDICT, _HOW):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.weak = QCheckBox(tr("Also measure &weak suites: I know that they are never deployed"))
        self.weak.toggled.connect(self._on_weak)
        self.details = CandidateDetails(context.theme)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(2 * GRID)
        splitter.addWidget(self.tree)
        splitter.addWidget(self.details)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([640, 360])
        self.body.addWidget(splitter, 1)
        self.body.addLayout(row(self.weak, 0))
        context.theme.changed.connect(self._recolour)

    # --- the page's life ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Show what these hosts can do, once per look at them; ticks are kept."""
        state = self.context.wizard.state
        if state.discovery is None:
            return
        is_same = (
            self._shown is not None
            and state.discovery.candidates == self._shown.candidates
            and state.discovery.unavailable == self._shown.unavailable
            and state.discovery.pair.name == self._shown.pair.name
        )
        self._shown = state.discovery
        if not is_same:
            self._fill(state.discovery, set(state.chosen))

    def first_focus(self) -> QWidget | None:
        """The tree."""
        return self.tree

    def can_go_next(self) -> bool:
        """With at least one tick."""
        return bool(self.ticked())

    def go_next(self) -> None:
        """Take the ticks, after a warning where that makes later steps invalid."""
        self.notice.clear()
        wizard = self.context.wizard
        ticked = self.ticked()
        if wizard.state.is_choice_made and set(ticked) == set(wizard.state.chosen):
            self.left.emit()
            return
        self.context.confirm_change(wizard.invalidated_by_change_in(Step.CHOOSE), lambda: self._take(ticked))

    def _take(self, ticked: tuple[Key, ...]) -> None:
        try:
            self.context.wizard.choose(ticked)
        except InvalidPlan as error:
            self.notice.say_error(error)
            return
        self.left.emit()

    # --- the tree -----------------------------------------------------------------------------------------------------

    def ticked(self) -> tuple[Key, ...]:
        """Return what is ticked, in the order shown."""
        return tuple(
            item.data(_NAME, _KEY)
            for item in self._items()
            if item.data(_NAME, _KEY) is not None and item.checkState(_NAME) is Qt.CheckState.Checked
        )

    def tick(self, key: Key, *, is_on: bool = True) -> None:
        """Tick or untick a candidate."""
        for item in self._items():
            if item.data(_NAME, _KEY) == key:
                item.setCheckState(_NAME, Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)

    def select_first_protected(self) -> None:
        """Select the first candidate with cryptography: its reasons say most."""
        for item in self._items():
            candidate = self._candidate(item.data(_NAME, _KEY)) if item.data(_NAME, _KEY) is not None else None
            if candidate is not None and not candidate.is_unprotected:
                self.tree.setCurrentItem(item)
                return

    def _items(self) -> list[QTreeWidgetItem]:
        items: list[QTreeWidgetItem] = []
        for nth in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(nth)
            if top is not None:
                items += _with_children(top)
        return items

    def _fill(self, found: Discovery, chosen: set[Key]) -> None:
        self.tree.blockSignals(True)  # noqa: FBT003 - Qt has it so
        self.tree.clear()
        by_solution: dict[str, list[Candidate]] = {}
        for candidate in found.candidates:
            by_solution.setdefault(candidate.solution, []).append(candidate)
        for solution, candidates in by_solution.items():
            self._add_solution(found.solutions[solution], candidates, chosen)
        for solution, reason in found.unavailable.items():
            info_or_none = found.solutions.get(solution)
            item = QTreeWidgetItem([info_or_none.title if info_or_none else solution, tr("Not possible"), ""])
            item.setFlags(Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
            item.setToolTip(_NAME, reason)
            for column in range(3):
                item.setForeground(column, self.palette().placeholderText())
            self.tree.addTopLevelItem(item)
        self.tree.blockSignals(False)  # noqa: FBT003 - Qt has it so
        has_weak = any(_is_weak(candidate) for candidate in found.candidates)
        self.weak.setVisible(has_weak)
        self.select_first_protected()
        self.changed.emit()

    def _add_solution(self, info: SolutionInfo, candidates: list[Candidate], chosen: set[Key]) -> None:
        """Add a line with its suites below it; what the programs merely list lies one level deeper, folded."""
        if len(candidates) == 1:
            self.tree.addTopLevelItem(self._candidate_item(candidates[0], info, chosen))
            return
        top = QTreeWidgetItem([info.title, "", _how(info)])
        top.setData(_NAME, _KEY, None)
        top.setIcon(_NAME, swatch_icon(info.name))
        self.tree.addTopLevelItem(top)
        listed = [candidate for candidate in candidates if candidate.is_listed_only]
        for candidate in candidates:
            if not candidate.is_listed_only:
                top.addChild(self._candidate_item(candidate, info, chosen, is_child=True))
        top.setExpanded(True)
        if not listed:
            return
        more = QTreeWidgetItem([tr("%1 more that the programs list").replace("%1", str(len(listed))), "", ""])
        more.setData(_NAME, _KEY, None)
        top.addChild(more)
        for candidate in listed:
            more.addChild(self._candidate_item(candidate, info, chosen, is_child=True))
        more.setExpanded(any((candidate.solution, candidate.suite) in chosen for candidate in listed))

    def _candidate_item(
        self, candidate: Candidate, info: SolutionInfo, chosen: set[Key], *, is_child: bool = False
    ) -> QTreeWidgetItem:
        look = verdict_look(candidate.verdict)
        key = (candidate.solution, candidate.suite)
        title = candidate.title.removeprefix(f"{info.title}, ") if is_child else candidate.title
        item = QTreeWidgetItem([title, look.word, _how(info)])
        item.setData(_NAME, _KEY, key)
        item.setIcon(_NAME, swatch_icon(candidate.solution))
        item.setIcon(_VERDICT, make_icon(look.icon, getattr(self.context.theme.colours, look.role)))
        item.setToolTip(_NAME, candidate.title)
        item.setCheckState(_NAME, Qt.CheckState.Checked if key in chosen else Qt.CheckState.Unchecked)
        self._allow(item, is_allowed=not _is_weak(candidate) or self.weak.isChecked())
        return item

    def _allow(self, item: QTreeWidgetItem, *, is_allowed: bool) -> None:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        item.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable if is_allowed else flags)

    def _candidate(self, key: Key) -> Candidate | None:
        found = self._shown
        return next((c for c in found.candidates if (c.solution, c.suite) == key), None) if found else None

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        found = self._shown
        if item is None or found is None:
            return
        key = item.data(_NAME, _KEY)
        candidate = self._candidate(key) if key is not None else None
        if candidate is not None:
            self.details.show_candidate(candidate, found.solutions[candidate.solution])
            return
        child = next((one for one in _with_children(item) if one.data(_NAME, _KEY) is not None), None)
        first = self._candidate(child.data(_NAME, _KEY)) if child is not None else None
        if first is not None:
            self.details.show_solution(found.solutions[first.solution])
        else:
            self.details.show_unavailable(item.text(_NAME), item.toolTip(_NAME))

    def _on_tick(self) -> None:
        number = len(self.ticked())
        self.status_told.emit(tr("%1 candidates are ticked.").replace("%1", str(number)))
        self.changed.emit()

    def _on_weak(self) -> None:
        for item in self._items():
            candidate = self._candidate(item.data(_NAME, _KEY)) if item.data(_NAME, _KEY) is not None else None
            if candidate is not None and _is_weak(candidate):
                self._allow(item, is_allowed=self.weak.isChecked())
                if not self.weak.isChecked():
                    item.setCheckState(_NAME, Qt.CheckState.Unchecked)
        self.changed.emit()

    def _recolour(self) -> None:
        self.tree.blockSignals(True)  # noqa: FBT003 - Qt has it so
        for item in self._items():
            candidate = self._candidate(item.data(_NAME, _KEY)) if item.data(_NAME, _KEY) is not None else None
            if candidate is not None:
                look = verdict_look(candidate.verdict)
                item.setIcon(_VERDICT, make_icon(look.icon, getattr(self.context.theme.colours, look.role)))
        self.tree.blockSignals(False)  # noqa: FBT003 - Qt has it so


def _with_children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(number) for number in range(item.childCount()))
    return [item, *(below for child in children if child is not None for below in _with_children(child))]


def _is_weak(candidate: Candidate) -> bool:
    """Whether it is measured only after the user said that they know what it is."""
    is_open_reference = candidate.is_unprotected and candidate.is_listed_only
    return candidate.verdict in (Verdict.LEGACY, Verdict.INSECURE) or is_open_reference


def _how(info: SolutionInfo) -> str:
    space = {Space.KERNEL: tr("kernel"), Space.USER: tr("user space"), Space.NONE: tr("nowhere")}[info.space]
    carrier = {
        Carrier.NONE: tr("nothing"),
        Carrier.UDP: "UDP",
        Carrier.TCP: "TCP",
        Carrier.IP: "IP",
        Carrier.ESP: "ESP",
        Carrier.ETHERNET: "Ethernet",
    }[info.carrier]
    return f"{space}, {carrier}"
